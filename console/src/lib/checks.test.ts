import { expect, test } from 'vitest'
import { quorum } from '../../../protocol/committees/index.ts'
import { utf8 } from '../../../protocol/encoding/index.ts'
import { hashNetworkParams } from '../../../protocol/identity/index.ts'
import { signManifest } from '../../../protocol/manifest/index.ts'
import { ed25519PublicKey } from '../../../protocol/signatures/index.ts'
import { coordinatorSeed, createGenerations, validatorSeeds } from '../../../testing/node/generations.ts'
import { rightReceiptHash, shownRound } from '../../../testing/node/shown-round.ts'
import {
  attestedSet,
  createTestProject,
  input,
  params,
  profile,
  rightReceipt,
  wrongReceipt,
} from '../../../testing/node/test-project.ts'
import { type Check, type CheckName, checkNames, checkRound, type RoundRecords, trustRoot } from './checks.ts'

/** The records, of which a test may change any member, at any depth. */
// biome-ignore lint/suspicious/noExplicitAny: a hub that lies keeps no types.
type Changed = any

const generations = createGenerations(() => null)
generations.add(validatorSeeds)
// A later one, so that the chain has a link.
generations.add(validatorSeeds.slice(0, 3))
const shown = generations.items()

/** A final round as an honest hub shows it. @param miners Fewer than three have no committee. */
function recordsOf(miners = 4): Changed {
  const project = createTestProject({ miners })
  const signers = validatorSeeds.slice(0, 3)
  const round = shownRound(project, signers)
  const { round_id: roundId, project_id, receipt_hash, task } = round
  return structuredClone({
    ...{ roundId, profile, params, paramsHash: hashNetworkParams(params), generations: shown },
    coordinator: ed25519PublicKey(coordinatorSeed),
    attested: attestedSet(project, signers),
    manifest: project.envelope,
    receipt: rightReceipt,
    own: {
      ...{ project_id, function: task.function, input: new TextDecoder().decode(input) },
      ...{ output: input, success: true, receipt_hash },
    },
    round,
  })
}

/** The names of the checks by their outcome; those that hold are left out. */
function judge(records: Changed): Partial<Record<CheckName, 'wrong' | 'unchecked'>> {
  const checks: Check[] = [...checkRound(records as RoundRecords)]
  expect(checks.map(({ name }) => name)).toEqual(checkNames)
  return Object.fromEntries(
    checks
      .filter(({ holds }) => holds !== true)
      .map(({ name, holds }) => [name, holds === null ? 'unchecked' : 'wrong']),
  )
}

test.each([[4], [2]])('an honest round with %i devices passes every check', (miners) => {
  expect(judge(recordsOf(miners))).toEqual({})
  expect(trustRoot(recordsOf(miners))).toEqual({
    coordinator: ed25519PublicKey(coordinatorSeed),
    genesis: shown[0]!.hash,
  })
})

const other = () => recordsOf()

test.each<[what: string, lie: (records: Changed) => void, found: ReturnType<typeof judge>]>([
  ['another round', (all) => (all.round = other().round), { task: 'wrong' }],
  ['another function than requested', (all) => (all.own.function = 'other'), { task: 'wrong' }],
  ['a round of another project', (all) => (all.round.project_id = rightReceiptHash), { task: 'wrong' }],
  ['another receipt', (all) => (all.receipt = wrongReceipt), { receipt: 'wrong', payload: 'unchecked' }],
  ['no receipt', (all) => (all.receipt = null), { receipt: 'unchecked', payload: 'unchecked' }],
  ['more gas', (all) => all.round.gas_used++, { receipt: 'wrong', validators: 'wrong' }],
  ['another input', (all) => (all.own.input = '{}'), { payload: 'wrong' }],
  ['another output', (all) => (all.own.output = utf8('{}')), { payload: 'wrong' }],
  ['no output', (all) => (all.own.output = null), { payload: 'unchecked' }],
  ['a run that failed', (all) => (all.own.success = false), { payload: 'wrong' }],
  [
    'rules signed by somebody else',
    (all) => (all.manifest.signature = signManifest(coordinatorSeed, all.manifest.manifest)),
    { rules: 'wrong' },
  ],
  ['no rules', (all) => (all.manifest = null), { rules: 'unchecked', draw: 'unchecked', votes: 'unchecked' }],
  [
    'an unsigned generation',
    (all) => (all.generations = all.generations.map((one: object) => ({ ...one, signatures: [] }))),
    { generations: 'wrong' },
  ],
  [
    'another coordinator',
    (all) => (all.coordinator = ed25519PublicKey(validatorSeeds[0]!)),
    { generations: 'wrong', set: 'wrong', validators: 'wrong' },
  ],
  ['too few attestations', (all) => all.attested.attestations.splice(1), { set: 'wrong' }],
  [
    'another beacon',
    (all) => (all.attested.snapshot.beacon.block_hash = rightReceiptHash),
    { set: 'wrong', beacon: 'wrong', draw: 'wrong', votes: 'unchecked' },
  ],
  ['a lower quorum', (all) => (all.round.committee.quorum = 1), { draw: 'wrong', votes: 'unchecked' }],
  ['a fallback', (all) => (all.round.committee.fallback = true), { draw: 'wrong', votes: 'unchecked' }],
  [
    'one member more',
    ({ round: { committee } }) => committee.draw.push(committee.draw[0]),
    { draw: 'wrong' },
  ],
  ['another weight', (all) => (all.round.committee.draw[0].weight = '9'), { draw: 'wrong' }],
  ['another node', (all) => (all.round.committee.draw[0].node_id = 'node-0'), { draw: 'wrong' }],
  ['no votes', (all) => delete all.round.votes_detail, { votes: 'unchecked' }],
  ['one vote', (all) => all.round.votes_detail.splice(1), { votes: 'wrong' }],
  [
    'a vote of another',
    ({ round }) => (round.votes_detail[0].payout_address = rightReceiptHash),
    { votes: 'wrong' },
  ],
  ['an audit', (all) => (all.round.audited = true), { validators: 'wrong' }],
  ['a record of an audit', (all) => (all.round.finality.audited = true), { validators: 'wrong' }],
  ['no record', (all) => delete all.round.finality, { votes: 'wrong', validators: 'wrong' }],
  ['no signatures', (all) => delete all.round.finality_votes, { validators: 'wrong' }],
  ['too few signatures', ({ round }) => round.finality_votes.splice(quorum(3) - 1), { validators: 'wrong' }],
  [
    'a malformed signature',
    ({ round: { finality_votes: votes } }) => (votes[0].signature = votes[1].signature),
    { validators: 'wrong' },
  ],
])('the checks do not trust a hub that shows %s', (_, lie, found) => {
  const records = recordsOf()
  lie(records)
  expect(judge(records)).toEqual(found)
})

test('the output of a round without a committee is compared with the receipt that validators signed', () => {
  const forged = recordsOf(2)
  forged.own.output = utf8('forged')
  expect(judge(forged)).toEqual({ payload: 'wrong' })
  expect(judge({ ...forged, receipt: wrongReceipt })).toEqual({ receipt: 'wrong', payload: 'unchecked' })
})

test('the checks use the names in the profile of the network', () => {
  const records = recordsOf()
  const strange = judge({ ...records, profile: { ...profile, prefix: 'strange' } })
  expect(strange).toMatchObject({ generations: 'wrong', beacon: 'wrong', draw: 'wrong' })
})

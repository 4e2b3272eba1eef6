import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { beaconTargetTime } from '../../protocol/committees/index.ts'
import { defaultNetworkParams, resolveProfile } from '../../protocol/identity/index.ts'
import { createFinalityVote, type FinalityVote, hashFinality } from '../../protocol/rounds/index.ts'
import type { Evidence } from '../../protocol/slashing/index.ts'
import { services } from '../services.ts'
import { recordRoundOffences } from '../slashing/round-offences.ts'
import { createNode, networkNow, type TestNode } from '../test/callers.ts'
import { client, expectAnswer, expectRefusal } from '../test/client.ts'
import { readProject, receiptOf } from '../test/epochs.ts'
import { bonded, indexState } from '../test/evidence.ts'
import { SimulatedRounds, testEpoch, written } from '../test/rounds.ts'
import { createRoundValidators, SimulatedValidator } from '../test/simulated-validators.ts'
import { minCollateral } from '../test/subscription.ts'
import { emptyTables, rowsOf, runSql } from '../test/tables.ts'
import { setValidators } from '../test/validators.ts'
import { findRound } from './find-round.ts'

const profile = resolveProfile()
const epochSecs = 3_600
let rounds: SimulatedRounds
/** The validators that count for the epoch, and those that come in the middle of it. */
let before: SimulatedValidator[]
let coming: SimulatedValidator[]

async function begin(validators: number, joining: number): Promise<void> {
  const vault = `0x${'0a'.repeat(20)}`
  rounds = await new SimulatedRounds().begin({ validators, project: { economics: { vault } } })
  for (const { member } of rounds.members)
    await indexState('subscription', member.subscriptionId, bonded(minCollateral, member.owner.address))
  before = rounds.validators
  coming = createComing(joining)
  rounds.validators = [...before, ...coming]
  rounds.install()
}

const createComing = (count: number) =>
  Array.from({ length: count }, (_, i) => new SimulatedValidator(createNode(), `coming-${i}.rounds.example`))

const known = (some: readonly SimulatedValidator[]) =>
  some.map(({ node, host }) => ({ ...node, url: `https://${host}` }))
const nodesOf = (some: readonly SimulatedValidator[]): TestNode[] => some.map(({ node }) => node)
const keysOf = (some: readonly SimulatedValidator[]): string[] => some.map(({ node }) => node.publicKey)
const asked = (some: readonly SimulatedValidator[]): number[] => some.map((one) => one.asked().length)

/** Sets the validators from a moment in the middle of the epoch on. */
const change = async (validators: readonly SimulatedValidator[]) =>
  setValidators(known(validators), { effectiveAt: await networkNow() })

async function endKey({ node }: SimulatedValidator): Promise<void> {
  await rounds.passTime(1)
  await runSql('UPDATE nodes SET revoked_at = ? WHERE node_id = ?', await networkNow(), node.nodeId)
}

/** A task of which one primary misses its vote, until the validators are asked. */
async function missedRound(): Promise<string> {
  const { roundId, primaries } = await rounds.begun()
  const offers = await Promise.all(primaries.map((member) => member.offer(roundId)))
  for (const i of [0, 1]) await primaries[i]!.vote(offers[i]!)
  // It had its offer, so that its silence is its own fault.
  primaries[2]!.accept(offers[2]!)
  await primaries[2]!.relay.drain()
  await rounds.passTime(61)
  await rounds.tick(roundId)
  await rounds.mine(roundId)
  await rounds.tick(roundId)
  return roundId
}

const stateOf = async (roundId: string) => (await findRound(services(env), roundId))?.state
const fileOf = async (roundId: string) => {
  const file = await services(env).roundFiles.round(roundId)
  if (file === null) throw new Error('there is no file')
  return file
}

async function evidenceOf(roundId: string): Promise<Evidence[]> {
  await written(roundId)
  await recordRoundOffences(env, roundId)
  const results = await rowsOf<{ evidence: string }>(
    'SELECT evidence FROM slashes WHERE round_id = ?',
    roundId,
  )
  return results.map(({ evidence }) => JSON.parse(evidence) as Evidence)
}

/** Posts evidence with the finality votes of others, as if it were not on record. */
async function postWithVotes(evidence: Evidence, votes: readonly FinalityVote[]) {
  await runSql('DELETE FROM slashes')
  const finality = [...votes].sort((a, b) => (a.public_key < b.public_key ? -1 : 1))
  return client().post('/v1/slashes', { ...evidence, proof: { ...evidence.proof, finality } })
}

async function expectFinalBy(roundId: string, some: readonly SimulatedValidator[]): Promise<void> {
  expect(await stateOf(roundId)).toBe('finalized')
  const { finality_votes } = await fileOf(roundId)
  const keys = keysOf(some)
  expect(finality_votes.filter(({ public_key }) => !keys.includes(public_key))).toEqual([])
}

const quorums: Record<number, number> = { 1: 1, 2: 2, 4: 3 }

describe.each([
  ['4 → 5', 4, 1, 0],
  ['4 → 6', 4, 2, 0],
  ['1 → 2', 1, 1, 0],
  ['2 → 3', 2, 1, 0],
  ['two keys of four replaced', 4, 2, 2],
  ['4 → 3', 4, 0, 1],
])('validators that change in the middle of an epoch, %s', (_, count, joining, leaving) => {
  test('do not affect that epoch: the earlier set decides about its rounds, evidence and receipt', async () => {
    await begin(count, joining)
    const quorum = quorums[count]!
    const early = await missedRound()
    await expectFinalBy(early, before)
    await change([...before.slice(leaving), ...coming])
    // Another round with a silent member: the earlier validators decide about it, not the present ones.
    const late = await missedRound()
    await expectFinalBy(late, before)
    expect(asked(coming)).toEqual(coming.map(() => 0))
    // A validator that leaves is asked for as long as the epoch is not paid.
    expect(asked(before).every((times) => times === 2)).toBe(true)

    const evidence = [await evidenceOf(early), await evidenceOf(late)]
    for (const [i, roundId] of [early, late].entries()) {
      const recorded = evidence[i]!
      expect(recorded.map(({ kind }) => kind)).toEqual(['missed_sla'])
      const votes = (await fileOf(roundId)).finality_votes.slice(0, quorum)
      const posted = await postWithVotes(recorded[0]!, votes)
      expect(posted.status, await posted.text()).toBe(201)
      if (coming.length === 0) continue
      // A vote of one that came later counts for nothing.
      const record = votes[0]!.finality
      const forged = coming.map(({ node }) => createFinalityVote(profile, node.key, record))
      const mixed = await postWithVotes(recorded[0]!, [...votes.slice(0, quorum - 1), ...forged])
      await expectRefusal(mixed, '422 invalid_evidence')
    }

    rounds.setTime((testEpoch + 1) * epochSecs + 600)
    const project = await readProject(rounds.projectId)
    const submit = (by: readonly TestNode[], node = by[0]) =>
      node!.call('POST', '/v1/nodes/epoch-receipts', receiptOf({ ...project, lastEpoch: testEpoch }, { by }))
    for (const { node } of coming)
      await expectRefusal(submit(nodesOf(rounds.validators), node), '403 forbidden', {
        message: expect.stringContaining('its generation of validators is 0'),
      })
    await expectRefusal(
      submit(nodesOf([...before.slice(0, quorum - 1), ...coming]), nodesOf(before)[0]),
      '403 forbidden',
      { details: { attestations_counted: quorum - 1, quorum } },
    )
    await expectAnswer(submit(nodesOf(before.slice(0, quorum))), 202, {
      attestations_counted: quorum,
      quorum,
    })
    // A validator that came counts from the first epoch whose beacon was taken later.
    const next = await services(env).validators.ofEpoch(testEpoch + 1, epochSecs)
    expect(next?.document.validators.map(({ public_key }) => public_key)).toEqual(
      keysOf([...before.slice(leaving), ...coming]).sort(),
    )
  })

  test('do not affect direct rounds that were issued before the change', async () => {
    await emptyTables('nodes', 'validator_generations')
    const first = await createRoundValidators(count)
    const later = [...first.slice(leaving), ...createComing(joining)]
    const issuedAt = await networkNow()
    await setValidators(known(later), { effectiveAt: issuedAt + 10 })
    const { validators } = services(env)
    const of = async (time: number) => (await validators.at(time))?.document.validators.length
    expect([await of(issuedAt), await of(issuedAt + 10)]).toEqual([count, count - leaving + joining])
  })
})

test('validators who join between the beacon of an epoch and its start count from the next epoch on', async () => {
  await begin(4, 1)
  const beaconAt = beaconTargetTime(testEpoch, epochSecs, defaultNetworkParams)
  await setValidators(known([...before, ...coming]), { effectiveAt: beaconAt + 1 })
  const { validators } = services(env)
  const found = [
    await validators.ofEpoch(testEpoch, epochSecs),
    await validators.ofSet(rounds.projectId, testEpoch),
    await validators.ofEpoch(testEpoch + 1, epochSecs),
  ]
  expect(found.map((one) => one?.document.generation)).toEqual([0, 0, 1])
  await expectFinalBy(await missedRound(), before)
  expect(asked(coming)).toEqual([0])
})

describe('keys that end in the middle of an epoch', () => {
  beforeEach(() => begin(4, 2))

  test('one: the others decide, its validator is not asked, and its earlier signatures stay valid', async () => {
    const early = await missedRound()
    const [ended, ...others] = before as [SimulatedValidator, ...SimulatedValidator[]]
    await endKey(ended)
    const late = await missedRound()
    await expectFinalBy(late, others)
    expect(asked([ended])).toEqual([1])
    const votes = (await fileOf(late)).finality_votes
    const forged = createFinalityVote(profile, ended.node.key, votes[0]!.finality)
    const [[evidence], [earlier]] = [await evidenceOf(late), await evidenceOf(early)]
    await expectRefusal(postWithVotes(evidence!, [...votes.slice(0, 2), forged]), '422 invalid_evidence')
    // The very record that was final before.
    const all = (await fileOf(early)).finality_votes
    expect((await postWithVotes(earlier!, all)).status).toBe(201)
  })

  test('two: nothing becomes final until an emergency generation starts; earlier final results stay', async () => {
    const early = await missedRound()
    const earlyFile = await fileOf(early)
    await endKey(before[0]!)
    await endKey(before[1]!)
    const stuck = await missedRound()
    expect(await stateOf(stuck)).not.toBe('finalized')
    // Another record about the round that was final, signed now by the two validators that are left, who are not a quorum.
    const other = { ...earlyFile.finality!, voters: [] }
    expect(hashFinality(other)).not.toBe(hashFinality(earlyFile.finality!))
    const signedBy = (some: readonly SimulatedValidator[]) =>
      some.map(({ node }) => createFinalityVote(profile, node.key, other))
    const [recorded] = await evidenceOf(early)
    await expectRefusal(postWithVotes(recorded!, signedBy(before.slice(2))), '422 invalid_evidence')
    const staying = [...before.slice(2), ...coming]
    const wholeAt = await networkNow()
    await setValidators(known(staying), { effectiveAt: 0, wholeAt })
    await rounds.passTime(10)
    await rounds.tick(stuck)
    await expectFinalBy(stuck, staying)
    // Its offences are recorded now, by those who made it final.
    await runSql('INSERT INTO round_offences VALUES (?, 0, 0)', early)
    const [evidence, ...more] = await evidenceOf(early)
    expect([evidence?.kind, more]).toEqual(['missed_sla', []])
    expect((await evidenceOf(stuck)).map(({ kind }) => kind)).toEqual(['missed_sla'])
    // Another record that the earlier keys sign now proves nothing either.
    await expectRefusal(postWithVotes(evidence!, signedBy(before)), '422 invalid_evidence')
  })
})

import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nextReputation } from '../../protocol/actions/index.ts'
import { hashText } from '../../protocol/encoding/index.ts'
import { defaultNetworkParams } from '../../protocol/identity/index.ts'
import { services } from '../services.ts'
import { NetworkFiguresStore } from '../stores/network-figures.ts'
import { createMembers, type Member } from '../test/attested-set.ts'
import { networkNow } from '../test/callers.ts'
import { createValidators } from '../test/evidence.ts'
import {
  publishRound,
  publishSimulated,
  right,
  type SimulatedRound,
  simulateRound,
} from '../test/final-rounds.ts'
import { rowOf, runSql } from '../test/tables.ts'
import { findPublished } from './find-round.ts'

const validators = await createValidators(4)
const members = await createMembers(4)
const issuedAt = await networkNow()

const subscription = async ({ subscriptionId }: Member) => {
  const found = await services(env).subscriptions.find(subscriptionId)
  if (found === null) throw new Error('there is no subscription')
  const { reputation, creditedRounds, missedLeases, disagreements, lastProofAt } = found
  return { reputation, creditedRounds, missedLeases, disagreements, lastProofAt }
}

const publish = (given: Partial<SimulatedRound>) =>
  publishRound({ members, deeds: members.map(() => right), validators, issuedAt, ...given })

const setReputation = (reputation: number) => runSql('UPDATE subscriptions SET reputation = ?', reputation)

/** Everything that rounds are counted in. */
async function everything(): Promise<string> {
  const tables = [
    'subscriptions',
    'leases',
    'rounds',
    'epoch_rounds',
    'epoch_credits',
    'proof_hours',
    'network_hours',
    'modules',
    'round_offences',
  ]
  const found = await env.DB.batch(
    tables.map((table) => env.DB.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`)),
  )
  return JSON.stringify(found.map(({ results }) => results))
}

describe('a round that is final', () => {
  test('credits members that were right, and blames those that were wrong, late, invalid or absent', async () => {
    const [a, b, c, d] = members as [Member, Member, Member, Member]
    const before = await Promise.all(members.map(subscription))
    const { round } = await publish({
      deeds: [right, ['wrong'], 'invalid_vote', 'missed'],
      primaries: 3,
      audit: 'right',
      gasUsed: 2_500_000,
    })
    expect(await subscription(a)).toEqual({
      ...before[0],
      reputation: 5_025,
      creditedRounds: 1,
      lastProofAt: round.finalizedAt,
    })
    expect(await subscription(b)).toEqual({ ...before[1], reputation: 4_000, disagreements: 1 })
    expect(await subscription(c)).toEqual({ ...before[2], reputation: 4_750, missedLeases: 1 })
    // A backup that does not vote breaks no promise.
    expect(await subscription(d)).toEqual(before[3])
    const { leases } = (await findPublished(services(env), round.roundId))!
    expect(
      leases.map(({ state, proofStatus, rejectionReason, units }) => [
        state,
        proofStatus,
        rejectionReason,
        units,
      ]),
    ).toEqual([
      ['finalized', 'verified', null, 3],
      ['finalized', 'rejected', 'disagreed', 0],
      ['missed', 'rejected', 'invalid_vote', 0],
      ['missed', null, null, null],
    ])
  })

  test('changes nothing if its batch comes again', async () => {
    const given = simulateRound({
      members,
      deeds: [right, right, ['wrong'], 'missed'],
      audit: 'right',
      validators,
      issuedAt,
    })
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => publishSimulated(given)))
    expect(outcomes.sort()).toEqual(['over', 'over', 'over', 'over', 'written'])
    const after = await everything()
    expect(await publishSimulated(given)).toBe('over')
    expect(await everything()).toBe(after)
  })

  test('with equivocators costs them one reputation step for each wrong vote', async () => {
    await setReputation(5_000)
    const [a, b, c] = members as [Member, Member, Member]
    await publish({
      deeds: [['right', 'wrong'], ['wrong', 'worse'], right, right],
      audit: 'right',
      afterwards: { 2: 'worse' },
    })
    expect((await subscription(a)).reputation).toBe(4_000)
    expect((await subscription(b)).reputation).toBe(3_000)
    // Credited for its first vote, and blamed for its second.
    expect((await subscription(c)).reputation).toBe(4_025)
  })

  test('law: reputation changes by the steps of the protocol, and is clamped after each step', async () => {
    const [member] = members as [Member]
    const deeds = fc.constantFrom<SimulatedRound['deeds'][number]>(right, ['wrong'], 'missed', 'late')
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1_000, max: 10_000 }),
        fc.array(deeds, { minLength: 1, maxLength: 4 }),
        async (first, all) => {
          await setReputation(first)
          let expected = first
          for (const deed of all) {
            await publish({ members: [member], deeds: [deed], audit: 'right' })
            const step = deed === right ? 'credited' : Array.isArray(deed) ? 'disagreed' : 'missed_lease'
            expected = nextReputation(expected, step, defaultNetworkParams)
          }
          expect((await subscription(member)).reputation).toBe(expected)
        },
      ),
      { numRuns: 12 },
    )
  })

  test('does not affect a subscription that was created again after its task', async () => {
    const [fresh, ...others] = await createMembers(3)
    await runSql(
      'UPDATE subscriptions SET created_at = ? WHERE subscription_id = ?',
      issuedAt + 1,
      fresh?.subscriptionId,
    )
    await publish({ members: [fresh as Member, ...others], deeds: [right, right, right] })
    expect(await subscription(fresh as Member)).toMatchObject({ creditedRounds: 0, lastProofAt: null })
    for (const one of others) expect(await subscription(one)).toMatchObject({ creditedRounds: 1 })
  })

  test('counts for its module, epoch, recipients and hour', async () => {
    const shared = `0x${'5a'.repeat(20)}`
    const [first, ...others] = await createMembers(3)
    const sharing = [first as Member, ...others.map((one) => ({ ...one, payout: shared }))]
    const { projectId } = first as Member
    const module_address = hashText('counted module')
    await runSql(
      `INSERT INTO modules (manifest_address, sha256, name, language, functions, manifest, hbc_size, stateless, uploader,
        deployed_at) VALUES (?, '', 'counted', 'wat', '[]', '{}', 1, 1, '', 1)`,
      module_address,
    )
    const network = await services(env).store(NetworkFiguresStore).read(0)
    const given = { members: sharing, task: { module_address }, primaries: 2 }
    await publish({ ...given, deeds: [right, right, right], gasUsed: 1_500_000, lastedSecs: 9 })
    await publish({ ...given, deeds: [right, 'missed', right], lastedSecs: 3 })
    await publish({ ...given, deeds: [right, right, right], state: 'failed' })
    await publish({ ...given, members: [], deeds: [], fallback: first as Member, lastedSecs: 5 })
    const epoch = Math.floor(issuedAt / 3_600)
    expect(await services(env).epochRounds.counts(projectId, epoch)).toEqual({
      rounds: 4,
      finalized: 3,
      fallback: 1,
      primaries: 4,
      answered: 3,
      medianFinalityMs: 5_000,
    })
    expect(await services(env).epochRounds.roundsOf(projectId, epoch)).toEqual(
      new Map([
        [first?.owner.address, 2],
        [shared, 2],
      ]),
    )
    expect((await services(env).modules.find(module_address))?.execCount).toBe(3)
    const { rounds, finalized, units } = await services(env).store(NetworkFiguresStore).read(0)
    expect([rounds - network.rounds, finalized - network.finalized, units - network.units]).toEqual([4, 3, 8])
  })
})

test('that failed credits and blames nobody, and leaves no proofs', async () => {
  const before = await Promise.all(members.map(subscription))
  const { round } = await publish({ deeds: [right, ['wrong'], 'missed', 'invalid_vote'], state: 'failed' })
  expect(await Promise.all(members.map(subscription))).toEqual(before)
  const { leases } = (await findPublished(services(env), round.roundId))!
  expect(leases.map(({ state, proofStatus, units }) => [state, proofStatus, units])).toEqual([
    ['cancelled', null, null],
    ['cancelled', null, null],
    ['cancelled', null, null],
    ['cancelled', null, null],
  ])
  expect(await rowOf('SELECT 1 FROM round_offences WHERE round_id = ?', round.roundId)).toBeNull()
})

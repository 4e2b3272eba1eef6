import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { FakeChain } from '../../durable-objects/testing/fake-chain.ts'
import type { EpochReceipt } from '../../protocol/earnings/index.ts'
import { defaultNetworkParams } from '../../protocol/identity/index.ts'
import { loggedBy } from '../events/testing/logged.ts'
import { services } from '../services.ts'
import { attestSet, buildSets, createMembers, type Member } from '../test/attested-set.ts'
import type { TestNode } from '../test/callers.ts'
import { bodyOf, client, itemsOf, runSchedule } from '../test/client.ts'
import { createValidators, miner, readProject, submitReceipt } from '../test/epochs.ts'
import { publishRound, right } from '../test/final-rounds.ts'
import type { Happening, IndexedHistory } from '../test/indexed-history.ts'
import { runSql } from '../test/tables.ts'

const hour = 3_600
/** In the next hours, so that no alarm of these tests is due by the clock of the machine. */
const epoch = Math.floor(Date.now() / 1000 / hour) + 2
const submittedAt = (epoch + 1) * hour + 600
const releaseAt = submittedAt + hour
const shared = miner(0x5a)
const fortune = String(10n ** 30n)

let validators: TestNode[]
let history: IndexedHistory
/** Projects of three nodes, of which two are paid to one address; each test takes one. */
let projects: Member[][]

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.setSystemTime((epoch * hour + 1_000) * 1_000)
  validators = await createValidators(4)
  projects = []
  for (let i = 0; i < 6; i++) {
    const [first, ...others] = await createMembers(3)
    projects.push([first as Member, ...others.map((one) => ({ ...one, payout: shared }))])
  }
  history = await buildSets(projects.flat(), epoch)
  for (const [one] of projects) await attestSet(one?.projectId ?? '', epoch, validators)
})
beforeEach(() => {
  new FakeChain().install()
  vi.setSystemTime(submittedAt * 1_000)
})

/** Appends a block; all of them final unless a number says otherwise. */
const append = async (happenings: readonly Happening[], final?: number, after = submittedAt) => {
  const number = (history.blocks.at(-1)?.number ?? 0) + 1
  await history.append(after + number, happenings, final ?? number)
}

/** Runs the schedule as if all pauses were over. */
async function schedule(): Promise<void> {
  await runSql("UPDATE hub_actions SET next_attempt_at = 1 WHERE state = 'open'")
  await runSchedule()
}

/** Lets the challenge period pass, on the chain too. */
async function release(final?: number): Promise<void> {
  vi.setSystemTime((releaseAt + 120) * 1_000)
  await append([], final, releaseAt + 120)
  await schedule()
}

type Json = Record<string, unknown>

/**
 * A project with an open and funded vault, and the receipt of an epoch: 3 rounds of all nodes, of which two are paid
 * together, and a round without a committee.
 */
async function createPaying() {
  const members = projects.pop() as [Member, Member, Member]
  const [alone, ...together] = members
  const issuedAt = epoch * hour + 100
  for (const lastedSecs of [2, 4, 9])
    await publishRound({ members, deeds: [right, right, right], validators, issuedAt, lastedSecs })
  await publishRound({ members: [], deeds: [], fallback: alone, validators, issuedAt, lastedSecs: 10 })
  const { projectId } = alone
  const project = await readProject(projectId)
  const { vault, reward_token: token, daily_emission } = project.consensus.economics
  await append([
    {
      name: 'VaultCreated',
      args: {
        projectId,
        vault,
        developer: miner(1),
        token,
        epochSecs: String(hour),
        epochCap: daily_emission,
      },
    },
    { name: 'VaultFunded', contract: vault, args: { amount: fortune, from: miner(1) } },
  ])
  const credited = [
    { miner: alone.owner.address, units: 3 },
    { miner: shared, units: 6 },
  ].sort((a, b) => (a.miner < b.miner ? -1 : 1))
  const receipt = await submitReceipt(project, { epoch, units: credited, by: validators })
  const get = (path: string) => bodyOf<Json>(client().get(path))
  return {
    projectId,
    receipt,
    alone,
    together,
    stats: () => get(`/v1/projects/${projectId}/stats?period=all`),
    miners: async () => (await get(`/v1/projects/${projectId}/miners`)).items,
    node: ({ subscriptionId }: Member) => get(`/v1/subscriptions/${subscriptionId}`),
    listed: () => get(`/v1/projects/${projectId}`),
  }
}

const event = (
  name: Happening['name'],
  { vault_address: contract, round }: EpochReceipt,
  args: object = {},
) => ({ name, contract, args: { epoch: String(round), ...args } })
const posted = (receipt: EpochReceipt, change: object = {}): Happening => {
  const { merkle_root: merkleRoot, receipt_hash: receiptHash, totals } = receipt
  const { miner: miners, developer, treasury } = totals
  return event('EpochPosted', receipt, {
    ...{ merkleRoot, receiptHash, miner: miners, developer, treasury, releaseAt: String(releaseAt) },
    ...change,
  })
}

const uncounted = { rounds: 0, units: 0, paid_to_miners: '0', miners_active: 0 }
/** Rounds count for who voted in them when they are final, whatever becomes of their epoch. */
const credited = { credited_rounds: 3, reputation: defaultNetworkParams.reputation_initial + 75 }

describe('an epoch', () => {
  test('counts in figures and lists once it is settled, and only once', async () => {
    const { projectId, receipt, alone, together, stats, miners, node, listed } = await createPaying()
    await append([posted(receipt)])
    await schedule()
    expect(await stats()).toMatchObject(uncounted)
    expect(await node(alone)).toMatchObject(credited)

    for (let i = 0; i < 3; i++) await release()
    expect(await services(env).hubActions.find('post_epoch', subjectOf(receipt))).toMatchObject({
      state: 'done',
    })
    const amountOf = (address: string) => receipt.compute_units.find((one) => one.miner === address)?.amount
    expect(await stats()).toMatchObject({
      miners_subscribed: 3,
      miners_active: 2,
      rounds: 4,
      rounds_finalized: 4,
      rounds_fallback: 1,
      units: 9,
      median_finality_ms: 4_000,
      uptime_bp: 10_000,
      paid_to_miners: receipt.totals.miner,
      growth_bp: 10_000,
    })
    // Each device has its own units; what the two that share a payout address have counts once for that.
    expect(await miners()).toHaveLength(3)
    const earned = (address: string) => BigInt(amountOf(address) ?? 0)
    expect(await node(alone)).toMatchObject({
      ...{ units_total: 3, leases_completed: 3, uptime_bp: 10_000 },
      earned_total: String(earned(alone.owner.address)),
    })
    for (const one of together)
      expect(await node(one)).toMatchObject({ units_total: 3, earned_total: String(earned(shared) / 2n) })
    for (const one of [alone, ...together]) expect(await node(one)).toMatchObject(credited)
    const average = String(BigInt(receipt.totals.miner) / 14n)
    expect(await listed()).toMatchObject({ miners: 3, avg_daily_reward_per_miner: average })
    for (const sort of ['earnings', 'miners', 'trending']) {
      const items = await itemsOf(client().get(`/v1/projects?sort=${sort}`))
      expect(items[0], sort).toMatchObject({ project_id: projectId, avg_daily_reward_per_miner: average })
    }
  })

  test('that was vetoed counts once, after it is posted again', async () => {
    const { receipt, alone, stats, node } = await createPaying()
    await append([posted(receipt, { merkleRoot: `0x${'0f'.repeat(32)}` })])
    await append([event('EpochVetoed', receipt, { merkleRoot: `0x${'0f'.repeat(32)}` })])
    await release()
    expect(await stats()).toMatchObject(uncounted)
    await append([event('EpochReopened', receipt)])
    await append([posted(receipt)])
    for (let i = 0; i < 2; i++) await release()
    expect(await stats()).toMatchObject({ rounds: 4, units: 9, paid_to_miners: receipt.totals.miner })
    expect(await node(alone)).toMatchObject(credited)
  })

  test('does not count before its challenge period is indexed: a veto may be in a block that the index lacks', async () => {
    const { receipt, stats } = await createPaying()
    await append([posted(receipt)])
    vi.setSystemTime((releaseAt + 120) * 1_000)
    await schedule()
    const action = () => services(env).hubActions.find('post_epoch', subjectOf(receipt))
    expect(await action()).toMatchObject({ state: 'open' })
    await append([event('EpochVetoed', receipt, { merkleRoot: receipt.merkle_root })])
    await release()
    expect(await action()).toMatchObject({ state: 'open', lastError: expect.stringContaining('vetoed') })
    expect(await stats()).toMatchObject(uncounted)
    await append([event('EpochReopened', receipt)])
    await append([posted(receipt)])
    for (let i = 0; i < 2; i++) await release()
    expect(await stats()).toMatchObject({ rounds: 4, units: 9, paid_to_miners: receipt.totals.miner })
  })

  test('is told to its recipients once, when its challenge period is indexed: a veto may be in a block that the index lacks', async () => {
    const { receipt } = await createPaying()
    const told = async (cause: () => Promise<unknown>) =>
      (await loggedBy(cause)).filter(
        ({ type, project_id }) => type === 'payout.claimable' && project_id === receipt.project_id,
      )
    const late = async () => {
      await append([posted(receipt)])
      vi.setSystemTime((releaseAt + 120) * 1_000)
      await schedule()
    }
    expect(await told(late)).toEqual([])
    await append([event('EpochVetoed', receipt, { merkleRoot: receipt.merkle_root })])
    expect(await told(release)).toEqual([])
    await append([event('EpochReopened', receipt), posted(receipt)])
    expect(await told(release)).toHaveLength(receipt.compute_units.length)
    expect(await told(release)).toEqual([])
  })

  test('whose posting a reorganisation removes counts once, after it is posted again', async () => {
    const { receipt, alone, stats, node } = await createPaying()
    const final = history.blocks.at(-1)?.number ?? 0
    await append([posted(receipt)], final)
    await release(final)
    expect(await stats()).toMatchObject(uncounted)
    await history.rollback(final)
    await release()
    expect(await stats()).toMatchObject(uncounted)
    await append([posted(receipt)])
    for (let i = 0; i < 2; i++) await release()
    expect(await stats()).toMatchObject({ rounds: 4, units: 9 })
    expect(await node(alone)).toMatchObject(credited)
  })

  test('counts once if two schedules process it at the same time', async () => {
    const { receipt, stats } = await createPaying()
    await append([posted(receipt)])
    await schedule()
    await Promise.all([release(), release(), release()])
    expect(await stats()).toMatchObject({ rounds: 4, units: 9 })
  })
})

const subjectOf = ({ vault_address, round }: EpochReceipt) => `${vault_address}:${round}`

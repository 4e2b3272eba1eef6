import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Cursor } from '../../durable-objects/indexer/index-store.ts'
import { FakeChain } from '../../durable-objects/testing/fake-chain.ts'
import { quorum } from '../../protocol/committees/index.ts'
import type { Task } from '../../protocol/rounds/index.ts'
import type { Evidence } from '../../protocol/slashing/index.ts'
import { services } from '../services.ts'
import {
  attestSet,
  buildSets,
  createMembers,
  type Member,
  requireSet,
  seatedOf,
} from '../test/attested-set.ts'
import type { TestNode } from '../test/callers.ts'
import { bodyOf, client, errorOf, runSchedule } from '../test/client.ts'
import { createValidators, miner, readProject, submitReceipt } from '../test/epochs.ts'
import { accusationsOf } from '../test/evidence.ts'
import { publishRound } from '../test/final-rounds.ts'
import type { IndexedHistory } from '../test/indexed-history.ts'
import { runSql } from '../test/tables.ts'

/** In the next hours, so that no alarm of these tests is due by the clock of the machine. */
const epoch = Math.floor(Date.now() / 3_600_000) + 2
const start = epoch * 3_600
/** When the project becomes underfunded, and when it is funded again. */
const [emptyAt, fundedAt] = [start + 1_000, start + 2_000]

let validators: TestNode[]
let history: IndexedHistory
let members: Member[]
let few: Member[]

const at = (time: number) => vi.setSystemTime(time * 1_000)

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  at(start + 100)
  validators = await createValidators(4)
  members = await createMembers(3)
  few = await createMembers(2)
  history = await buildSets([...members, ...few], epoch)
  for (const [one] of [members, few]) await attestSet(one?.projectId ?? '', epoch, validators)
})
beforeEach(() => {
  new FakeChain().install()
})

/** That a member did not vote for a task that was issued at a time, by a record with or without voters. */
async function missedVote(issuedAt: number, voters: 'voters' | 'no voters', of = members): Promise<Evidence> {
  const [accused, ...others] = of as [Member, Member, Member]
  const { projectId } = accused
  const { setHash } = await requireSet(projectId, epoch)
  const { createTask, evidence, finality, record } = accusationsOf(accused)
  const task = createTask({ set_hash: setHash, issued_at: issuedAt })
  const voted = others
    .map(({ device, owner }) => ({ public_key: device.publicKey, payout_address: owner.address }))
    .sort((a, b) => (a.public_key < b.public_key ? -1 : 1))
  const decided = record(task, 'right', { audited: true, voters: voters === 'voters' ? voted : [] })
  const byKey = validators.toSorted((a, b) => (a.publicKey < b.publicKey ? -1 : 1))
  return evidence('missed_sla', task, { task, finality: finality(byKey.slice(0, quorum(4)), decided) })
}

const post = async (evidence: Evidence) => client().post('/v1/slashes', evidence)
const accept = async (evidence: Evidence) => expect((await post(evidence)).status).toBe(201)
const refuse = async (evidence: Evidence, rule: string) =>
  expect(await errorOf(post(evidence))).toMatchObject({
    status: 422,
    error: 'invalid_evidence',
    message: expect.stringContaining(rule),
  })

async function listingStatus(): Promise<unknown> {
  const response = await client().get(`/v1/projects/${members[0]?.projectId}`)
  return (await bodyOf(response)).listing_status
}

/** Attests an epoch of the project that its vault, which is not open, cannot pay. */
async function empty(): Promise<void> {
  at(emptyAt)
  const project = await readProject(members[0]?.projectId ?? '')
  await submitReceipt(project, { by: validators })
  expect(await listingStatus()).toBe('underfunded')
}

/** Opens and funds the vault, which the schedule then sees. */
async function fund(): Promise<void> {
  at(fundedAt)
  const { projectId, consensus } = await readProject(members[0]?.projectId ?? '')
  const { vault, reward_token: token, daily_emission: epochCap } = consensus.economics
  const { number = 0 } = history.blocks.at(-1) ?? {}
  const developer = miner(1)
  // Older than the epoch that waits.
  await history.append(
    1,
    [
      { name: 'VaultCreated', args: { projectId, vault, developer, token, epochSecs: '3600', epochCap } },
      { name: 'VaultFunded', contract: vault, args: { amount: String(10n ** 30n), from: developer } },
    ],
    number + 1,
  )
  await runSql("UPDATE hub_actions SET next_attempt_at = 1 WHERE state = 'open'")
  await runSchedule()
  expect(await listingStatus()).toBe('listed')
}

test('a project counts as paying during a reindex, and is judged by its vault once the vault is indexed', async () => {
  const [one] = await createMembers(1)
  const { projectId = '' } = one ?? {}
  const status = async () => (await bodyOf(client().get(`/v1/projects/${projectId}`))).listing_status
  const { chainIndex } = services(env)
  const tip = await chainIndex.cursor()
  await runSql('UPDATE chain_cursor SET is_behind = 1')
  const project = await readProject(projectId)
  const receipt = await submitReceipt(project, { by: validators })
  const shown = () => bodyOf(client().get(`/v1/explorer/epochs/${projectId}/${receipt.round}`))
  expect(await shown()).toMatchObject({
    status: 'attested',
    settlement: { status: 'queued', error: expect.stringContaining('not reached the head of the chain') },
  })
  expect(await status()).toBe('listed')
  await chainIndex.finalize(tip as Cursor, (tip as Cursor).final)
  await runSql("UPDATE hub_actions SET next_attempt_at = 1 WHERE state = 'open'")
  await runSchedule()
  expect(await shown()).toMatchObject({ status: 'underfunded' })
  expect(await status()).toBe('underfunded')
})

describe('a round without voters', () => {
  test('has the kind that the hub recorded for it, whether its project paid then or not', async () => {
    const known = async (issuedAt: number, isFallback: boolean) => {
      const evidence = await missedVote(issuedAt, 'no voters')
      const { task } = evidence.proof as { task: Task }
      const [first] = members as [Member]
      await publishRound({
        ...(isFallback ? { members: [], fallback: first } : { members, audit: 'right' }),
        ...{ deeds: [], validators, issuedAt, task },
      })
      return evidence
    }
    await accept(await known(start + 100, false))
    await empty()
    await accept(await known(emptyAt + 20, false))
    await refuse(await known(emptyAt + 10, true), 'the round was a fallback')
    await refuse(await missedVote(emptyAt + 10, 'voters'), 'no record of the round')
    await fund()
    await refuse(await known(fundedAt + 20, true), 'the round was a fallback')
  })

  test('has no primary if its set has too few members to draw', async () => {
    const evidence = await missedVote(start + 100, 'no voters', few)
    const { task } = evidence.proof as { task: Parameters<typeof seatedOf>[0] }
    expect((await seatedOf(task)).seats).toEqual([])
    await refuse(evidence, 'the node is not a primary of the task')
  })
})

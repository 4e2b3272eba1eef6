import { env } from 'cloudflare:workers'
import { encodeErrorResult } from 'viem'
import { beforeEach, expect, test } from 'vitest'
import { contractErrorsAbi } from '../../contracts/generated/errors.ts'
import { unixNow } from '../../durable-objects/clock.ts'
import { FakeChain } from '../../durable-objects/testing/fake-chain.ts'
import { readSettings } from '../env.ts'
import { bringHubAction } from '../outbox/hub-actions.ts'
import { services } from '../services.ts'
import { openDatabase } from '../stores/database.ts'
import { HubMetricsStore } from '../stores/hub-metrics.ts'
import { signIn } from '../test/callers.ts'
import { countedDatabase } from '../test/counted-database.ts'
import { createProject, createValidators, indexPosted, indexState, submitReceipt } from '../test/epochs.ts'
import { emptyTables, rowsOf, runSql } from '../test/tables.ts'
import { lookForAlarms } from './look.ts'

const refusal = encodeErrorResult({
  abi: contractErrorsAbi,
  errorName: 'UnknownProject',
  args: [`0x${'0f'.repeat(32)}`],
})
const operator = await signIn()
const hub = { ...env, OPERATOR_ADDRESSES: operator.address }
const factory = readSettings(env).CHAIN_CONTRACTS?.vault_factory ?? ''
const validators = await createValidators(4)

let chain: FakeChain
beforeEach(async () => {
  chain = new FakeChain().install()
  chain.revert = refusal
  await emptyTables('epoch_receipts', 'hub_actions', 'chain_states', 'hub_alarms')
})

/** A receipt of a project whose vault is open. @param funded - What it has to pay with. */
async function submit(funded = 10n ** 30n) {
  const project = await createProject()
  const { vault, reward_token: token } = project.consensus.economics
  await indexState('vault', vault, { token, created_at: '0', funded: String(funded) })
  return submitReceipt(project, { by: validators })
}
type Receipt = Awaited<ReturnType<typeof submit>>

const attempt = async ({ vault_address, round }: Receipt, times = 1) => {
  for (let i = 0; i < times; i++) await bringHubAction(env, 'post_epoch', `${vault_address}:${round}`)
}
const look = (now = unixNow()) => lookForAlarms(services(hub), readSettings(hub), now)
/** The message of the alarm, if there is one. */
const alarm = async (now?: number) => {
  await look(now)
  const rows = await rowsOf<{ message: string }>(
    "SELECT message FROM hub_alarms WHERE name = 'posting_failing'",
  )
  return rows[0]?.message ?? null
}
const messageAbout = ({ project_id, round }: Receipt) =>
  `Epochs cannot be posted: ${project_id} in epoch ${round}.`

test('an epoch whose posting the chain refuses is an alarm after the fourth attempt, until the chain has it', async () => {
  const receipt = await submit()
  await attempt(receipt, 2)
  expect(await rowsOf('SELECT attempts FROM hub_actions')).toEqual([{ attempts: 3 }])
  expect(await alarm()).toBeNull()
  await attempt(receipt)
  expect(await alarm()).toBe(messageAbout(receipt))
  await indexPosted(receipt, unixNow() + 60)
  expect(await alarm()).toBeNull()
})

test('an epoch that nobody tries to post is an alarm after an hour', async () => {
  const receipt = await submit()
  await runSql('UPDATE hub_actions SET attempts = 0, last_error = NULL')
  await runSql("UPDATE epoch_receipts SET state = 'attested', settlement = 'queued', error = NULL")
  const accepted = unixNow()
  expect(await alarm(accepted + 3_500)).toBeNull()
  expect(await alarm(accepted + 3_700)).toBe(messageAbout(receipt))
})

test('an epoch that waits for its vault, a pause or a veto raises no alarm, however long and whatever was tried before', async () => {
  const short = await submit(0n)
  const paused = await submit()
  const vetoed = await submit()
  await attempt(paused, 4)
  await indexState('posting', factory, { paused: true, paused_until: unixNow() + 600 })
  await indexState('epoch', `${vetoed.vault_address}:${vetoed.round}`, { vetoed: true, reopened: false })
  for (const receipt of [short, paused, vetoed]) await attempt(receipt)
  expect(await alarm(unixNow() + 30 * 86_400)).toBeNull()
})

test('an epoch that operators gave up raises no alarm', async () => {
  const receipt = await submit()
  await attempt(receipt, 4)
  expect(await alarm()).toBe(messageAbout(receipt))
  await runSql("UPDATE hub_actions SET state = 'closed'")
  expect(await alarm()).toBeNull()
})

test('the question costs the same however many epochs are posted or wait', async () => {
  const rowsRead = async () => {
    const { db, use } = countedDatabase()
    const { unposted } = await new HubMetricsStore(openDatabase(db)).counts(unixNow() + 86_400)
    expect(unposted).toEqual([])
    return use.rowsRead
  }
  const before = await rowsRead()
  expect(before).toBeLessThan(10)
  for (let i = 0; i < 3; i++) {
    await indexPosted(await submit(), unixNow() + 60)
    await submit(0n)
  }
  expect(await rowsRead()).toBe(before)
  // All epochs are taken back until they are read again.
  await services(env).chainIndex.forget({ operator: operator.address, reason: null }, unixNow())
  expect(await rowsOf("SELECT DISTINCT state FROM epoch_receipts WHERE state <> 'underfunded'")).toEqual([
    { state: 'attested' },
  ])
  expect(await rowsRead()).toBe(before)
})

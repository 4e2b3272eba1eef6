import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { encodeErrorResult } from 'viem'
import { beforeEach, describe, expect, test } from 'vitest'
import { contractErrorsAbi } from '../../contracts/generated/errors.ts'
import { FakeChain } from '../../durable-objects/testing/fake-chain.ts'
import { services } from '../services.ts'
import type { HubActionKind } from '../stores/hub-actions.ts'
import { runSchedule } from '../test/client.ts'
import { createProject, createValidators, indexState, submitReceipt } from '../test/epochs.ts'
import { emptyTables, rowOf, runSql, scalarOf } from '../test/tables.ts'

const noFees = encodeErrorResult({ abi: contractErrorsAbi, errorName: 'NoFees', args: [7n] })
const dayMinutes = 24 * 60
const validators = await createValidators(4)

const chain = new FakeChain()
beforeEach(async () => {
  chain.install()
  chain.received.length = 0
  await emptyTables('epoch_receipts', 'hub_actions', 'chain_states', 'dead_letters')
})

let epochs = 0
/** A wish about another epoch, which the contract has refused so often, in its blocks. */
const want = (kind: HubActionKind, reverts = 0) =>
  runSql(
    `INSERT INTO hub_actions (kind, subject, wanted, revision, state, attempts, next_attempt_at, wanted_at)
     VALUES (?, ?, ?, 1, 'open', 0, 1, 1)`,
    ...[
      kind,
      `0x${'a7'.repeat(20)}:${epochs++}`,
      JSON.stringify(reverts > 0 ? { reverts: String(reverts) } : {}),
    ],
  )
const later = async () => {
  await runSql('UPDATE hub_actions SET next_attempt_at = 1')
  await runSchedule()
}
/** The transaction that was sent last reverts in its block. */
const revert = async () => {
  chain.minedRevert = noFees
  chain.mine()
  await runDurableObjectAlarm(env.RELAYER.getByName(`31337:${services(env).relayer?.signer}`))
  chain.minedRevert = null
}
const dueInMinutes = async () =>
  Math.round((Number(await scalarOf('SELECT next_attempt_at FROM hub_actions')) - Date.now() / 1000) / 60)

describe('a transaction of the hub that reverts', () => {
  test('is sent again soon if the attempts before it reached no contract', async () => {
    await want('pay_fees')
    chain.down = true
    for (let attempts = 0; attempts < 13; attempts++) await later()
    expect(chain.received).toEqual([])
    expect(await dueInMinutes()).toBe(dayMinutes)
    chain.down = false
    await later()
    await revert()
    await later()
    expect(chain.received).toHaveLength(2)
  })

  test('pays no fees any more after twelve of them, until an operator resends it', async () => {
    await want('pay_fees', 11)
    await later()
    await revert()
    await later()
    expect(chain.received).toHaveLength(1)
    expect(await dueInMinutes()).toBeGreaterThan(100 * 365 * dayMinutes)
  })

  test('leaves its project listed, and its epoch reverted, once the vault is funded', async () => {
    const project = await createProject()
    const { vault, reward_token: token } = project.consensus.economics
    const fund = (funded: bigint) =>
      indexState('vault', vault, { token, created_at: '0', funded: String(funded) })
    await fund(10n ** 30n)
    await submitReceipt(project, { by: validators })
    await runSql("UPDATE hub_actions SET wanted = json_set(wanted, '$.reverts', '7')")
    await revert()
    const shown = async () => [
      await scalarOf('SELECT listing_status FROM projects WHERE project_id = ?', project.projectId),
      await rowOf('SELECT state, settlement, error FROM epoch_receipts'),
    ]
    await fund(0n)
    await later()
    expect(await shown()).toMatchObject(['underfunded', { state: 'underfunded', settlement: 'queued' }])
    await fund(10n ** 30n)
    await later()
    expect(await shown()).toEqual([
      'listed',
      { state: 'attested', settlement: 'reverted', error: expect.stringContaining('NoFees') },
    ])
    expect(chain.received.filter(({ to }) => to === vault)).toHaveLength(1)
    const rest = "SELECT next_attempt_at FROM hub_actions WHERE kind = 'post_epoch'"
    expect(Math.round((Number(await scalarOf(rest)) - Date.now() / 1000) / 60)).toBe(dayMinutes)
  })
})

import { env } from 'cloudflare:workers'
import { type Abi, decodeFunctionData, type Hex } from 'viem'
import { beforeEach, describe, expect, test } from 'vitest'
import { projectVaultAbi, vaultFactoryAbi } from '../../../contracts/generated/contracts.ts'
import { unixNow } from '../../../durable-objects/clock.ts'
import { FakeChain } from '../../../durable-objects/testing/fake-chain.ts'
import { readSettings } from '../../env.ts'
import { bringHubAction } from '../../outbox/hub-actions.ts'
import { services } from '../../services.ts'
import { createOperator } from '../../test/callers.ts'
import { bodyOf, client, expectRefusal, statusAndBody } from '../../test/client.ts'
import { createProject, indexState, type TestProject } from '../../test/epochs.ts'
import { emptyTables, runSql } from '../../test/tables.ts'

const chain = new FakeChain()

let operator: Awaited<ReturnType<typeof createOperator>>
let project: TestProject
beforeEach(async () => {
  chain.install()
  chain.received.length = 0
  await emptyTables('hub_actions', 'chain_states')
  operator = await createOperator()
  project = await createProject()
})

const epochPath = (action: string, projectId = project.projectId) =>
  `/admin/v1/epochs/${projectId}/${project.lastEpoch}/${action}`
const post = (path: string) => operator.client.post(path, { reason: 'A test.' })
const subject = () => `${project.consensus.economics.vault}:${project.lastEpoch}`
const index = (state: object) => indexState('epoch', subject(), { release_at: unixNow() + 60, ...state })
/** The function of the transaction that was sent first. */
const functionSent = (abi: Abi) =>
  decodeFunctionData({ abi, data: chain.received[0]?.data as Hex }).functionName
const factory = readSettings(env).CHAIN_CONTRACTS?.vault_factory ?? ''
const indexPosting = (paused: boolean, paused_until: number) =>
  indexState('posting', factory, { paused, paused_until })
const pause = () => post('/admin/v1/settlement/pause')
const unpause = () => post('/admin/v1/settlement/unpause')

describe('the arbiter', () => {
  test('vetoes a posted epoch and reopens a vetoed one, with its own key', async () => {
    for (const [action, state] of [
      ['veto', { vetoed: false, reopened: false }],
      ['reopen', { vetoed: true, reopened: false }],
    ] as const) {
      await index(state)
      expect(await statusAndBody(post(epochPath(action)))).toEqual([
        200,
        { project_id: project.projectId, epoch: project.lastEpoch, vetoed: action === 'veto' },
      ])
      const wish = { state: 'open', wanted: { vetoed: action === 'veto' ? 'yes' : 'no' } }
      expect(await services(env).hubActions.find('set_veto', subject())).toMatchObject(wish)
    }
    expect(functionSent(projectVaultAbi)).toBe('veto')
  })

  test('409 invalid_state: an epoch that is not posted, released, already vetoed or not vetoed', async () => {
    await expectRefusal(post(epochPath('veto')), '409 invalid_state')
    await index({ vetoed: false, reopened: false, release_at: unixNow() })
    for (const action of ['veto', 'reopen']) await expectRefusal(post(epochPath(action)), '409 invalid_state')
    await index({ vetoed: true, reopened: false })
    await expectRefusal(post(epochPath('veto')), '409 invalid_state')
    expect(await services(env).hubActions.find('set_veto', subject())).toBeNull()
  })

  test('pauses posting once, and resumes it once', async () => {
    await expectRefusal(unpause(), '409 invalid_state')
    expect(await statusAndBody(pause())).toEqual([200, { paused: true }])
    expect(functionSent(vaultFactoryAbi)).toBe('pause')
    // No event tells that a pause has run out.
    await indexPosting(true, unixNow() - 1)
    await expectRefusal(unpause(), '409 invalid_state')
    await indexPosting(true, unixNow() + 3_600)
    await expectRefusal(pause(), '409 invalid_state')
    expect(await statusAndBody(unpause())).toEqual([200, { paused: false }])
    expect(await bodyOf(operator.client.get(`/admin/v1/audit-log?subject=${factory}`))).toMatchObject({
      items: [{ action: 'settlement.unpause' }, { action: 'settlement.pause', before: { paused: false } }],
    })
  })

  test('409 invalid_state: a pause within a day after the last one; the refusal names the earliest time', async () => {
    const until = unixNow() - 60
    for (const paused of [true, false]) {
      await indexPosting(paused, until)
      await expectRefusal(pause(), '409 invalid_state', {
        message: expect.stringContaining(new Date((until + 86_400) * 1000).toISOString().slice(0, 16)),
        details: { next_at: until + 86_400 },
      })
    }
    expect(await services(env).hubActions.find('set_posting_pause', factory)).toBeNull()
    expect(chain.received).toEqual([])
    await indexPosting(true, unixNow() - 86_400)
    expect((await pause()).status).toBe(200)
  })

  test('resumes a pause that was ended early, or waits a day if that pause expires before it is sent', async () => {
    await indexPosting(false, unixNow() + 60)
    chain.down = true
    expect((await pause()).status).toBe(200)
    chain.down = false
    const until = unixNow() - 1
    await indexPosting(false, until)
    await runSql('UPDATE hub_actions SET next_attempt_at = 0')
    await bringHubAction(env, 'set_posting_pause', factory)
    expect(await services(env).hubActions.find('set_posting_pause', factory)).toMatchObject({
      state: 'open',
      lastError: expect.stringContaining('a day'),
      nextAttemptAt: until + 86_400,
    })
    expect(chain.received).toEqual([])
  })

  test('503 unavailable: a hub without the key of the arbiter stores nothing', async () => {
    await index({ vetoed: false, reopened: false })
    const bindings = { ARBITER_PRIVATE_KEY: undefined as never, OPERATOR_ADDRESSES: operator.address }
    const mute = client({ token: operator.token, bindings })
    for (const path of [epochPath('veto'), '/admin/v1/settlement/pause'])
      await expectRefusal(mute.post(path), '503 unavailable')
    expect(await services(env).hubActions.find('set_veto', subject())).toBeNull()
  })
})

import { env } from 'cloudflare:workers'
import { encodeErrorResult, encodeFunctionData, type Hex } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import { stakingAbi } from '../../../contracts/generated/contracts.ts'
import { type Evidence, hashEvidence } from '../../../protocol/slashing/index.ts'
import { services } from '../../services.ts'
import { createOperator, type TestNode } from '../../test/callers.ts'
import { chain, finalizeRelays, rpc } from '../../test/chain.ts'
import { bodyOf, client, errorOf, expectRefusal } from '../../test/client.ts'
import { accusationsOf, createValidators, hubAction, publishConsensus } from '../../test/evidence.ts'
import { createSubscribed, passSchedule } from '../../test/subscribed.ts'
import { createListedProject, minCollateral } from '../../test/subscription.ts'

const windowSecs = 60
const graceSecs = 900
/** As the contracts of these tests have it. */
const unbondingSecs = 600

interface TestProject {
  projectId: string
  consensusHash: string
}

let validators: TestNode[]
let operator: Awaited<ReturnType<typeof createOperator>>
let project: TestProject
beforeAll(async () => {
  if (chain === null) return
  validators = await createValidators(4)
  operator = await createOperator()
  project = await createProject()
})

async function createProject(slashing_bp = { invalid_result: 2_500, missed_sla: 120 }): Promise<TestProject> {
  const projectId = await createListedProject({
    work: { dispute_window_secs: windowSecs },
    economics: { slashing_bp },
  })
  return { projectId, consensusHash: await publishConsensus(projectId) }
}

/** A miner that bonded, by the routes, and what proves its offences. */
async function createBonded(collateral: bigint, of = project) {
  const subscribed = await createSubscribed(of.projectId, { collateral: String(collateral) })
  await subscribed.bond()
  const { device, id: subscriptionId } = subscribed
  const facts = { ...of, device, subscriptionId, now: await services(env).clock.now() }
  const { createTask, equivocation, evidence, finality, record, vote } = accusationsOf(facts)
  return {
    ...subscribed,
    equivocation,
    invalidResult: () => {
      const task = createTask()
      return evidence('invalid_result', task, {
        vote: vote(task, 'wrong'),
        finality: finality(validators, record(task, 'right')),
      })
    },
  }
}

/** Posts evidence, and lets the proposal be final. @returns Its hash. */
async function accuse(evidence: Evidence): Promise<string> {
  expect((await client().post('/v1/slashes', evidence)).status).toBe(201)
  await finalizeRelays()
  return hashEvidence(evidence)
}

const slash = (hash: string) => bodyOf(client().get(`/v1/slashes/${hash}`))

describe.skipIf(chain === null)('collateral, on the contracts', () => {
  test('is held by hub and contract while a slash is open; the rest can be withdrawn afterwards', async () => {
    const { owner, id: subscriptionId, call, act, invalidResult, read } = await createBonded(minCollateral)
    await act('unbond')
    const hash = await accuse(invalidResult())
    expect(await slash(hash)).toMatchObject({ status: 'proposed', recovery: 'dispute' })
    await passSchedule(unbondingSecs)
    expect(await read()).toMatchObject({ status: 'withdrawable', pending_slashes: 1 })
    await expectRefusal(call('withdraw'), '409 invalid_state', {
      message: expect.stringContaining('1 pending slashes hold the collateral'),
      details: { status: 'withdrawable', pending_slashes: 1 },
    })
    const args = [subscriptionId as Hex] as const
    const data = encodeFunctionData({ abi: stakingAbi, functionName: 'withdraw', args })
    const isOpen = encodeErrorResult({ abi: stakingAbi, errorName: 'SlashOpen', args: [...args, 1] })
    const transaction = { from: owner.address, to: chain?.contracts.staking, data }
    await expect(rpc('eth_call', transaction, 'latest')).rejects.toThrow(isOpen.slice(0, 10))

    await passSchedule(windowSecs + graceSecs - unbondingSecs)
    const taken = minCollateral / 4n
    // It is on its way out, so there is nothing to top up.
    expect(await slash(hash)).toMatchObject({ status: 'executed', taken: String(taken), recovery: 'none' })
    expect(await read()).toMatchObject({
      status: 'withdrawable',
      pending_slashes: 0,
      collateral: String(minCollateral - taken),
      slashed_total: String(taken),
    })
    await act('withdraw')
    expect(await read()).toMatchObject({ status: 'closed', collateral: '0' })
  })

  test('is held while a slash is disputed, and can be withdrawn completely once the slash is cancelled', async () => {
    const { owner, call, act, equivocation, read } = await createBonded(minCollateral)
    await act('unbond')
    const hash = await accuse(equivocation())
    expect((await owner.client.post(`/v1/slashes/${hash}/disputes`, { reason: 'Not mine.' })).status).toBe(
      201,
    )
    await finalizeRelays()
    await passSchedule(unbondingSecs)
    expect(await slash(hash)).toMatchObject({ status: 'disputed', recovery: 'wait' })
    expect(await errorOf(call('withdraw'))).toMatchObject({
      status: 409,
      details: { status: 'withdrawable', pending_slashes: 1 },
    })
    const decision = { decision: 'cancel', notes: 'The key was not used.' }
    expect((await operator.client.post(`/admin/v1/slashes/${hash}/resolve`, decision)).status).toBe(200)
    await finalizeRelays()
    expect(await slash(hash)).toMatchObject({ status: 'cancelled', recovery: null })
    await act('withdraw')
    expect(await read()).toMatchObject({ status: 'closed', slashed_total: '0' })
  })

  test('below the minimum after a slash jails until the missing amount is added; sufficient collateral works on', async () => {
    const { invalidResult, topUp, read, summary } = await createBonded(minCollateral)
    const rich = await createBonded(2n * minCollateral)
    const [hash, mild] = [await accuse(invalidResult()), await accuse(rich.invalidResult())]
    await passSchedule(windowSecs + graceSecs)
    expect(await slash(mild)).toMatchObject({ status: 'executed', recovery: 'none' })
    expect(await rich.read()).toMatchObject({
      status: 'active',
      collateral: String((3n * minCollateral) / 2n),
    })

    const missing = minCollateral / 4n
    expect(await slash(hash)).toMatchObject({ status: 'executed', recovery: 'top_up' })
    expect(await read()).toMatchObject({ status: 'jailed', collateral_health: 'critical' })
    await topUp(missing - 1n)
    expect(await slash(hash)).toMatchObject({ recovery: 'top_up' })
    expect(await read()).toMatchObject({ status: 'jailed', collateral: String(minCollateral - 1n) })
    await topUp(1n)
    expect(await slash(hash)).toMatchObject({ recovery: 'none' })
    expect(await read()).toMatchObject({ status: 'active', collateral: String(minCollateral) })
    expect(await summary()).toMatchObject({ slashed_total: String(missing), pending_slashes: 0 })
  })

  test('without collateral or without a penalty, a slash is recorded, closed with the reason, never proposed', async () => {
    const { equivocation, read } = await createBonded(minCollateral)
    await accuse(equivocation())
    const mild = await createBonded(minCollateral, await createProject({ invalid_result: 0, missed_sla: 0 }))
    await passSchedule(windowSecs + graceSecs)
    expect(await read()).toMatchObject({ status: 'jailed', collateral: '0' })
    for (const [evidence, closed_reason] of [
      [equivocation(), 'no_collateral'],
      [mild.invalidResult(), 'no_penalty'],
    ] as const) {
      const hash = await accuse(evidence)
      expect(await slash(hash)).toMatchObject({
        ...{ status: 'cancelled', amount: '0', closed_reason },
        ...{ propose_tx: null, executable_at: null, taken: null, recovery: null },
      })
      expect(await hubAction('propose_slash', hash)).toBeNull()
      expect(await services(env).chainIndex.state('slash', hash)).toBeNull()
    }
    expect(await mild.read()).toMatchObject({ status: 'active', pending_slashes: 0 })
  })
})

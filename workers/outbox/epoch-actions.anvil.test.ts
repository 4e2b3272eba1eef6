import { env } from 'cloudflare:workers'
import { encodeFunctionData, type Hex } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import { projectVaultAbi } from '../../contracts/generated/contracts.ts'
import { services } from '../services.ts'
import { createOperator, type TestNode } from '../test/callers.ts'
import { chain, passTime, readChain, send } from '../test/chain.ts'
import { bodyOf, client, errorOf, itemsOf, runSchedule, statusAndBody } from '../test/client.ts'
import { createValidators, epochPath, miner, receiptOf, type TestProject } from '../test/epochs.ts'
import {
  balanceOf,
  bring,
  bringDue,
  createPaying,
  createRegistered,
  deployIssuerToken,
  endPauses,
  finalize,
  hour,
  passEpochs,
  runningEpoch,
  tokens,
} from '../test/paying.ts'

let validators: TestNode[]
let operator: Awaited<ReturnType<typeof createOperator>>

const submit = async (project: TestProject) => {
  const receipt = receiptOf(project, { by: validators, units: [{ miner: miner(0xa1), units: 40 }] })
  const response = await validators[0]?.call('POST', epochPath, receipt)
  expect([response?.status, await response?.text()]).toEqual([202, expect.any(String)])
  return receipt
}

interface Claim {
  vault: string
  epoch: number
  amount: string
  proof: Hex[]
}

interface Shown {
  status: string
  settlement: { status: string; error: string | null; tx_hash?: string }
}
const shown = ({ projectId, lastEpoch }: TestProject) =>
  bodyOf<Shown>(client().get(`/v1/explorer/epochs/${projectId}/${lastEpoch}`))
const listingOf = async ({ projectId }: TestProject) =>
  (await bodyOf(client().get(`/v1/projects/${projectId}`))).listing_status
const actionOf = (
  kind: 'post_epoch' | 'pay_fees' | 'set_veto',
  { vault, lastEpoch }: { vault: string; lastEpoch: number },
) => services(env).hubActions.find(kind, `${vault}:${lastEpoch}`)
const refused = { status: 409, error: 'invalid_state' }
const decide = (what: string) => operator.client.post(`/admin/v1/${what}`, { reason: 'A test.' })

describe.skipIf(chain === null)('the settlement of epochs, on the contracts', () => {
  beforeAll(async () => {
    validators = await createValidators(4)
    operator = await createOperator()
  })

  test('a receipt is posted, is settled after its challenge period, and its fees are paid', async () => {
    const project = await createPaying()
    const receipt = await submit(project)
    expect(await shown(project)).toMatchObject({ status: 'submitted', settlement: { status: 'sent' } })
    await finalize()
    expect(await shown(project)).toMatchObject({
      status: 'settled',
      settlement: { status: 'settled', tx_hash: expect.any(String), error: null },
    })
    await bring()
    expect(await actionOf('post_epoch', project)).toMatchObject({ state: 'open', attempts: 1 })
    expect(await actionOf('pay_fees', project)).toBeNull()

    await passTime(2 * hour)
    expect(await shown(project)).toMatchObject({ status: 'released' })
    await bringDue()
    expect(await actionOf('post_epoch', project)).toMatchObject({ state: 'done', attempts: 1 })
    await bringDue()
    await bring()
    expect(await actionOf('pay_fees', project)).toMatchObject({ state: 'done', attempts: 1 })
    expect(await balanceOf(project.developer)).toBe(BigInt(receipt.totals.developer))

    // Anyone may bring the proof; the tokens go to the miner.
    const claims = () => itemsOf(client().get(`/v1/me/claims?address=${miner(0xa1)}`))
    const [claim] = (await claims()) as [Claim]
    const { lastEpoch: epoch, vault } = project
    expect(claim).toMatchObject({ epoch, amount: receipt.totals.miner, vault })
    const args = [BigInt(claim.epoch), miner(0xa1) as Hex, BigInt(claim.amount), claim.proof] as const
    const data = encodeFunctionData({ abi: projectVaultAbi, functionName: 'claim', args })
    await send(chain?.deployer, claim.vault, data)
    await readChain()
    expect(await balanceOf(miner(0xa1))).toBe(BigInt(receipt.totals.miner))
    expect(await claims()).toEqual([])

    // From then on it counts in the figures of the project, and its miners may review it.
    expect(await bodyOf(client().get(`/v1/projects/${project.projectId}/stats?period=all`))).toMatchObject({
      units: 40,
      paid_to_miners: receipt.totals.miner,
    })
  })

  test('an epoch that was vetoed waits until it is reopened, and is posted again', async () => {
    const project = await createPaying()
    await submit(project)
    await finalize()
    const { projectId, lastEpoch } = project
    const path = `epochs/${projectId}/${lastEpoch}`
    expect(await errorOf(decide(`${path}/reopen`))).toMatchObject(refused)
    const vetoed = await decide(`${path}/veto`)
    const answer = { project_id: projectId, epoch: lastEpoch, vetoed: true }
    expect(await statusAndBody(vetoed)).toEqual([200, answer])
    await finalize()
    expect(await shown(project)).toMatchObject({ status: 'vetoed', settlement: { status: 'vetoed' } })
    expect(await errorOf(decide(`${path}/veto`))).toMatchObject(refused)
    await bring()
    const waiting = { state: 'open', attempts: 1, lastError: expect.stringContaining('vetoed') }
    expect(await actionOf('post_epoch', project)).toMatchObject(waiting)

    expect((await decide(`${path}/reopen`)).status).toBe(200)
    await finalize()
    await bringDue()
    expect(await shown(project)).toMatchObject({ status: 'settled' })
    expect(await actionOf('post_epoch', project)).toMatchObject({ state: 'open', attempts: 2 })
    expect(await bodyOf(operator.client.get(`/admin/v1/audit-log?subject=${projectId}`))).toMatchObject({
      items: [
        { action: 'epoch.reopen', reason: 'A test.' },
        { action: 'epoch.veto', before: { vetoed: false }, after: { epoch: lastEpoch } },
      ],
    })
    await passTime(2 * hour)
    await bring()
    await bring()
    expect(await actionOf('set_veto', project)).toMatchObject({ state: 'done' })
  })

  test('409 invalid_state: a veto after the challenge period, or of an epoch that was never posted', async () => {
    const project = await createPaying()
    const path = `epochs/${project.projectId}/${project.lastEpoch}/veto`
    expect(await errorOf(decide(path))).toMatchObject(refused)
    await submit(project)
    await finalize()
    await passTime(2 * hour)
    expect(await errorOf(decide(path))).toMatchObject(refused)
  })

  test('an epoch that the vault cannot pay waits for funds, and the project shows this', async () => {
    const project = await createPaying(1n)
    await submit(project)
    expect(await shown(project)).toMatchObject({
      status: 'underfunded',
      settlement: { status: 'queued', error: expect.stringContaining('is 1; the epoch costs') },
    })
    expect(await listingOf(project)).toBe('underfunded')
    for (let tries = 0; tries < 10; tries++) {
      await endPauses()
      await runSchedule()
    }
    expect(await actionOf('post_epoch', project)).toMatchObject({ state: 'open', attempts: 0 })
    const letter = `post_epoch:${project.vault}:${project.lastEpoch}`
    expect(await services(env).deadLetters.find(letter)).toBeNull()

    await project.fund(100n * tokens)
    await bringDue()
    expect(await shown(project)).toMatchObject({ status: 'settled' })
    await bring()
    expect(await listingOf(project)).toBe('listed')
    await finalize()
    await bring()
    const indexed = await services(env).chainIndex.state('project', project.projectId)
    expect(indexed).toMatchObject({ listing_status: 'listed' })
  })

  test('the hub does not pay for the gas that the token of a vault burns', async () => {
    const { token, burnGas } = await deployIssuerToken()
    const project = await createPaying(100n * tokens, { token })
    await burnGas(1_000_000n)
    await submit(project)
    expect(await shown(project)).toMatchObject({
      status: 'attested',
      settlement: { status: 'failed', error: expect.stringContaining('the limit is 1000000') },
    })
    await burnGas(0n)
    await bring()
    expect(await shown(project)).toMatchObject({ status: 'settled' })
  })

  test('an epoch whose vault is not open waits until it is', async () => {
    const project = await createRegistered()
    await passTime(2 * hour)
    await project.open()
    const running = { ...project, lastEpoch: await runningEpoch() }
    const unopened = await createRegistered()
    await passEpochs(2)
    const waiting = { ...unopened, lastEpoch: (await runningEpoch()) - 1 }
    await submit(waiting)
    expect(await shown(waiting)).toMatchObject({
      status: 'underfunded',
      settlement: { error: 'The vault is not open yet.' },
    })
    await unopened.open()
    await readChain()
    await bringDue()
    // Nobody promised anything for epochs before the vault.
    expect(await shown(waiting)).toMatchObject({
      status: 'underfunded',
      settlement: { error: 'The vault was opened after the end of the epoch.' },
    })
    await project.fund(100n * tokens)
    await submit(running)
    await finalize()
    expect(await shown(running)).toMatchObject({ status: 'settled' })
  })

  test('an epoch above the cap of the vault waits, and the project is underfunded until new terms allow the payment', async () => {
    const project = await createRegistered()
    await project.open(7n)
    await project.fund(100n * tokens)
    await passEpochs(2)
    const over = { ...project, lastEpoch: (await runningEpoch()) - 1 }
    await submit(over)
    expect(await shown(over)).toMatchObject({
      status: 'underfunded',
      settlement: { status: 'queued', error: expect.stringContaining('pays at most 7') },
    })
    expect(await listingOf(over)).toBe('underfunded')
    const from = ((await runningEpoch()) + 2) * hour
    await project.setTerms(from, 100n * tokens)
    await bringDue()
    expect(await listingOf(over)).toBe('underfunded')
    await passTime(2 * hour)
    await bringDue()
    expect(await listingOf(over)).toBe('listed')
    // The terms that held when the epoch ended cannot be changed.
    expect(await shown(over)).toMatchObject({
      status: 'underfunded',
      settlement: { error: expect.stringContaining('pays at most 7') },
    })
  })

  test('nothing is posted while posting is paused', async () => {
    expect(await errorOf(decide('settlement/unpause'))).toMatchObject(refused)
    expect(await statusAndBody(decide('settlement/pause'))).toEqual([200, { paused: true }])
    await finalize()
    expect(await errorOf(decide('settlement/pause'))).toMatchObject(refused)
    const project = await createPaying()
    await submit(project)
    await bring()
    expect(await shown(project)).toMatchObject({
      status: 'attested',
      settlement: { status: 'queued', error: expect.stringContaining('paused') },
    })
    expect(await statusAndBody(decide('settlement/unpause'))).toEqual([200, { paused: false }])
    await finalize()
    await bringDue()
    expect(await shown(project)).toMatchObject({ status: 'settled' })
  })

  test('a root that somebody else posted is vetoed, and the attested root is posted instead', async () => {
    const project = await createPaying()
    const totals = { miner: 1n, developer: 0n, treasury: 0n }
    const roots = [`0x${'0f'.repeat(32)}`, `0x${'0e'.repeat(32)}`] as const
    const args = [BigInt(project.lastEpoch), ...roots, totals] as const
    const { relayer } = services(env)
    await relayer?.relay({
      to: project.vault,
      data: encodeFunctionData({ abi: projectVaultAbi, functionName: 'postEpoch', args }),
      id: `0x${'0a'.repeat(32)}`,
      action: 'post_epoch',
      owner: relayer.signer,
      serializationKey: null,
      valueWei: '0',
    })
    await finalize()
    await submit(project)
    expect(await shown(project)).toMatchObject({
      status: 'attested',
      settlement: { status: 'failed', error: expect.stringContaining('AlreadyPosted') },
    })
    for (const action of ['veto', 'reopen']) {
      expect((await decide(`epochs/${project.projectId}/${project.lastEpoch}/${action}`)).status).toBe(200)
      await finalize()
    }
    await bringDue()
    expect(await shown(project)).toMatchObject({ status: 'settled' })
  })
})

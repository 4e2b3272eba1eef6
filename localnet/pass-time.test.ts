import { randomBytes } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Hex } from 'viem'
import { encodeFunctionData } from 'viem/utils'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { stakingAbi } from '../contracts/generated/contracts.ts'
import { callBatch } from '../contracts/json-rpc.ts'
import { readNetwork } from '../scripts/hub/network.ts'
import { type Payload, signAndRelay, signIn } from '../scripts/hub/wallet.ts'
import type { SignedBody } from '../sdk/actions.ts'
import { hasAnvil, startAnvil } from '../testing/anvil.ts'
import { loadedTools, runTool } from '../testing/run-tool.ts'
import { accounts } from './accounts.ts'
import { passTime } from './pass-time.ts'
import { privateKeys } from './private-keys.ts'
import { makeSample } from './sample/make.ts'
import { sendDirect } from './send-direct.ts'
import { startTemporaryNetwork, type TemporaryNetwork } from './temporary-network.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'pass-time-'))
let network: TemporaryNetwork

beforeAll(async () => {
  if (hasAnvil) network = await startTemporaryNetwork(folder, { hub: { files: false } })
})
afterAll(() => network?.stop())

const runLoaded = loadedTools()
const networkNow = async () => (await readNetwork(network.url)).now()

test.skipIf(!hasAnvil)(
  'the hub follows the time of its chain, and all signatures use this time',
  async () => {
    const before = await networkNow()
    expect(Math.abs(before - Date.now() / 1000)).toBeLessThan(60)

    const first = await runTool('tools/pass-time.ts', ['2h'], { HUB_URL: network.url })
    expect(first).toMatchObject({ code: 0, stderr: '' })
    expect(first.stdout).toMatch(/^Network time was 20\S+Z and is 20\S+Z\.\n/)
    expect((await networkNow()) - before).toBeGreaterThanOrEqual(7_200)

    // Binding records and node requests, two hours ahead of the machine.
    const { url: hub, rpcUrl, contracts } = network
    await makeSample({ hub, rpcUrl, contracts, devicesFolder: path.join(folder, 'devices') })

    // A session is of the machine's clock.
    const client = await readNetwork(network.url)
    const miner = await signIn(client, privateKeys.miner)
    const lifeBefore = miner.expiresAt - Date.now() / 1000

    const { items } = await miner.client.call('GET /v1/me/subscriptions')
    const subscriptionId = items[0]?.subscription_id as Hex
    const data = encodeFunctionData({ abi: stakingAbi, functionName: 'unbond', args: [subscriptionId] })
    await callBatch(rpcUrl, [
      ['eth_sendTransaction', { from: accounts.miner.address, to: contracts.staking, data }],
      ['evm_mine'],
    ])
    const { stdout } = await runLoaded('tools/pass-time.ts', ['4d'], { HUB_URL: network.url })
    expect(stdout).toMatch(/: epoch \d+ of \d+ s runs until 20\S+Z; [1-9]\d* began\n/)
    expect(stdout).toContain(`the collateral of subscription ${subscriptionId} can be withdrawn`)
    const lifeAfter = (await signIn(client, privateKeys.miner)).expiresAt - Date.now() / 1000
    expect(Math.abs(lifeAfter - lifeBefore)).toBeLessThan(60)
  },
  180_000,
)

test.skipIf(!hasAnvil)(
  'thirty days later, a miner bonds, sets a payout, unbonds and withdraws by signature, and the faucet gives',
  async () => {
    await runLoaded('tools/pass-time.ts', ['30d'], { HUB_URL: network.url })
    const client = await readNetwork(network.url)
    expect((await client.now()) - Date.now() / 1000).toBeGreaterThan(30 * 86_400)
    const miner = await signIn(client, privateKeys.miner)
    const { items } = await miner.client.call('GET /v1/me/subscriptions')
    const { subscription_id: subscriptionId, collateral: bonded } = items.find(
      ({ status }) => status === 'active',
    ) as (typeof items)[number]
    const params = { path: { subscription_id: subscriptionId } }
    const read = () => miner.client.call('GET /v1/subscriptions/{subscription_id}', params)

    const amount = '7'
    const bond = await miner.client.call('POST /v1/subscriptions/{subscription_id}/bond-payload', {
      ...params,
      body: { amount },
    })
    const { projectId = '', nodeKey = '' } = bond.typed_data.message as Record<string, string>
    await signAndRelay(client, miner, bond, { owner: miner.address, projectId, nodeKey, amount }, (body) =>
      miner.client.call('POST /v1/subscriptions/{subscription_id}/bond', { ...params, body }),
    )
    await expect.poll(read).toMatchObject({ collateral: String(BigInt(bonded) + 7n) })

    const own = { owner: miner.address, subscriptionId }
    const act = async (call: 'payout' | 'unbond' | 'withdraw', fixed: object, request?: object) => {
      const post = (body?: object) =>
        miner.client.call(`POST /v1/subscriptions/{subscription_id}/${call}`, {
          ...params,
          ...(body && { body: body as SignedBody }),
        })
      await signAndRelay(client, miner, (await post(request)) as Payload, { ...own, ...fixed }, post)
    }
    const payout = `0x${'0f'.repeat(20)}`
    await act('payout', { payout }, { payout_address: payout })
    await expect.poll(read).toMatchObject({ payout_address: payout })
    await act('unbond', {})
    await expect.poll(read).toMatchObject({ status: 'unbonding' })
    await network.passTime(4 * 86_400)
    await expect.poll(read).toMatchObject({ status: 'withdrawable' })
    await act('withdraw', {})
    await expect.poll(read).toMatchObject({ status: 'closed' })

    const guest = await signIn(client, `0x${randomBytes(32).toString('hex')}`)
    const { amount: given } = await guest.client.call('POST /v1/faucet/drip')
    const held = () => guest.client.call('GET /v1/me/collateral')
    await expect.poll(held).toMatchObject({ hub_balance: given })
  },
  180_000,
)

test.skipIf(!hasAnvil)(
  'making the sample again gives back collateral that was lost to a slash, and leaves what people have done',
  async () => {
    const { url: hub, rpcUrl, contracts, passTime: pass } = network
    const sample = { hub, rpcUrl, contracts, devicesFolder: path.join(folder, 'devices-of-2') }
    await makeSample(sample)
    const miner = await signIn(await readNetwork(hub), privateKeys.miner)
    const readAll = async () => (await miner.client.call('GET /v1/me/subscriptions')).items
    const [slashed, paused] = (await readAll()).filter(({ status }) => status === 'active')
    const statusOf = async (id = '') =>
      (await readAll()).find(({ subscription_id }) => subscription_id === id)?.status
    const evidence = `0x${'5e'.repeat(32)}` as const
    const id = slashed!.subscription_id as Hex
    const send = (functionName: 'proposeSlash' | 'executeSlash', ...args: unknown[]) => {
      const data = encodeFunctionData({ abi: stakingAbi, functionName, args } as never)
      return sendDirect(rpcUrl, accounts.relayer, [{ to: contracts.staking, data }])
    }
    await send('proposeSlash', id, evidence, evidence, 10n ** 18n, 3_600n)
    await pass(7_200)
    await send('executeSlash', evidence)
    await expect.poll(() => statusOf(id)).toBe('jailed')
    const pausing = { path: { subscription_id: paused!.subscription_id } }
    await miner.client.call('POST /v1/subscriptions/{subscription_id}/pause', pausing)

    await makeSample(sample)
    expect(await statusOf(id)).toBe('active')
    expect(await statusOf(paused!.subscription_id)).toBe('paused')
    expect((await readAll()).find(({ subscription_id }) => subscription_id === id)).toMatchObject({
      collateral: slashed!.min_collateral,
      slashed_total: String(10n ** 18n),
    })
  },
  180_000,
)

test.skipIf(!hasAnvil)(
  'all of the time passes if the hub is ahead of a chain that was restarted',
  async () => {
    const chain = await startAnvil()
    onTestFinished(() => chain.stop())
    const readHead = async () =>
      Number((await chain.rpc<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false)).timestamp)
    const machine = () => Math.floor(Date.now() / 1000)
    // As the hub's clock: the largest lead of the chain that it has seen, which was 1,000 s.
    let lead = 1_000
    const now = async () => {
      lead = Math.max(lead, (await readHead()) - machine())
      return machine() + lead
    }
    const { from, to } = await passTime({ now }, chain.url, 600)
    expect(to - from).toBeGreaterThanOrEqual(600)
    expect(await readHead()).toBeGreaterThanOrEqual(from + 600)
  },
)

test.skipIf(!hasAnvil)('an error names a chain that does not answer', async () => {
  const { code, stderr } = await runLoaded('tools/pass-time.ts', ['2h', '--rpc', 'http://127.0.0.1:1'], {
    HUB_URL: network.url,
  })
  expect(stderr).toContain('The time of the chain at http://127.0.0.1:1 cannot be moved')
  expect(code).toBe(1)
  const [block] = await callBatch(network.rpcUrl, [['eth_blockNumber']])
  expect(Number(block)).toBeGreaterThan(0)
})

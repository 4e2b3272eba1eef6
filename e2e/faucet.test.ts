import type { Address, Hex } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { encodeFunctionData, keccak256, toHex } from 'viem/utils'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { ContractAddresses } from '../contracts/deploy-options.ts'
import { faucetAbi, hubTokenAbi } from '../contracts/generated/contracts.ts'
import type { Hub } from '../localnet/hub.ts'
import { evmAddress } from '../protocol/signatures/index.ts'
import { type Anvil, hasAnvil, sendMined, startAnvil } from '../testing/anvil.ts'
import { deployNetwork, relayerKey } from '../testing/deployed-chain.ts'
import { type FaultProxy, startFaultProxy } from '../testing/fault-proxy.ts'
import { startTestHub } from '../testing/hub.ts'
import { freshAddress, signIn } from '../testing/session.ts'

const amount = 10n ** 21n
const native = 10n ** 16n
const dripperRole = keccak256(toHex('DRIPPER_ROLE'))

describe.skipIf(!hasAnvil)('the faucet', () => {
  let chain: Anvil
  let proxy: FaultProxy
  let hub: Hub
  let contracts: ContractAddresses
  let deployer: string
  let adminTimelock: string
  const signer = privateKeyToAddress(relayerKey)
  const operatorKey = generatePrivateKey()

  beforeAll(async () => {
    chain = await startAnvil()
    ;({ contracts, adminTimelock } = await deployNetwork(chain))
    ;[deployer] = (await chain.rpc<string[]>('eth_accounts')) as [string]
    // Its delay is tested elsewhere; here it acts at once.
    await chain.rpc('anvil_impersonateAccount', adminTimelock)
    await chain.rpc('anvil_setBalance', adminTimelock, '0xde0b6b3a7640000')
    await adminSends(
      contracts.faucet,
      encodeFunctionData({
        abi: faucetAbi,
        functionName: 'grantRole',
        args: [dripperRole, deployer as Address],
      }),
    )
    proxy = await startFaultProxy(chain.url)
    hub = await startTestHub({
      CHAIN_RPC_URL: proxy.url,
      CHAIN_CONTRACTS: JSON.stringify(contracts),
      CHAIN_CONFIRMATIONS: '1',
      RELAYER_PRIVATE_KEY: relayerKey,
      RELAYER_TICK_MS: '50',
      RATE_LIMIT_MULTIPLIER: '100',
      OPERATOR_ADDRESSES: evmAddress(operatorKey),
    })
  })
  afterAll(async () => {
    await hub?.stop()
    await proxy?.stop()
    await chain?.stop()
  })
  beforeEach(async () => {
    proxy.down = false
    await chain.rpc('anvil_setBalance', signer, `0x${(10n ** 20n).toString(16)}`)
  })

  const sendAs = (from: string, to: string, data: Hex) => sendMined(chain, { from, to, data, gas: '0x30d40' })
  const deployerSends = (to: string, data: Hex) => sendAs(deployer, to, data)
  const adminSends = (to: string, data: Hex) => sendAs(adminTimelock, to, data)

  const tokensOf = async (holder: string) =>
    BigInt(
      await chain.rpc<string>(
        'eth_call',
        {
          to: contracts.token,
          data: encodeFunctionData({
            abi: hubTokenAbi,
            functionName: 'balanceOf',
            args: [holder as Address],
          }),
        },
        'latest',
      ),
    )

  const mint = (to: string, amountWei: bigint) =>
    deployerSends(
      contracts.token,
      encodeFunctionData({ abi: hubTokenAbi, functionName: 'mint', args: [to as Address, amountWei] }),
    )

  const url = () => hub.urls[0] as URL
  const read = async (response: Response) => ({
    status: response.status,
    body: (await response.json()) as Record<string, string> & { details?: Record<string, number> },
    headers: response.headers,
  })
  const final = async (path: string) => {
    await expect
      .poll(async () => ((await (await fetch(new URL(path, url()))).json()) as { status: string }).status)
      .toBe('confirmed')
  }

  test('of 100 parallel drips of one wallet, one succeeds, and 99 are told when to retry', async () => {
    const { wallet, post } = await signIn(url())
    const answers = await Promise.all(
      Array.from({ length: 100 }, async () => read(await post('/v1/faucet/drip'))),
    )
    const [given, ...more] = answers.filter(({ status }) => status === 202)
    expect(more).toEqual([])
    expect(given?.body).toEqual({
      tx_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      amount: String(amount),
      eth_tx_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      eth_amount: String(native),
      next_eligible_at: expect.any(Number),
    })
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused).toHaveLength(99)
    for (const { body, headers } of refused) {
      expect(body.error).toBe('rate_limited')
      // While the one is under way the others wait for that, and then for the next turn.
      const waitSeconds = Number(headers.get('retry-after'))
      expect(waitSeconds <= 60 || waitSeconds > 86_000).toBe(true)
      expect(body.details?.next_eligible_at).toBeGreaterThan(0)
    }
    const { body, headers } = await read(await post('/v1/faucet/drip'))
    expect(body.details?.next_eligible_at).toBe(given?.body.next_eligible_at)
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(86_000)
    await final(given?.headers.get('location') ?? '')
    await expect.poll(() => chain.rpc('eth_getBalance', wallet, 'latest')).toBe(`0x${native.toString(16)}`)
    expect(await tokensOf(wallet)).toBe(amount)
  })

  test('shows its amounts, and when the caller is eligible again', async () => {
    const { get, post } = await signIn(url())
    const expected = {
      enabled: true,
      token: { address: contracts.token, symbol: 'HUB', name: 'Hub (testnet)', decimals: 18 },
      amount: String(amount),
      eth_amount: String(native),
      cooldown_secs: 86_400,
    }
    expect(await (await fetch(new URL('/v1/faucet', url()))).json()).toEqual({
      ...expected,
      eligible: false,
      next_eligible_at: null,
    })
    expect(await (await get('/v1/faucet')).json()).toEqual({
      ...expected,
      eligible: true,
      next_eligible_at: null,
    })
    const { body } = await read(await post('/v1/faucet/drip'))
    expect(await (await get('/v1/faucet')).json()).toEqual({
      ...expected,
      eligible: false,
      next_eligible_at: body.next_eligible_at,
    })
  })

  test('a drip while the chain does not answer is not counted', async () => {
    const { post } = await signIn(url())
    proxy.down = true
    expect(await read(await post('/v1/faucet/drip'))).toMatchObject({
      status: 503,
      body: { error: 'unavailable' },
    })
    proxy.down = false
    expect(await read(await post('/v1/faucet/drip'))).toMatchObject({ status: 202 })
    expect(await read(await post('/v1/faucet/drip'))).toMatchObject({ status: 429 })
  })

  test('503 faucet_empty if it has too few tokens, and the drip is not counted', async () => {
    const { post } = await signIn(url())
    const left = amount - 1n
    const data = encodeFunctionData({
      abi: faucetAbi,
      functionName: 'drip',
      args: [deployer as Address, (await tokensOf(contracts.faucet)) - left],
    })
    await deployerSends(contracts.faucet, data)
    expect(await read(await post('/v1/faucet/drip'))).toMatchObject({
      status: 503,
      body: { error: 'faucet_empty' },
    })
    await mint(contracts.faucet, 10n * amount)
    expect((await post('/v1/faucet/drip')).status).toBe(202)
  })

  test('503 unavailable if the token has no code, and the drip is not counted', async () => {
    const { post } = await signIn(url())
    const code = await chain.rpc('eth_getCode', contracts.token, 'latest')
    await chain.rpc('anvil_setCode', contracts.token, '0x')
    expect(await read(await post('/v1/faucet/drip'))).toMatchObject({
      status: 503,
      body: { error: 'unavailable' },
    })
    await chain.rpc('anvil_setCode', contracts.token, code)
    expect((await post('/v1/faucet/drip')).status).toBe(202)
  })

  test('a drip that the contract refuses is not counted', async () => {
    const { post } = await signIn(url())
    const role = [dripperRole, signer] as const
    await adminSends(
      contracts.faucet,
      encodeFunctionData({ abi: faucetAbi, functionName: 'revokeRole', args: role }),
    )
    expect(await read(await post('/v1/faucet/drip'))).toMatchObject({
      status: 503,
      body: { error: 'unavailable' },
    })
    await adminSends(
      contracts.faucet,
      encodeFunctionData({ abi: faucetAbi, functionName: 'grantRole', args: role }),
    )
    expect((await post('/v1/faucet/drip')).status).toBe(202)
  })

  test('serves at most three wallets of one client address', async () => {
    const from = freshAddress()
    const statuses: number[] = []
    for (let i = 0; i < 4; i++)
      statuses.push((await (await signIn(url(), from)).post('/v1/faucet/drip')).status)
    expect(statuses).toEqual([202, 202, 202, 429])
  })

  test('leaves out the native part if the hub itself has too little', async () => {
    const { post } = await signIn(url())
    const operator = await signIn(url(), freshAddress(), operatorKey)
    const balance = async () => {
      // Earlier drips may be paid for only now.
      await chain.rpc('anvil_setBalance', signer, `0x${(10n ** 17n).toString(16)}`)
      const { relayer } = (await (await operator.get('/admin/v1/relayer')).json()) as {
        relayer: { balance: string }
      }
      return relayer.balance
    }
    await expect.poll(balance).toBe(String(10n ** 17n))
    const { status, body } = await read(await post('/v1/faucet/drip'))
    expect([status, body.eth_tx_hash, body.eth_amount]).toEqual([202, undefined, '0'])
  })
})

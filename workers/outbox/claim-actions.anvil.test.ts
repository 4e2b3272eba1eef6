import { env } from 'cloudflare:workers'
import { encodeFunctionData, type Hex } from 'viem'
import { beforeEach, describe, expect, test } from 'vitest'
import { projectVaultAbi } from '../../contracts/generated/contracts.ts'
import { unixNow } from '../../durable-objects/clock.ts'
import type { EpochReceipt } from '../../protocol/earnings/index.ts'
import { services } from '../services.ts'
import { signIn, type TestNode } from '../test/callers.ts'
import { chain, finalizeRelays, passTime, readChain, rpc, send } from '../test/chain.ts'
import { client, itemsOf, statusesOf } from '../test/client.ts'
import { createValidators, epochPath, miner, receiptOf, type TestProject } from '../test/epochs.ts'
import {
  balanceOf,
  bring,
  createPaying,
  deployIssuerToken,
  endPauses,
  finalize,
  hour,
  tokens,
} from '../test/paying.ts'

interface Withdrawal {
  withdrawal_id: string
  status: string
  amount: string
  tx_hash: string | null
  error: string | null
  epochs: { epoch: number }[]
}

let validators: TestNode[]
let wallet: Awaited<ReturnType<typeof signIn>>

/** The last `count` epochs of the project, which pay the wallet; released. */
async function settle(project: TestProject, count: number): Promise<EpochReceipt[]> {
  const receipts: EpochReceipt[] = []
  for (let back = count - 1; back >= 0; back--) {
    const units = [wallet.address, miner(2), miner(3)].sort().map((one, i) => ({ miner: one, units: i + 1 }))
    const receipt = receiptOf(project, { by: validators, epoch: project.lastEpoch - back, units })
    expect((await validators[0]?.call('POST', epochPath, receipt))?.status).toBe(202)
    receipts.push(receipt)
  }
  await finalize()
  await passTime(2 * hour)
  return receipts
}

const ask = () =>
  client({ token: wallet.token, bindings: { RATE_LIMIT_MULTIPLIER: '1000' } }).post(
    '/v1/me/withdrawals/claims',
  )
const claimed = async () => {
  const response = await ask()
  expect([response.status, await response.clone().text()]).toEqual([202, expect.any(String)])
  return itemsOf<Withdrawal>(response)
}
const list = () => itemsOf<Withdrawal>(wallet.client.get('/v1/me/withdrawals'))
const claimable = () => itemsOf<Claim>(client().get(`/v1/me/claims?address=${wallet.address}`))

interface Claim {
  vault: string
  epoch: number
  account: string
  amount: string
  proof: Hex[]
}

/** As anybody may. */
const claimAsStranger = ({ vault, epoch, account, amount, proof }: Claim) =>
  send(
    chain?.deployer,
    vault,
    encodeFunctionData({
      abi: projectVaultAbi,
      functionName: 'claim',
      args: [BigInt(epoch), account as Hex, BigInt(amount), proof],
    }),
  )

const amountsOf = (receipts: readonly EpochReceipt[]) =>
  receipts
    .flatMap(({ compute_units }) => compute_units.filter((one) => one.miner === wallet.address))
    .reduce((sum, { amount }) => sum + BigInt(amount), 0n)

describe.skipIf(chain === null)('withdrawals of payouts, on the contracts', () => {
  beforeEach(async () => {
    validators = await createValidators(1)
    wallet = await signIn()
  })

  test('of a hundred parallel requests: each payout is paid once, by one transaction to each vault', async () => {
    const [first, second] = [await createPaying(), await createPaying(undefined, { hours: 4 })]
    const receipts = [...(await settle(first, 1)), ...(await settle(second, 3))]
    expect(await statusesOf(Array.from({ length: 100 }, ask))).toEqual([202, ...Array(99).fill(409)])
    await finalize()
    await bring()
    expect(await balanceOf(wallet.address)).toBe(amountsOf(receipts))
    const withdrawals = await list()
    expect(withdrawals).toMatchObject([{ status: 'completed' }, { status: 'completed' }])
    expect(withdrawals.reduce((sum, { amount }) => sum + BigInt(amount), 0n)).toBe(amountsOf(receipts))
    expect(await claimable()).toEqual([])
    for (const { withdrawal_id } of withdrawals)
      expect(await services(env).hubActions.find('claim_payouts', withdrawal_id)).toMatchObject({
        state: 'done',
        attempts: 1,
      })
  })

  test('if somebody else claims first: completed with the amount that was paid, and nothing is paid twice', async () => {
    const receipts = await settle(await createPaying(undefined, { hours: 4 }), 3)
    const [first, second] = await claimable()
    await claimAsStranger(first as Claim)
    // The hub has not heard of it yet, and asks for all three.
    const [withdrawal] = await claimed()
    await claimAsStranger(second as Claim)
    await finalize()
    await bring()
    expect(await list()).toMatchObject([
      {
        withdrawal_id: withdrawal?.withdrawal_id,
        status: 'completed',
        amount: String(amountsOf(receipts)),
        error: null,
      },
    ])
    expect(await balanceOf(wallet.address)).toBe(amountsOf(receipts))
    expect(await claimable()).toEqual([])
  })

  test('of a token that first refuses the wallet: paid once it accepts the wallet', async () => {
    const { token, refuse } = await deployIssuerToken()
    const receipts = await settle(await createPaying(1_000n * tokens, { token }), 2)
    await refuse(wallet.address, true)
    await claimed()
    await finalize()
    await bring()
    expect(await list()).toMatchObject([
      { status: 'failed', error: 'The token refuses to pay the wallet.', tx_hash: expect.any(String) },
    ])
    expect(await claimable()).toHaveLength(2)
    await refuse(wallet.address, false)
    await claimed()
    await finalize()
    await bring()
    expect(await balanceOf(wallet.address, token)).toBe(amountsOf(receipts))
    expect((await list()).map(({ status }) => status).sort()).toEqual(['completed', 'failed'])
  })

  test('of a token whose transfers take much gas: as many at once as one transaction can pay, then the rest', async () => {
    const { token, burnGas } = await deployIssuerToken()
    const receipts = await settle(await createPaying(1_000n * tokens, { token, hours: 31 }), 30)
    await burnGas(250_000n)
    expect(await claimed()).toMatchObject([
      { status: 'pending', error: expect.stringContaining('the limit is') },
    ])
    await bring()
    await bring()
    expect(await list()).toMatchObject([
      {
        status: 'completed',
        amount: String(amountsOf(receipts.slice(0, 21))),
        error: 'Not paid, claim again: 9 of 30. One transaction cannot pay more of them.',
      },
    ])
    await claimed()
    await finalize()
    await bring()
    expect(await balanceOf(wallet.address, token)).toBe(amountsOf(receipts))
    expect(await claimable()).toEqual([])
  })

  test('beyond the allowance of the day: due when the next day begins, also if the chain is days ahead', async () => {
    await passTime(48 * hour)
    await settle(await createPaying(), 1)
    const bindings = { RELAY_ALLOWANCES: '{"claim_payouts":0}' }
    const by = client({ token: wallet.token, bindings })
    const [withdrawal] = await itemsOf<Withdrawal>(by.post('/v1/me/withdrawals/claims'))
    expect(withdrawal).toMatchObject({ status: 'pending', error: expect.stringContaining('is used up') })
    const { hubActions, clock } = services(env)
    const action = await hubActions.find('claim_payouts', withdrawal?.withdrawal_id ?? '')
    const untilMidnight = 86_400 - (unixNow() % 86_400)
    const wait = (action?.nextAttemptAt ?? 0) - (await clock.now())
    expect([action?.attempts, Math.round((wait - untilMidnight) / 60)]).toEqual([1, 0])
  })

  test('after a reorganisation drops the block of the payment: paid once, in another block', async () => {
    const receipts = await settle(await createPaying(), 2)
    const before = await rpc<string>('evm_snapshot')
    await claimed()
    await finalizeRelays()
    expect(await list()).toMatchObject([{ status: 'completed' }])
    await rpc('evm_revert', before)
    await rpc('anvil_mine', '0x3')
    await readChain()
    expect(await list()).toMatchObject([{ status: 'processing' }])
    expect(await claimable()).toHaveLength(2)
    await services(env).relayer?.wake()
    await finalize()
    await endPauses()
    await bring()
    expect(await list()).toMatchObject([{ status: 'completed', amount: String(amountsOf(receipts)) }])
    expect(await balanceOf(wallet.address)).toBe(amountsOf(receipts))
  })

  // The last, because each schedule that runs after it has all of these epochs to look at.
  test('a hundred payouts of one vault are one transaction', async () => {
    const project = await createPaying(100_000n * tokens, { hours: 102 })
    const receipts = await settle(project, 101)
    const [withdrawal] = await claimed()
    expect(withdrawal).toMatchObject({
      status: 'processing',
      amount: String(amountsOf(receipts.slice(0, 100))),
    })
    await finalize()
    expect(await list()).toMatchObject([{ status: 'completed', tx_hash: withdrawal?.tx_hash }])
    expect(await balanceOf(wallet.address)).toBe(amountsOf(receipts.slice(0, 100)))
    const { gasUsed } = await rpc<{ gasUsed: string }>('eth_getTransactionReceipt', withdrawal?.tx_hash)
    expect(Number(gasUsed)).toBeLessThan(8_000_000)
    expect(await claimed()).toMatchObject([{ epochs: [{ epoch: project.lastEpoch }] }])
  })
})

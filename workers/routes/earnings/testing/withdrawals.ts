import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { decodeFunctionData, encodeErrorResult, getAbiItem, type Hex, toFunctionSelector } from 'viem'
import { beforeAll, beforeEach, expect } from 'vitest'
import { projectVaultAbi } from '../../../../contracts/generated/contracts.ts'
import { contractErrorsAbi } from '../../../../contracts/generated/errors.ts'
import { unixNow } from '../../../../durable-objects/clock.ts'
import { FakeChain } from '../../../../durable-objects/testing/fake-chain.ts'
import type { EpochReceipt } from '../../../../protocol/earnings/index.ts'
import { bringDueActions } from '../../../outbox/hub-actions.ts'
import { services } from '../../../services.ts'
import { createWallet, signIn } from '../../../test/callers.ts'
import { type Client, client, itemsOf } from '../../../test/client.ts'
import {
  createProject,
  createValidators,
  miner,
  submitReceipt,
  type TestProject,
} from '../../../test/epochs.ts'
import { type Happening, IndexedHistory } from '../../../test/indexed-history.ts'
import type { Json } from '../../../test/known-answers.ts'
import { emptyTables, runSql } from '../../../test/tables.ts'

const claimManyAbi = getAbiItem({ abi: projectVaultAbi, name: 'claimMany' })
const claimMany = toFunctionSelector(claimManyAbi)

export const notClaimable = ({ round }: EpochReceipt) =>
  encodeErrorResult({ abi: contractErrorsAbi, errorName: 'NotClaimable', args: [BigInt(round), 7n] })

/** As when all pauses between two tries have passed; nothing else is due. */
export const makeClaimsDue = () =>
  runSql("UPDATE hub_actions SET next_attempt_at = iif(kind = 'claim_payouts', 1, 9e9) WHERE state = 'open'")

export const actionOf = ({ withdrawal_id }: Json) =>
  services(env).hubActions.find('claim_payouts', withdrawal_id)

/** The event of an epoch that is posted, and released long ago. */
export const postingOf = (receipt: EpochReceipt): Happening => ({
  name: 'EpochPosted',
  contract: receipt.vault_address,
  args: {
    epoch: String(receipt.round),
    merkleRoot: receipt.merkle_root,
    receiptHash: receipt.receipt_hash,
    ...{ miner: '1', developer: '1', treasury: '1', releaseAt: '1' },
  },
})

/** A wallet that epochs of a project pay, and a chain on which the hub claims the payouts; new for each test of a file. */
export function withdrawalScene() {
  const chain = new FakeChain()
  let validators: Awaited<ReturnType<typeof createValidators>>
  let history: IndexedHistory
  let project: TestProject
  let wallet: Awaited<ReturnType<typeof signIn>>
  beforeAll(async () => {
    validators = await createValidators(3)
  })
  beforeEach(async () => {
    chain.install()
    chain.down = false
    chain.revert = null
    chain.received.length = 0
    await emptyTables(
      ...['epoch_receipts', 'epoch_shares', 'hub_actions', 'withdrawals', 'chain_cursor', 'chain_blocks'],
      ...['chain_events', 'chain_states', 'chain_states_before'],
    )
    history = new IndexedHistory()
    await history.begin({ number: chain.head, hash: `0x${'be'.repeat(32)}`, timestamp: 1 })
    project = await createProject()
    wallet = await signIn()
  })

  const head = () => history.blocks.at(-1)?.number ?? 0

  /** Everything that is indexed becomes final, as of what the chain has by now. */
  const finalize = async () => {
    for (const one of [chain.head, chain.head + 1])
      while (head() < one) await history.append(unixNow(), [], head())
    await history.append(unixNow(), [], head())
  }

  /** Epochs that pay the wallet, posted and released; the last one before `back` others. */
  async function settle(
    back = 0,
    of = project,
    accounts: readonly string[] = [wallet.address, miner(2), miner(3)],
  ): Promise<EpochReceipt> {
    const units = [...accounts].sort().map((one, i) => ({ miner: one, units: i + 1 }))
    const receipt = await submitReceipt(of, { by: validators, epoch: of.lastEpoch - back, units })
    await history.append(unixNow(), [postingOf(receipt)], head())
    return receipt
  }

  const amountOf = ({ compute_units }: EpochReceipt) =>
    compute_units.find((one) => one.miner === wallet.address)?.amount ?? ''
  const sum = (receipts: readonly EpochReceipt[]) =>
    String(receipts.reduce((total, receipt) => total + BigInt(amountOf(receipt)), 0n))

  /** Wallets that an epoch pays, more than one for each statement. */
  async function settleForMany() {
    const wallets = Array.from({ length: 60 }, () => createWallet())
    const economics = { max_recipients_per_epoch: wallets.length, max_units_per_epoch: wallets.length ** 2 }
    const paying = await createProject({ economics })
    const addresses = wallets.map(({ address }) => address)
    return { wallets, receipt: await settle(0, paying, addresses) }
  }

  /** The chain pays the wallet these, in one block. */
  const pay = (receipts: readonly EpochReceipt[], txHash = `0x${'7a'.repeat(32)}`) =>
    history.append(
      unixNow(),
      receipts.map((receipt) => ({
        name: 'Claimed',
        contract: receipt.vault_address,
        txHash,
        args: { epoch: String(receipt.round), miner: wallet.address, amount: amountOf(receipt) },
      })),
      head(),
    )

  const ask = (body?: object, by: Client = wallet.client) => by.post('/v1/me/withdrawals/claims', body)
  const listed = (by: Client = wallet.client) => itemsOf(by.get('/v1/me/withdrawals?limit=200'))
  const claimed = async (body?: object, by?: Client) => {
    const response = await ask(body, by)
    expect(response.status).toBe(202)
    return itemsOf(response)
  }
  const one = async () => (await listed())[0]
  const withdrawalOf = async ({ round }: EpochReceipt) =>
    (await listed()).find(({ epochs }) => epochs[0].epoch === round)
  const claimable = async () =>
    (await itemsOf(client().get(`/v1/me/claims?address=${wallet.address}`))).map(({ epoch }) => epoch)

  /** The batches of claims that reached the chain. */
  const sent = () =>
    chain.received.flatMap(({ to, data }) => {
      if (!data.startsWith(claimMany)) return []
      const { args } = decodeFunctionData({ abi: [claimManyAbi], data: data as Hex })
      return [{ to, claims: args[0] }]
    })

  const schedule = async () => {
    await makeClaimsDue()
    await bringDueActions(env)
  }

  /** Makes everything that is indexed final, and runs the schedule, which notices it. */
  async function end(): Promise<void> {
    await finalize()
    await schedule()
  }

  /** Mines the sent transactions into a block; then the index reads the payouts of `receipts`. */
  async function mine(receipts: readonly EpochReceipt[] = []): Promise<void> {
    chain.mine()
    await runDurableObjectAlarm(env.RELAYER.getByName(`31337:${services(env).relayer?.signer}`))
    if (receipts.length > 0) await pay(receipts)
  }

  return {
    ...{ chain, head, finalize, settle, sum, settleForMany, pay },
    ...{ ask, listed, claimed, one, withdrawalOf, claimable, sent, schedule, end, mine },
    get history() {
      return history
    },
    get project() {
      return project
    },
    get wallet() {
      return wallet
    },
    /** From here on, requests are those of another wallet. */
    set wallet(next) {
      wallet = next
    },
  }
}

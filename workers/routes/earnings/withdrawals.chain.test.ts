import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { decodeFunctionData, encodeErrorResult, getAbiItem, type Hex, toFunctionSelector } from 'viem'
import { beforeEach, describe, expect, test } from 'vitest'
import { projectVaultAbi } from '../../../contracts/generated/contracts.ts'
import { contractErrorsAbi } from '../../../contracts/generated/errors.ts'
import { unixNow } from '../../../durable-objects/clock.ts'
import { FakeChain } from '../../../durable-objects/testing/fake-chain.ts'
import { type EpochReceipt, hashPayoutLeaf, verifyPayoutProof } from '../../../protocol/earnings/index.ts'
import { bringDueActions } from '../../outbox/hub-actions.ts'
import { services } from '../../services.ts'
import { createOperator, createWallet, signIn } from '../../test/callers.ts'
import { type Client, client, expectRefusal, itemsOf, pagesOf, statusesOf } from '../../test/client.ts'
import { createProject, createValidators, miner, submitReceipt, type TestProject } from '../../test/epochs.ts'
import { failingDatabase } from '../../test/failing-database.ts'
import { IndexedHistory } from '../../test/indexed-history.ts'
import type { Json } from '../../test/known-answers.ts'
import { emptyTables, runSql } from '../../test/tables.ts'

const path = '/v1/me/withdrawals/claims'
const chain = new FakeChain()
let history: IndexedHistory
const validators = await createValidators(3)
let project: TestProject
let wallet: Awaited<ReturnType<typeof signIn>>
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
const notClaimable = ({ round }: EpochReceipt) =>
  encodeErrorResult({ abi: contractErrorsAbi, errorName: 'NotClaimable', args: [BigInt(round), 7n] })

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
  await history.append(
    unixNow(),
    [
      {
        name: 'EpochPosted',
        contract: receipt.vault_address,
        args: {
          epoch: String(receipt.round),
          merkleRoot: receipt.merkle_root,
          receiptHash: receipt.receipt_hash,
          ...{ miner: '1', developer: '1', treasury: '1', releaseAt: '1' },
        },
      },
    ],
    head(),
  )
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

const ask = (body?: object, by: Client = wallet.client) => by.post(path, body)
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

const claimManyAbi = getAbiItem({ abi: projectVaultAbi, name: 'claimMany' })
const claimMany = toFunctionSelector(claimManyAbi)
/** The batches of claims that reached the chain. */
const sent = () =>
  chain.received.flatMap(({ to, data }) => {
    if (!data.startsWith(claimMany)) return []
    const { args } = decodeFunctionData({ abi: [claimManyAbi], data: data as Hex })
    return [{ to, claims: args[0] }]
  })

/** As when all pauses between two tries have passed; nothing else is due. */
const makeClaimsDue = () =>
  runSql("UPDATE hub_actions SET next_attempt_at = iif(kind = 'claim_payouts', 1, 9e9) WHERE state = 'open'")

const schedule = async () => {
  await makeClaimsDue()
  await bringDueActions(env)
}

/** The end of what is indexed, as the hub notices it. */
async function end(): Promise<void> {
  await finalize()
  await schedule()
}

/** What was sent gets into a block, which the index has read. */
async function mine(receipts: readonly EpochReceipt[] = []): Promise<void> {
  chain.mine()
  await runDurableObjectAlarm(env.RELAYER.getByName(`31337:${services(env).relayer?.signer}`))
  if (receipts.length > 0) await pay(receipts)
}

const actionOf = ({ withdrawal_id }: Json) => services(env).hubActions.find('claim_payouts', withdrawal_id)

describe('POST /v1/me/withdrawals/claims', () => {
  test('202: one transaction to each vault claims the payouts, with their proofs', async () => {
    const other = await createProject()
    const receipts = [await settle(2), await settle(1)]
    const third = await settle(0, other)
    const response = await ask()
    expect([response.status, response.headers.get('location')]).toEqual([202, '/v1/me/withdrawals'])
    const items = await itemsOf(response)
    const of = (id: string) => items.find(({ epochs }) => epochs[0].project_id === id)
    expect(items).toHaveLength(2)
    expect(of(project.projectId)).toMatchObject({
      kind: 'claim',
      status: 'processing',
      amount: sum(receipts),
      recipient: wallet.address,
      epochs: receipts.map(({ round }) => ({ project_id: project.projectId, epoch: round, fee: '0' })),
      subscription_id: null,
      fee: '0',
      tx_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      completed_at: null,
      error: null,
    })
    expect(of(other.projectId)).toMatchObject({ amount: sum([third]), epochs: [{ epoch: third.round }] })
    for (const receipt of [...receipts, third]) {
      const batch = sent().find(({ to }) => to === receipt.vault_address)
      const claim = batch?.claims.find(({ epoch }) => epoch === BigInt(receipt.round))
      const payout = { miner: wallet.address, amount: String(claim?.amount) }
      expect(String(claim?.miner).toLowerCase()).toBe(wallet.address)
      const leaf = hashPayoutLeaf(receipt.project_id, receipt.round, payout)
      expect(verifyPayoutProof(receipt.merkle_root, leaf, claim?.proof ?? [])).toBe(true)
    }
    expect(new Set(await listed())).toEqual(new Set(items))
  })

  test('is completed by what the chain says was paid, and over when that is final', async () => {
    const receipts = [await settle(1), await settle()]
    const [{ withdrawal_id, tx_hash }] = await claimed()
    chain.mine()
    await runDurableObjectAlarm(env.RELAYER.getByName(`31337:${services(env).relayer?.signer}`))
    const paid = await pay(receipts, tx_hash ?? '')
    const completed = {
      withdrawal_id,
      status: 'completed',
      amount: sum(receipts),
      tx_hash,
      completed_at: paid.timestamp,
    }
    expect(await one()).toMatchObject(completed)
    expect(await claimable()).toEqual([])
    await schedule()
    expect(await actionOf(await one())).toMatchObject({ state: 'open', attempts: 1 })
    await end()
    expect(await actionOf(await one())).toMatchObject({ state: 'done', attempts: 1 })
    expect(await one()).toMatchObject(completed)
    await expectRefusal(ask(), '409 conflict')
    expect(sent()).toHaveLength(1)
  })

  test('409 conflict: nothing can be claimed, or a withdrawal claims it already', async () => {
    await expectRefusal(ask(), '409 conflict')
    await settle()
    await claimed()
    await expectRefusal(ask(), '409 conflict')
    const later = await settle(1)
    expect(await claimed()).toMatchObject([{ epochs: [{ epoch: later.round }] }])
  })

  test('404 not_found: a project that nobody submitted, or that is not public', async () => {
    await settle()
    const unknown = `0x${'0f'.repeat(32)}`
    await expectRefusal(ask({ project_ids: [project.projectId, unknown] }), '404 not_found')
    const hidden = await createProject()
    await runSql(
      "UPDATE projects SET listing_status = 'pending_review' WHERE project_id = ?",
      hidden.projectId,
    )
    await expectRefusal(ask({ project_ids: [hidden.projectId] }), '404 not_found')
    expect(await claimable()).toHaveLength(1)
    expect(sent()).toEqual([])
  })

  test('only of the projects that are named, and of any known one nothing is 409', async () => {
    const other = await createProject()
    await settle()
    expect((await ask({ project_ids: [other.projectId] })).status).toBe(409)
    await settle(0, other)
    expect(await claimed({ project_ids: [other.projectId] })).toMatchObject([
      { epochs: [{ project_id: other.projectId }] },
    ])
    expect(sent()).toHaveLength(1)
  })

  test('429 rate_limited: an eleventh request of a wallet in a minute', async () => {
    for (let i = 0; i < 10; i++) expect((await ask()).status).toBe(409)
    await expectRefusal(ask(), '429 rate_limited')
  })

  test('of requests at once, each payout is in one withdrawal', async () => {
    const receipts = [await settle(2), await settle(1), await settle()]
    expect(await statusesOf(Array.from({ length: 10 }, () => ask()))).toEqual([202, ...Array(9).fill(409)])
    expect(sent()).toHaveLength(1)
    expect(await one()).toMatchObject({ amount: sum(receipts) })
  })

  test('takes the hundred oldest payouts of a vault', async () => {
    const receipt = await settle()
    await runSql(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 104)
      INSERT INTO epoch_shares (miner, project_id, epoch, units, amount, leaf)
      SELECT ?, ?, i, 1, '7', 0 FROM n`,
      wallet.address,
      project.projectId,
    )
    await runSql(`INSERT INTO epoch_receipts SELECT project_id, s.epoch, epoch_secs, starts_at, vault, consensus_hash, receipt_hash,
        merkle_root, token, totals, recipients, leaves, attestations, accepted_at, state, settlement, error, posted_tx,
        posted_block, posted_at, release_at
      FROM epoch_receipts JOIN (SELECT epoch FROM epoch_shares WHERE amount = '7') AS s`)
    const { items: first, more } = (await (await ask()).json()) as { items: Json[]; more: boolean }
    expect([first, more]).toMatchObject([[{ amount: '700', status: 'processing' }], true])
    expect(first[0]?.epochs.map(({ epoch }: Json) => epoch)).toEqual(
      Array.from({ length: 100 }, (_, i) => i + 1),
    )
    const second = await claimed()
    expect(second[0].epochs.map(({ epoch }: Json) => epoch)).toEqual([101, 102, 103, 104, receipt.round])
    expect(sent().map(({ claims }) => claims.length)).toEqual([100, 5])
  })
})

describe('a withdrawal ends, whatever happens', () => {
  test('somebody else claims all of it before the hub does', async () => {
    const receipts = [await settle(1), await settle()]
    chain.down = true
    const [first] = await claimed()
    expect(first).toMatchObject({ status: 'pending', tx_hash: null })
    chain.down = false
    await pay(receipts, `0x${'57'.repeat(32)}`)
    expect(await one()).toMatchObject({
      status: 'completed',
      amount: sum(receipts),
      tx_hash: `0x${'57'.repeat(32)}`,
      error: null,
    })
    await end()
    expect(await actionOf(first)).toMatchObject({ state: 'done' })
    expect(sent()).toEqual([])
  })

  test('somebody else claims a part of it first: the rest is claimed', async () => {
    const [theirs, ours] = [await settle(1), await settle()]
    await claimed()
    await pay([theirs], `0x${'57'.repeat(32)}`)
    expect(await one()).toMatchObject({ status: 'processing' })
    await mine([ours])
    expect(await one()).toMatchObject({ status: 'completed', amount: sum([theirs, ours]) })
    await end()
    expect(await one()).toMatchObject({ status: 'completed', amount: sum([theirs, ours]), error: null })
  })

  test('a token that refuses the wallet: failed, and claimable again', async () => {
    const receipt = await settle()
    const [first] = await claimed()
    await mine()
    await schedule()
    expect(await one()).toMatchObject({ status: 'processing' })
    await end()
    const failed = {
      withdrawal_id: first?.withdrawal_id,
      status: 'failed',
      amount: sum([receipt]),
      tx_hash: first?.tx_hash,
      completed_at: null,
      error: 'The token refuses to pay the wallet.',
    }
    expect(await one()).toMatchObject(failed)
    expect(await actionOf(first)).toMatchObject({ state: 'done', attempts: 1 })
    expect(await claimable()).toEqual([receipt.round])
    const [second] = await claimed()
    await mine([receipt])
    expect(second?.withdrawal_id).not.toBe(first?.withdrawal_id)
    expect(await listed()).toEqual(
      expect.arrayContaining([
        expect.objectContaining(failed),
        expect.objectContaining({ withdrawal_id: second?.withdrawal_id, status: 'completed' }),
      ]),
    )
  })

  test('a token that refuses a part: completed with what was paid, the rest claimable again', async () => {
    const [refused, paid] = [await settle(1), await settle()]
    await claimed()
    await mine([paid])
    await end()
    expect(await one()).toMatchObject({
      status: 'completed',
      amount: sum([paid]),
      epochs: [{ epoch: paid.round }],
      error: expect.stringContaining('1 of 2'),
    })
    expect(await claimable()).toEqual([refused.round])
    expect(await claimed()).toMatchObject([{ epochs: [{ epoch: refused.round }] }])
  })

  test('the chain does not answer: pending, and claimed once it does', async () => {
    const receipt = await settle()
    chain.down = true
    expect(await claimed()).toMatchObject([
      { status: 'pending', tx_hash: null, error: expect.stringContaining('not available') },
    ])
    await schedule()
    expect(await one()).toMatchObject({ status: 'pending' })
    chain.down = false
    await schedule()
    expect(await one()).toMatchObject({ status: 'processing', error: null })
    await mine([receipt])
    expect(await one()).toMatchObject({ status: 'completed' })
    expect(sent()).toHaveLength(1)
  })

  test('a hub without a chain keeps it', async () => {
    await settle()
    const mute = client({ token: wallet.token, bindings: { RELAYER_PRIVATE_KEY: undefined as never } })
    expect(await claimed(undefined, mute)).toMatchObject([{ status: 'pending', tx_hash: null }])
    await schedule()
    expect(await one()).toMatchObject({ status: 'processing' })
  })

  test('a contract that refuses it again and again: failed with the reason, and claimable again', async () => {
    const receipt = await settle()
    chain.revert = notClaimable(receipt)
    const [first] = await claimed()
    expect(first).toMatchObject({ status: 'pending', error: expect.stringContaining('NotClaimable') })
    for (let tries = 2; tries <= 5; tries++) await schedule()
    expect(await one()).toMatchObject({
      status: 'failed',
      tx_hash: null,
      error: expect.stringContaining('NotClaimable'),
    })
    expect(await actionOf(first)).toMatchObject({ state: 'done', attempts: 5 })
    chain.revert = null
    expect(await claimed()).toMatchObject([{ status: 'processing', epochs: [{ epoch: receipt.round }] }])
  })

  test('a transaction that reverts in its block is followed by another one', async () => {
    const receipt = await settle()
    const [first] = await claimed()
    chain.minedRevert = notClaimable(receipt)
    await mine()
    chain.minedRevert = null
    expect(await one()).toMatchObject({ status: 'pending' })
    await schedule()
    const again = await one()
    expect(again).toMatchObject({ status: 'processing' })
    expect(again.tx_hash).not.toBe(first?.tx_hash)
    await mine([receipt])
    expect(await one()).toMatchObject({ status: 'completed' })
  })

  test('a reorganisation takes the payment back: it is on its way again, and nothing is claimed twice', async () => {
    const receipt = await settle()
    const [first] = await claimed()
    const before = head()
    await mine([receipt])
    expect(await one()).toMatchObject({ status: 'completed' })
    await history.rollback(before)
    expect(await one()).toMatchObject({ ...first, status: 'processing', completed_at: null })
    expect(await claimable()).toEqual([receipt.round])
    expect((await ask()).status).toBe(409)
    await pay([receipt])
    await end()
    expect(await one()).toMatchObject({ status: 'completed', amount: sum([receipt]) })
    expect(sent()).toHaveLength(1)
  })

  test('what a wallet may have claimed in a day is used up: it goes on with the next day', async () => {
    const bindings = { RELAY_ALLOWANCES: '{"claim_payouts":1}' }
    const by = client({ token: wallet.token, bindings })
    await settle(1)
    expect(await claimed(undefined, by)).toMatchObject([{ status: 'processing' }])
    await settle()
    const [second] = await claimed(undefined, by)
    const midnight = (Math.floor(unixNow() / 86_400) + 1) * 86_400
    expect(second).toMatchObject({
      status: 'pending',
      error: `The daily relay allowance of the wallet is used up. It goes on at ${new Date(midnight * 1000).toISOString().replace('.000Z', 'Z')}.`,
    })
    expect(await actionOf(second)).toMatchObject({ nextAttemptAt: midnight })
    // The allowance of this hub is larger, as it is on the next day.
    await schedule()
    expect(await one()).toMatchObject({ status: 'processing', error: null })
  })

  test('an operator gives it up: failed, and claimable again', async () => {
    const receipt = await settle()
    chain.down = true
    const [first] = await claimed()
    while (((await actionOf(first))?.attempts ?? 0) < 8) await schedule()
    const operator = await createOperator()
    const letter = `claim_payouts:${first.withdrawal_id}`
    expect(
      (await operator.client.post(`/admin/v1/dead-letters/${letter}/close`, { reason: 'Enough.' })).status,
    ).toBe(200)
    expect(await one()).toMatchObject({ status: 'failed', error: expect.any(String) })
    chain.down = false
    expect(await claimed()).toMatchObject([{ status: 'processing', epochs: [{ epoch: receipt.round }] }])
  })

  /** Acts with a database that fails at its first statement, then at its second, until it has no such statement. */
  async function failEach(carriedOut: boolean, act: (fail: () => D1Database, at: string) => Promise<void>) {
    for (let fault = 1, failed = true; failed; fault++) {
      failed = false
      const isFault = (_: string, statement: number) => {
        failed ||= statement === fault
        return statement === fault
      }
      await act(() => failingDatabase(isFault, { carriedOut }), `statement ${fault}`)
    }
  }

  test.each([true, false])(
    'the database fails at any statement, which was carried out (%s): each payout is claimed once',
    async (carriedOut) => {
      const { wallets, receipt } = await settleForMany()
      await failEach(carriedOut, async (fail, at) => {
        wallet = await signIn(wallets.pop())
        const before = sent().length
        const first = await ask(undefined, client({ token: wallet.token, bindings: { DB: fail() } }))
        expect([202, 503], at).toContain(first.status)
        // A client whose request failed asks again.
        if (first.status === 503) expect([202, 409]).toContain((await ask()).status)
        await schedule()
        await mine()
        expect(sent().length - before, at).toBe(1)
        await pay([receipt])
        await end()
        const completed = { status: 'completed', amount: sum([receipt]) }
        expect(await withdrawalOf(receipt), at).toMatchObject(completed)
      })
    },
  )

  test.each([true, false])(
    'the schedule stops at any statement, which was carried out (%s): the next one goes on',
    async (carriedOut) => {
      const { wallets, receipt } = await settleForMany()
      await failEach(carriedOut, async (fail, at) => {
        const failing = async () => {
          await makeClaimsDue()
          await bringDueActions({ ...env, DB: fail() }).catch(() => {})
        }
        wallet = await signIn(wallets.pop())
        const before = sent().length
        chain.down = true
        await claimed()
        chain.down = false
        await failing()
        await schedule()
        await mine()
        expect(sent().length - before, at).toBe(1)
        await pay([receipt])
        await finalize()
        await failing()
        await schedule()
        const withdrawal = await withdrawalOf(receipt)
        expect(withdrawal, at).toMatchObject({ status: 'completed', amount: sum([receipt]) })
        expect(await actionOf(withdrawal)).toMatchObject({ state: 'done' })
      })
    },
  )
})

describe('GET /v1/me/withdrawals', () => {
  test('lists those of the wallet, newest first, in pages', async () => {
    for (const back of [2, 1, 0]) {
      await settle(back)
      await claimed()
    }
    const [newest, next, oldest] = await listed()
    expect(await pagesOf(wallet.client, '/v1/me/withdrawals', 2)).toEqual([[newest, next], [oldest]])
    expect(await listed((await signIn()).client)).toEqual([])
  })
})

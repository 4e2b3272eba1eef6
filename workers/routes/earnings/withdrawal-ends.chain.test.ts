import { env } from 'cloudflare:workers'
import { decodeFunctionData } from 'viem'
import { describe, expect, onTestFinished, test } from 'vitest'
import { projectVaultAbi } from '../../../contracts/generated/contracts.ts'
import { unixNow } from '../../../durable-objects/clock.ts'
import { bringDueActions } from '../../outbox/hub-actions.ts'
import { createOperator, signIn } from '../../test/callers.ts'
import { client } from '../../test/client.ts'
import { failingDatabase } from '../../test/failing-database.ts'
import { actionOf, makeClaimsDue, notClaimable, withdrawalScene } from './testing/withdrawals.ts'

const scene = withdrawalScene()
const { chain, head, finalize, settle, sum, settleForMany, pay } = scene
const { ask, listed, claimed, one, withdrawalOf, claimable, sent, schedule, end, mine } = scene

describe('a withdrawal always ends', () => {
  test('another sender claims all of it before the hub does', async () => {
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

  test('another sender claims a part of it first: the hub claims the rest', async () => {
    const [theirs, ours] = [await settle(1), await settle()]
    await claimed()
    await pay([theirs], `0x${'57'.repeat(32)}`)
    expect(await one()).toMatchObject({ status: 'processing' })
    await mine([ours])
    expect(await one()).toMatchObject({ status: 'completed', amount: sum([theirs, ours]) })
    await end()
    expect(await one()).toMatchObject({ status: 'completed', amount: sum([theirs, ours]), error: null })
  })

  test.each([
    ['says how much gas it takes', Number.POSITIVE_INFINITY],
    ['estimates only up to a limit', 16_000_000],
  ])(
    'a token whose first transfer takes most gas: as many as one transaction can pay, where the node %s',
    async (_, gasCap) => {
      for (let ago = 0; ago < 12; ago++) await settle(ago)
      const asked: number[] = []
      chain.gasCap = gasCap
      chain.gasOf = (data) => {
        const { args } = decodeFunctionData({ abi: projectVaultAbi, data })
        const { length } = (args as readonly [readonly unknown[]])[0]
        asked.push(length)
        return 5_000_000 + length * 1_000_000
      }
      onTestFinished(() => void Object.assign(chain, { gasOf: null, gasCap: Number.POSITIVE_INFINITY }))
      await claimed()
      for (let tries = 0; tries < 2; tries++) {
        await makeClaimsDue()
        await schedule()
      }
      expect(asked).toEqual([12, 4, 2])
      expect(sent().map(({ claims }) => claims.length)).toEqual([2])
      expect(await one()).toMatchObject({ status: 'processing' })
    },
  )

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

  test('a hub without a relayer key stores it: pending, and claimed later', async () => {
    await settle()
    const mute = client({ token: scene.wallet.token, bindings: { RELAYER_PRIVATE_KEY: undefined as never } })
    expect(await claimed(undefined, mute)).toMatchObject([{ status: 'pending', tx_hash: null }])
    await schedule()
    expect(await one()).toMatchObject({ status: 'processing' })
  })

  test('the contract refuses it five times: failed with the reason, and claimable again', async () => {
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

  test('attempts that reach no chain do not count: the contract refuses five times before it is failed', async () => {
    const receipt = await settle()
    chain.down = true
    const [first] = await claimed()
    for (let tries = 2; tries <= 5; tries++) await schedule()
    chain.down = false
    chain.revert = notClaimable(receipt)
    for (let refusals = 1; refusals <= 4; refusals++) await schedule()
    expect(await one()).toMatchObject({
      status: 'pending',
      error: expect.stringContaining('NotClaimable'),
    })
    expect(await actionOf(first)).toMatchObject({ state: 'open', attempts: 9 })
    await schedule()
    expect(await one()).toMatchObject({ status: 'failed', error: expect.stringContaining('NotClaimable') })
    chain.revert = null
    expect(await claimed()).toMatchObject([{ status: 'processing', epochs: [{ epoch: receipt.round }] }])
  })

  test('the transaction reverts in its block: another one follows', async () => {
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

  test('a reorganisation reverts the payment: processing again, and nothing is claimed twice', async () => {
    const receipt = await settle()
    const [first] = await claimed()
    const before = head()
    await mine([receipt])
    expect(await one()).toMatchObject({ status: 'completed' })
    await scene.history.rollback(before)
    expect(await one()).toMatchObject({ ...first, status: 'processing', completed_at: null })
    expect(await claimable()).toEqual([receipt.round])
    expect((await ask()).status).toBe(409)
    await pay([receipt])
    await end()
    expect(await one()).toMatchObject({ status: 'completed', amount: sum([receipt]) })
    expect(sent()).toHaveLength(1)
  })

  test('the wallet has used up its daily limit of claims: pending until the next day', async () => {
    const bindings = { RELAY_ALLOWANCES: '{"claim_payouts":1}' }
    const by = client({ token: scene.wallet.token, bindings })
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

  test('an operator closes its dead letter: failed, and claimable again', async () => {
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
    'the database fails at any statement (executed before the failure: %s): each payout is claimed once',
    async (carriedOut) => {
      const { wallets, receipt } = await settleForMany()
      await failEach(carriedOut, async (fail, at) => {
        scene.wallet = await signIn(wallets.pop())
        const before = sent().length
        const first = await ask(undefined, client({ token: scene.wallet.token, bindings: { DB: fail() } }))
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
    'the schedule fails at any statement (executed before the failure: %s): the next run continues',
    async (carriedOut) => {
      const { wallets, receipt } = await settleForMany()
      await failEach(carriedOut, async (fail, at) => {
        const failing = async () => {
          await makeClaimsDue()
          await bringDueActions({ ...env, DB: fail() }).catch(() => {})
        }
        scene.wallet = await signIn(wallets.pop())
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

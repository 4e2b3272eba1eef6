import { createScheduledController } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { encodeFunctionData, type Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import { hubTokenAbi } from '../../contracts/generated/contracts.ts'
import type { TypedData } from '../../protocol/actions/index.ts'
import { deriveProjectId, deriveSubscriptionId, resolveProfile } from '../../protocol/identity/index.ts'
import { ApiError } from '../errors.ts'
import hub from '../index.ts'
import { services } from '../services.ts'
import { asAccount, chain, finalizeRelays, passUnbonding, rpc, send } from '../test/chain.ts'
import { bodyOf, errorOf, expectAnswer, expectRefusal } from '../test/client.ts'
import { answerGasless } from '../test/handle.ts'
import type { RequestedAction } from './action-calls.ts'
import { encodeActionCall } from './action-calls.ts'
import {
  approval,
  bondOf,
  collateral,
  createOwner,
  fresh32,
  permitCall,
  readTransaction,
  type SignedBody,
  setPayout,
  steps,
} from './testing/owners-on-chain.ts'

const state = (kind: 'project' | 'subscription', id: string) => services(env).chainIndex.state(kind, id)

const balanceOf = async (account: string) => {
  const data = encodeFunctionData({ abi: hubTokenAbi, functionName: 'balanceOf', args: [account as Hex] })
  return BigInt(await rpc<string>('eth_call', { to: chain?.contracts.token, data }, 'latest'))
}

const confirmed = { status: 'confirmed', error: null }
const refusedFor = (reason: string) => ({ status: 409, error: 'invalid_state', details: { reason } })
const isConflict = (details: object) => ({ status: 409, error: 'conflict', details })
const lacksCollateral = (details: object) => ({ status: 422, error: 'insufficient_collateral', details })

const account = async (index: number) => (await rpc<string[]>('eth_accounts'))[index] as string

const sendDearly = (from: string, to: string | undefined, data: string) =>
  rpc<string>('eth_sendTransaction', {
    ...{ from, to, data, gas: '0xf4240' },
    ...{ maxFeePerGas: '0x174876e800', maxPriorityFeePerGas: '0x12a05f2000' },
  })

/** Whether the node holds a transaction of the relayer that no block has. */
async function pendingOfRelayer(): Promise<boolean> {
  const countAt = (block: string) =>
    rpc<string>('eth_getTransactionCount', services(env).relayer?.signer, block)
  return (await countAt('pending')) !== (await countAt('latest'))
}

/** Has nothing mined until all of it was sent. */
async function inOneBlock<T>(work: () => Promise<T>): Promise<T> {
  await rpc('evm_setAutomine', false)
  const result = await work()
  await rpc('evm_mine')
  await rpc('evm_setAutomine', true)
  return result
}

describe.skipIf(chain === null)('actions of owners, on the contracts', () => {
  test('register_project and publish_version', async () => {
    const { account: developer, act } = await createOwner()
    const projectId = deriveProjectId(resolveProfile(), developer, 'my-project')
    const version = { worker: fresh32(), consensusHash: fresh32(), manifestHash: fresh32() }
    const registration = { developer, slug: 'my-project', ...version }
    expect(await act('register_project', registration)).toMatchObject(confirmed)
    const { worker, manifestHash: manifest_hash } = version
    const registered = { developer, slug: 'my-project', worker, version: 1, manifest_hash }
    expect(await state('project', projectId)).toMatchObject(registered)
    expect(await act('register_project', registration)).toMatchObject(refusedFor('AlreadyRegistered'))

    const [consensusHash, manifestHash] = [fresh32(), fresh32()]
    const next = { developer, projectId, version: 2, consensusHash, manifestHash }
    expect(await act('publish_version', next)).toMatchObject(confirmed)
    const published = { version: 2, consensus_hash: consensusHash, manifest_hash: manifestHash }
    expect(await state('project', projectId)).toMatchObject(published)
    expect(await act('publish_version', next)).toMatchObject(refusedFor('VersionNotNewer'))
  })

  test('bond, set_payout, unbond and withdraw, and then the same again', async () => {
    const { account: owner, act } = await createOwner()
    const { message: bond, subscriptionId } = bondOf(owner)
    const payout = `0x${'0f'.repeat(20)}`

    const early = await act('set_payout', { owner, subscriptionId, payout })
    expect(early).toMatchObject(refusedFor('InvalidState'))
    expect(await act('bond', bond)).toMatchObject(confirmed)
    const device = { project_id: bond.projectId, node_key: bond.nodeKey }
    const bonded = { status: 'bonded', owner, ...device, collateral: bond.amount, payout: owner }
    expect(await state('subscription', subscriptionId)).toMatchObject(bonded)
    expect(await balanceOf(owner)).toBe(collateral)
    expect(await act('set_payout', { owner, subscriptionId, payout })).toMatchObject(confirmed)
    expect(await state('subscription', subscriptionId)).toMatchObject({ payout })
    expect(await act('set_payout', { owner, subscriptionId, payout: owner })).toMatchObject(confirmed)
    expect(await state('subscription', subscriptionId)).toMatchObject({ payout: owner })

    expect(await act('withdraw', { owner, subscriptionId })).toMatchObject(refusedFor('InvalidState'))
    expect(await act('unbond', { owner, subscriptionId })).toMatchObject(confirmed)
    expect(await state('subscription', subscriptionId)).toMatchObject({ status: 'unbonding' })
    expect(await act('withdraw', { owner, subscriptionId })).toMatchObject(refusedFor('NotReleased'))

    await passUnbonding()
    expect(await act('withdraw', { owner, subscriptionId })).toMatchObject(confirmed)
    expect(await state('subscription', subscriptionId)).toMatchObject({ status: 'closed', collateral: '0' })
    expect(await balanceOf(owner)).toBe(2n * collateral)
    expect(await act('bond', bond)).toMatchObject(confirmed)
    expect(await state('subscription', subscriptionId)).toMatchObject({ status: 'bonded', payout: owner })
  })

  test('one owner: five actions in a row pass; of two parallel actions, one is told to wait for the other', async () => {
    const { account: owner, act, payloadOf, signed, post } = await createOwner()
    const { message, subscriptionId } = bondOf(owner)
    await act('bond', message)
    const payouts = ['01', '02', '03', '04', '05'].map((byte) => `0x${byte.repeat(20)}`)
    for (const payout of payouts) {
      expect(await act('set_payout', { owner, subscriptionId, payout })).toMatchObject(confirmed)
      expect(await state('subscription', subscriptionId)).toMatchObject({ payout })
    }

    const bodies = await Promise.all(
      payouts.slice(0, 2).map(async (payout) => {
        const request = setPayout(owner, subscriptionId, payout)
        return { request, body: signed(await payloadOf(request)) }
      }),
    )
    const id = await inOneBlock(async () => {
      const answers = await Promise.all(bodies.map(({ request, body }) => post(request, body)))
      const [taken, other] = answers.sort((a, b) => a.status - b.status) as [Response, Response]
      const { id: transaction_id } = await bodyOf(taken)
      expect([taken.status, await errorOf(other)]).toMatchObject([202, isConflict({ transaction_id })])
      return transaction_id
    })
    await finalizeRelays()
    expect(await readTransaction(id)).toMatchObject(confirmed)
  })

  test('a bond succeeds even if a stranger submitted its permit to the token first', async () => {
    const { account: owner, payloadOf, signed, post } = await createOwner()
    const { subscriptionId, ...request } = bondOf(owner)
    const body = signed(await payloadOf(request))
    const stranger = await account(5)
    // Everything the hub asks the chain comes before the permit is spent, as in a race.
    const relayed = await inOneBlock(async () => {
      const answered = await post(request, body)
      await expect.poll(pendingOfRelayer).toBe(true)
      await sendDearly(stranger, chain?.contracts.token, permitCall(body))
      return answered
    })
    const { id } = await bodyOf(relayed)
    expect(relayed.status).toBe(202)
    type Block = { transactions: { from: string }[] }
    const { transactions } = await rpc<Block>('eth_getBlockByNumber', 'latest', true)
    expect(transactions.map(({ from }) => from)).toEqual([stranger, services(env).relayer?.signer])
    await finalizeRelays()
    expect(await readTransaction(id)).toMatchObject(confirmed)
    expect(await state('subscription', subscriptionId)).toMatchObject({ collateral: String(collateral) })
  })

  test('a bond succeeds even if its permit was submitted to the token before the hub received it', async () => {
    const { account: owner, payloadOf, signed, post } = await createOwner()
    const request = bondOf(owner)
    const body = signed(await payloadOf(request))
    await send(await account(5), chain?.contracts.token ?? '', permitCall(body))
    expect((await post(request, body)).status).toBe(202)
    await finalizeRelays()
  })

  /** Brings a signed body to the contract as anyone may, and answers with the transaction's hash once it is in a block. */
  const bringAsStranger = async (
    { action }: RequestedAction,
    { typed_data, signature, permit, permit_signature }: SignedBody,
  ) => {
    const accepted = (typed: TypedData, by: string) => ({
      message: typed.message,
      signature: by as Hex,
      digest: '0x' as const,
    })
    const data = encodeActionCall(action, {
      ...accepted(typed_data, signature),
      permit: permit && permit_signature ? accepted(permit, permit_signature) : null,
    })
    return sendDearly(await account(6), typed_data.domain.verifyingContract, data)
  }

  test("if a stranger submits the action while that of the hub waits, the stranger's transaction confirms it", async () => {
    const { account: owner, act, payloadOf, signed, post } = await createOwner()
    const { message, subscriptionId } = bondOf(owner)
    const payout = `0x${'0f'.repeat(20)}`
    const request = setPayout(owner, subscriptionId, payout)
    await act('bond', message)
    const body = signed(await payloadOf(request))
    const { id, tx_hash } = await inOneBlock(async () => {
      const relayed = (await (await post(request, body)).json()) as { id: string }
      await expect.poll(() => services(env).relayer?.find(relayed.id)).toMatchObject({ status: 'sent' })
      return { id: relayed.id, tx_hash: await bringAsStranger(request, body) }
    })
    await finalizeRelays()
    expect(await readTransaction(id)).toMatchObject({ ...confirmed, tx_hash })
    await expectAnswer(post(request, body), 202, { id, ...confirmed, tx_hash })
    expect(await state('subscription', subscriptionId)).toMatchObject({ payout })
  })

  test('every action that a stranger submitted before it was posted is answered as done', async () => {
    const { account, payloadOf, signed, post } = await createOwner()
    const [projectId, nodeKey] = [deriveProjectId(resolveProfile(), account, 'a-project'), fresh32()]
    const owned = { owner: account, subscriptionId: deriveSubscriptionId(projectId, account, nodeKey) }
    const hashes = () => ({ consensusHash: fresh32(), manifestHash: fresh32() })
    const closed = () => {
      throw new ApiError('invalid_state', 'It is done already.')
    }
    for (const [action, message] of [
      ['register_project', { developer: account, slug: 'a-project', worker: fresh32(), ...hashes() }],
      ['publish_version', { developer: account, projectId, version: 2, ...hashes() }],
      ['bond', { owner: account, projectId, nodeKey, amount: String(collateral) }],
      [
        'bond_batch',
        {
          owner: account,
          ...{ projectIds: [projectId, fresh32()], nodeKeys: [nodeKey, fresh32()] },
          amounts: ['1', String(collateral / 2n)],
        },
      ],
      ['set_payout', { ...owned, payout: `0x${'0f'.repeat(20)}` }],
      ['set_payout', { ...owned, payout: account }],
      ['unbond', owned],
      ['withdraw', owned],
    ] as const) {
      if (action === 'withdraw') await passUnbonding()
      const request: RequestedAction = { action, account, message }
      const body = signed(await payloadOf(request))
      const tx_hash = await bringAsStranger(request, body)
      await expect.poll(() => rpc('eth_getTransactionReceipt', tx_hash)).toMatchObject({ status: '0x1' })
      const { nextNonce } = (await services(env).relayer?.health()) ?? {}
      const posted = await post(request, body)
      const answered = await bodyOf(posted)
      expect([posted.status, answered]).toMatchObject([202, { action, ...confirmed, tx_hash }])
      expect(await readTransaction(answered.id)).toEqual(answered)
      // Also where the record shows already that it is done.
      await expectAnswer(answerGasless(steps, { ...request, requireState: closed }, body), 202, {
        ...confirmed,
        tx_hash,
      })
      expect((await services(env).relayer?.health())?.nextNonce).toBe(nextNonce)
    }
  })

  test('an action of a stranger counts as sent until it has enough confirmations, and the schedule follows it', async () => {
    const { account: owner, payloadOf, signed } = await createOwner()
    const request = bondOf(owner)
    const body = signed(await payloadOf(request))
    const tx_hash = await bringAsStranger(request, body)
    await expect.poll(() => rpc('eth_getTransactionReceipt', tx_hash)).toMatchObject({ status: '0x1' })
    const patient = { ...env, CHAIN_CONFIRMATIONS: '5' }
    const posted = await answerGasless(steps, { ...request, requireState() {} }, body, patient)
    const { id, ...shown } = await bodyOf(posted)
    expect([posted.status, shown]).toMatchObject([202, { status: 'sent', tx_hash }])
    await hub.scheduled(createScheduledController(), patient)
    expect(await readTransaction(id)).toMatchObject({ status: 'sent' })
    await rpc('anvil_mine', '0x5')
    await hub.scheduled(createScheduledController(), patient)
    expect(await readTransaction(id)).toMatchObject({ ...confirmed, tx_hash })
  })

  test('409 conflict: another action with the same content, and a used nonce', async () => {
    const { account: owner, act, payloadOf, signed, post } = await createOwner()
    const bond = bondOf(owner)
    const first = { ...bond, message: { ...bond.message, amount: '5' } }
    const body = signed(await payloadOf(first))
    await act('bond', first.message)
    // Signed for the same nonce, with a deadline that no other payload has: it was not what the first transaction carried.
    const { typed_data } = body
    const sooner = String(Number(typed_data.message.deadline) - 600)
    const changed = { ...typed_data, message: { ...typed_data.message, deadline: sooner } }
    const twin = signed({ ...(await payloadOf(first)), typed_data: changed })
    await expectRefusal(post(first, twin), '409 conflict')
  })

  test('409 conflict: a nonce that is not the current one', async () => {
    const { account: owner, act, payloadOf, signed, post } = await createOwner()
    const stale = signed(await payloadOf(bondOf(owner)))
    await act('bond', bondOf(owner).message)
    const { nextNonce } = (await services(env).relayer?.health()) ?? {}
    expect(await errorOf(post({ ...bondOf(owner), message: { owner } }, stale))).toMatchObject(
      isConflict({ reason: 'nonce', current_nonce: '1' }),
    )
    expect((await services(env).relayer?.health())?.nextNonce).toBe(nextNonce)
  })

  test('409 conflict: the nonce is checked before the balance', async () => {
    const { account: owner, act, payloadOf, signed, post } = await createOwner()
    const tooMuch = bondOf(owner, 3n * collateral)
    const stale = signed(await payloadOf(tooMuch))
    await act('bond', bondOf(owner).message)
    expect(await errorOf(post(tooMuch, stale))).toMatchObject(isConflict({ reason: 'nonce' }))
  })

  test('409 conflict: a permit whose nonce was used by another permit with a lower allowance', async () => {
    const { account: owner, payloadOf, signed, post } = await createOwner()
    const request = bondOf(owner)
    const body = signed(await payloadOf(request))
    const smaller = signed(await payloadOf(bondOf(owner, 1n)))
    await send(await account(5), chain?.contracts.token ?? '', permitCall(smaller))
    expect(await errorOf(post(request, body))).toMatchObject(isConflict({ reason: 'permit_nonce' }))
  })

  test('422 insufficient_collateral: a bond above the balance, or below the minimum of the contract', async () => {
    const { account: owner, submit } = await createOwner(7n)
    expect(await errorOf(submit(bondOf(owner, 8n)))).toMatchObject(
      lacksCollateral({ balance: '7', amount: '8' }),
    )
    expect(await errorOf(submit(bondOf(owner, 4n)))).toMatchObject(
      lacksCollateral({ reason: 'bond_minimum', collateral: '4', minimum: '5' }),
    )
    expect((await submit(bondOf(owner, 7n))).status).toBe(202)
    await finalizeRelays()
  })

  test('a bond without a permit needs an allowance, and uses it if it exists', async () => {
    const { account: owner, payloadOf, signed, post } = await createOwner()
    const request = bondOf(owner)
    const { typed_data, signature } = signed(await payloadOf(request))
    expect(await errorOf(post(request, { typed_data, signature }))).toMatchObject(
      lacksCollateral({ reason: 'ERC20InsufficientAllowance' }),
    )
    await asAccount(owner, () => send(owner, chain?.contracts.token ?? '', approval()))
    expect((await post(request, { typed_data, signature })).status).toBe(202)
    await finalizeRelays()
  })

  test('the direct transaction of the owner has the same effect', async () => {
    const { account: owner, payloadOf } = await createOwner()
    const { subscriptionId, ...bond } = bondOf(owner)
    const payout = `0x${'0f'.repeat(20)}`
    const unbond: RequestedAction = { action: 'unbond', account: owner, message: { owner, subscriptionId } }
    await asAccount(owner, async () => {
      await send(owner, chain?.contracts.token ?? '', approval())
      for (const request of [bond, setPayout(owner, subscriptionId, payout), unbond]) {
        const { direct_tx } = await payloadOf(request)
        await send(owner, direct_tx.to, direct_tx.data)
      }
    })
    await finalizeRelays()
    expect(await state('subscription', subscriptionId)).toMatchObject({ status: 'unbonding', payout })
  })
})

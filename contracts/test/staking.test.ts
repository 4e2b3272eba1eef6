import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  keccak256,
  parseAbiParameters,
  parseSignature,
  zeroAddress,
} from 'viem'
import { describe, expect, test } from 'vitest'
import { deriveSubscriptionId } from '../../protocol/identity/index.ts'
import { by, bytes32, eth, hasAnvil, type Network, owner, params, stranger } from './network.ts'
import { deployWallet, domainOf, sign } from './typed-data.ts'
import { network, refused, useNetwork } from './use-network.ts'

const projectId = bytes32(0xa1)
const nodeKey = bytes32(0xb2)
const id = deriveSubscriptionId(projectId, owner.address.toLowerCase(), nodeKey)
const amount = eth(100)
const pending = 0
const bonded = 1
const unbonding = 2
const noPermit = { deadline: 0n, signature: '0x' } as const

describe.skipIf(!hasAnvil)('Staking: collateral', () => {
  let staking: Network['staking']
  useNetwork(async () => {
    staking = network.staking
    await network.give(owner.address, eth(1_000))
  })

  const did = (sent: Promise<Hex>) => network.events(staking, sent)
  const approve = (spendable = amount) =>
    network.mined(network.token.write.approve([network.addresses.staking, spendable], by.owner))
  const bond = async () => {
    await approve()
    await network.mined(staking.write.bond([projectId, nodeKey, amount], by.owner))
  }
  const unbond = () => network.mined(staking.write.unbond([id], by.owner))
  const deadlineIn = async (seconds: number) => (await network.now()) + BigInt(seconds)
  const signBond = async (over: Partial<{ amount: bigint; owner: Address; nonce: bigint }> = {}) => {
    const order = { owner: owner.address, projectId, nodeKey, amount, nonce: 0n }
    const message = { ...order, deadline: await deadlineIn(3600), ...over }
    return { message, signature: await sign(owner, 'Bond', domainOf('Bond', network.addresses), message) }
  }
  type Signed = Awaited<ReturnType<typeof signBond>>
  type Permit = { deadline: bigint; signature: Hex }
  const bring = ({ message, signature }: Signed, permit: Permit = noPermit) =>
    network.mined(staking.write.bondBySig([message, signature, permit], by.stranger))
  const refusedWith = ({ message, signature }: Signed, permit: Permit, error: readonly unknown[]) =>
    refused(staking.simulate.bondBySig([message, signature, permit], by.stranger), error)
  const signPermit = async (value = amount, deadline?: bigint) => {
    const allowance = { owner: owner.address, spender: network.addresses.staking, value }
    const nonce = await network.token.read.nonces([owner.address])
    const message = { ...allowance, nonce, deadline: deadline ?? (await deadlineIn(3600)) }
    const signature = await sign(owner, 'Permit', domainOf('Permit', network.addresses), message)
    return { deadline: message.deadline, signature }
  }

  describe('bond', () => {
    const isRefused = (value: bigint, error: readonly unknown[]) =>
      refused(staking.simulate.bond([projectId, nodeKey, value], by.owner), error)

    test('moves the tokens, emits an event, and makes the subscription bonded', async () => {
      await approve()
      const said = await did(staking.write.bond([projectId, nodeKey, amount], by.owner))
      const subscription = { subscriptionId: id, owner: owner.address, projectId, nodeKey }
      expect(said).toContainEqual({ event: 'Bonded', ...subscription, amount, collateral: amount })
      expect(await network.balanceOf(network.addresses.staking)).toBe(amount)
      expect(await staking.read.stateOf([id])).toBe(bonded)
      expect(await staking.read.payoutOf([id])).toBe(owner.address)
      const own = { owner: owner.address, collateral: amount, payout: zeroAddress }
      expect(await staking.read.subscriptionOf([id])).toEqual({ ...own, releaseAt: 0n, openSlashes: 0 })
    })

    test('a second bond tops the same subscription up', async () => {
      await bond()
      await approve()
      const topUp = await did(staking.write.bond([projectId, nodeKey, amount], by.owner))
      expect(topUp).toContainEqual(expect.objectContaining({ amount, collateral: amount * 2n }))
    })

    test('is refused for a zero amount, without allowance, and while unbonding', async () => {
      await isRefused(0n, ['ZeroAmount'])
      const spender = expect.stringMatching(new RegExp(network.addresses.staking, 'i'))
      await isRefused(amount, ['ERC20InsufficientAllowance', spender, 0n, amount])
      await bond()
      await unbond()
      await isRefused(amount, ['InvalidState', id, unbonding])
    })

    test('must reach the lowest collateral that a project may require', async () => {
      const { simulate, write, read } = staking
      const least = BigInt(params.min_collateral_floor)
      expect(await read.bondMin()).toBe(least)
      await approve()
      for (const dust of [1n, least - 1n]) await isRefused(dust, ['BelowMinimum', id, dust, least])
      await network.mined(write.bond([projectId, nodeKey, least], by.owner))
      await simulate.bond([projectId, nodeKey, 1n], by.owner)
    })

    test('is refused beyond the balance', async () => {
      await approve(eth(1_001))
      await isRefused(eth(1_001), ['ERC20InsufficientBalance', owner.address, eth(1_000), eth(1_001)])
    })

    test('the subscription id is the same as in the protocol for any owner, project and node', async () => {
      const parameters = parseAbiParameters('bytes32, address, bytes32')
      for (const [a, b] of [1, 2, 0xffff].entries()) {
        const of = [bytes32(a), stranger.address, bytes32(b)] as const
        const derived = deriveSubscriptionId(of[0], of[1].toLowerCase(), of[2])
        expect(await staking.read.subscriptionIdOf(of)).toBe(derived)
        expect(derived).toBe(keccak256(encodeAbiParameters(parameters, of)))
      }
    })
  })

  describe('bondBySig', () => {
    test('anyone can submit bond and permit, and the owner needs no native tokens', async () => {
      await bring(await signBond(), await signPermit())
      expect(await staking.read.stateOf([id])).toBe(bonded)
      expect(await network.balanceOf(owner.address)).toBe(eth(900))
      expect(await network.token.read.allowance([owner.address, network.addresses.staking])).toBe(0n)
    })

    test('succeeds if somebody else submitted the permit before', async () => {
      const signed = await signBond()
      const permit = await signPermit()
      const { r, s, v } = parseSignature(permit.signature)
      const { staking: spender } = network.addresses
      const args = [owner.address, spender, amount, permit.deadline, Number(v), r, s] as const
      await network.mined(network.token.write.permit(args, by.stranger))
      await bring(signed, permit)
      expect(await staking.read.stateOf([id])).toBe(bonded)
    })

    test('a permit alone authorises nothing', async () => {
      const permit = await signPermit()
      const { message } = await signBond()
      const signature = await sign(stranger, 'Bond', domainOf('Bond', network.addresses), message)
      await refusedWith({ message, signature }, permit, ['InvalidSignature', owner.address])
    })

    test('needs no permit if there is an allowance, and then ignores an unusable permit', async () => {
      await approve(amount * 2n)
      await bring(await signBond())
      await bring(await signBond({ nonce: 1n }), await signPermit(amount, 1n))
      expect((await staking.read.subscriptionOf([id])).collateral).toBe(amount * 2n)
    })

    test('reports why a required permit failed', async () => {
      const signed = await signBond()
      await refusedWith(signed, await signPermit(amount, 1n), ['ERC2612ExpiredSignature', 1n])
      const lower = await signPermit(amount - 1n)
      await refusedWith(signed, lower, ['ERC2612InvalidSigner', expect.any(String), owner.address])
      await refusedWith(signed, { ...lower, signature: '0x1234' }, ['ECDSAInvalidSignature'])
      await refusedWith(signed, noPermit, ['ERC20InsufficientAllowance', expect.any(String), 0n, amount])
    })

    test('a contract wallet bonds out of an allowance, by EIP-1271', async () => {
      const { addresses } = network
      const wallet = await deployWallet(network, owner.address)
      await network.give(wallet.address, amount)
      const args = [addresses.staking, amount] as const
      const data = encodeFunctionData({ abi: network.token.abi, functionName: 'approve', args })
      await network.mined(wallet.write.execute([addresses.token, data], by.owner))
      await bring(await signBond({ owner: wallet.address }))
      const walletId = deriveSubscriptionId(projectId, wallet.address.toLowerCase(), nodeKey)
      expect(await staking.read.stateOf([walletId])).toBe(bonded)
      expect((await staking.read.subscriptionOf([walletId])).owner.toLowerCase()).toBe(wallet.address)
    })
  })

  describe('bondBatch', () => {
    const keys = [nodeKey, bytes32(0xb3), bytes32(0xb4)]
    const ids = keys.map((key) => deriveSubscriptionId(projectId, owner.address.toLowerCase(), key))
    const amounts = [amount, eth(1), eth(2)]
    const sum = amount + eth(3)
    const items = [keys.map(() => projectId), keys, amounts] as const
    const signBatch = async () => {
      const lists = { projectIds: items[0], nodeKeys: keys, amounts }
      const message = { owner: owner.address, ...lists, nonce: 0n, deadline: await deadlineIn(3600) }
      const domain = domainOf('BondBatch', network.addresses)
      return { message, signature: await sign(owner, 'BondBatch', domain, message) }
    }
    const collaterals = async () =>
      (await Promise.all(ids.map((one) => staking.read.subscriptionOf([one])))).map(
        ({ collateral }) => collateral,
      )

    test('bonds all subscriptions with one transfer of the sum, and emits an event for each', async () => {
      await approve(sum)
      const said = await did(staking.write.bondBatch(items, by.owner))
      expect(said.filter(({ event }) => event === 'Bonded')).toEqual(
        ids.map((subscriptionId, i) => ({
          event: 'Bonded',
          ...{ subscriptionId, owner: owner.address, projectId, nodeKey: keys[i] },
          ...{ amount: amounts[i], collateral: amounts[i] },
        })),
      )
      expect(await collaterals()).toEqual(amounts)
      expect(await network.balanceOf(network.addresses.staking)).toBe(sum)
    })

    test('anyone can submit it with one permit for the sum, and the nonce rises by one', async () => {
      const { message, signature } = await signBatch()
      const permit = await signPermit(sum)
      await network.mined(staking.write.bondBatchBySig([message, signature, permit], by.stranger))
      expect(await collaterals()).toEqual(amounts)
      expect(await network.token.read.allowance([owner.address, network.addresses.staking])).toBe(0n)
      expect(await staking.read.nonces([owner.address])).toBe(1n)
    })

    test('an item that is listed twice is added twice', async () => {
      await approve(sum)
      const twice = [
        [projectId, projectId],
        [nodeKey, nodeKey],
        [eth(1), 1n],
      ] as const
      await network.mined(staking.write.bondBatch(twice, by.owner))
      expect((await staking.read.subscriptionOf([id])).collateral).toBe(eth(1) + 1n)
    })

    test('is refused as a whole for one invalid item, for lists of different lengths, and for empty lists', async () => {
      await approve(sum)
      const isRefused = (
        changed: readonly [readonly Hex[], readonly Hex[], readonly bigint[]],
        error: readonly unknown[],
      ) => refused(staking.simulate.bondBatch(changed, by.owner), error)
      const least = BigInt(params.min_collateral_floor)
      await isRefused([items[0], keys, [amount, eth(1), 0n]], ['ZeroAmount'])
      await isRefused([items[0], keys, [amount, 1n, 1n]], ['BelowMinimum', ids[1], 1n, least])
      await isRefused([items[0], keys, [amount, eth(1)]], ['BatchLengths', 3n, 3n, 2n])
      await isRefused([items[0], keys.slice(1), amounts], ['BatchLengths', 3n, 2n, 3n])
      await isRefused([[projectId], keys, amounts], ['BatchLengths', 1n, 3n, 3n])
      await isRefused([[], [], []], ['ZeroAmount'])
      const { message, signature } = await signBatch()
      const missing = ['ERC20InsufficientAllowance', expect.any(String), 0n, sum]
      await approve(0n)
      await refused(staking.simulate.bondBatchBySig([message, signature, noPermit], by.stranger), missing)
      await network.mined(
        staking.write.bondBatchBySig([message, signature, await signPermit(sum)], by.stranger),
      )
      await unbond()
      await approve(sum)
      await isRefused(items, ['InvalidState', id, unbonding])
      expect(await collaterals()).toEqual(amounts)
    })
  })

  describe('payout', () => {
    test('is the owner by default, and setting it to zero or the owner resets it', async () => {
      await bond()
      const set = async (payout: Address) => did(staking.write.setPayout([id, payout], by.owner))
      expect(await set(stranger.address)).toEqual([
        { event: 'PayoutSet', subscriptionId: id, payout: stranger.address },
      ])
      expect(await staking.read.payoutOf([id])).toBe(stranger.address)
      for (const reset of [zeroAddress, owner.address]) {
        await set(stranger.address)
        expect(await set(reset)).toEqual([{ event: 'PayoutSet', subscriptionId: id, payout: owner.address }])
        expect(await staking.read.payoutOf([id])).toBe(owner.address)
      }
    })

    test('may change while unbonding, not before the first bond, and not by a stranger', async () => {
      const payout = [id, stranger.address] as const
      await refused(staking.simulate.setPayout(payout, by.owner), ['InvalidState', id, pending])
      expect(await staking.read.payoutOf([id])).toBe(zeroAddress)
      await bond()
      await refused(staking.simulate.setPayout(payout, by.stranger), ['NotOwner', id, stranger.address])
      await unbond()
      await network.mined(staking.write.setPayout([id, stranger.address], by.owner))
    })
  })

  describe('unbond and withdraw', () => {
    test('collateral returns to the owner, not to the payout address, exactly when it is released', async () => {
      await bond()
      await network.mined(staking.write.setPayout([id, stranger.address], by.owner))
      const said = await did(staking.write.unbond([id], by.owner))
      const releaseAt = (await network.now()) + BigInt(params.unbonding_secs)
      expect(said).toEqual([{ event: 'Unbonding', subscriptionId: id, releaseAt }])
      expect(await staking.read.stateOf([id])).toBe(unbonding)

      await network.passTo(releaseAt - 1n)
      await refused(staking.simulate.withdraw([id], by.owner), ['NotReleased', id, releaseAt])
      await network.client.setNextBlockTimestamp({ timestamp: releaseAt })
      const withdrawn = { event: 'Withdrawn', subscriptionId: id, owner: owner.address, amount }
      expect(await did(staking.write.withdraw([id], by.owner))).toContainEqual(withdrawn)
      expect(await network.balanceOf(owner.address)).toBe(eth(1_000))
      expect(await network.balanceOf(network.addresses.staking)).toBe(0n)
      expect(await staking.read.stateOf([id])).toBe(pending)
    })

    test('a closed subscription starts again under the same id, with the default payout address', async () => {
      await bond()
      await network.mined(staking.write.setPayout([id, stranger.address], by.owner))
      await unbond()
      await network.pass(params.unbonding_secs)
      await network.mined(staking.write.withdraw([id], by.owner))
      await bond()
      expect(await staking.read.stateOf([id])).toBe(bonded)
      expect(await staking.read.payoutOf([id])).toBe(owner.address)
    })

    test('each is refused in states that do not allow it, and for strangers', async () => {
      const { simulate } = staking
      await refused(simulate.unbond([id], by.owner), ['InvalidState', id, pending])
      await refused(simulate.withdraw([id], by.owner), ['InvalidState', id, pending])
      await bond()
      await refused(simulate.withdraw([id], by.owner), ['InvalidState', id, bonded])
      await refused(simulate.unbond([id], by.stranger), ['NotOwner', id, stranger.address])
      await unbond()
      await network.pass(params.unbonding_secs)
      await refused(simulate.unbond([id], by.owner), ['InvalidState', id, unbonding])
      await refused(simulate.withdraw([id], by.stranger), ['NotOwner', id, stranger.address])
    })
  })
})

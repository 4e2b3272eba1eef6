import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  keccak256,
  parseSignature,
  zeroAddress,
} from 'viem'
import { describe, expect, test } from 'vitest'
import { deriveSubscriptionId } from '../../protocol/identity/index.ts'
import { contractWalletAbi, contractWalletBytecode } from '../generated/mocks.ts'
import { by, bytes32, eth, hasAnvil, type Network, owner, params, stranger } from './network.ts'
import { domainOf, sign } from './typed-data.ts'
import { refused, useNetwork } from './use-network.ts'

const projectId = bytes32(0xa1)
const nodeKey = bytes32(0xb2)
const id = deriveSubscriptionId(projectId, owner.address.toLowerCase(), nodeKey)
const amount = eth(100)
const pending = 0
const bonded = 1
const unbonding = 2
const noPermit = { deadline: 0n, signature: '0x' } as const

describe.skipIf(!hasAnvil)('Staking: collateral', () => {
  let network: Network
  let staking: Network['staking']
  useNetwork(async (started) => {
    network = started
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
    const message = {
      owner: owner.address,
      projectId,
      nodeKey,
      amount,
      nonce: 0n,
      deadline: await deadlineIn(3600),
      ...over,
    }
    return { message, signature: await sign(owner, 'Bond', domainOf('Bond', network.addresses), message) }
  }
  const signPermit = async (value = amount, deadline?: bigint) => {
    const message = {
      owner: owner.address,
      spender: network.addresses.staking,
      value,
      nonce: await network.token.read.nonces([owner.address]),
      deadline: deadline ?? (await deadlineIn(3600)),
    }
    const signature = await sign(owner, 'Permit', domainOf('Permit', network.addresses), message)
    return { deadline: message.deadline, signature }
  }

  describe('bond', () => {
    test('moves the tokens, says so, and makes the subscription bonded', async () => {
      await approve()
      const said = await did(staking.write.bond([projectId, nodeKey, amount], by.owner))
      expect(said).toContainEqual({
        event: 'Bonded',
        subscriptionId: id,
        owner: owner.address,
        projectId,
        nodeKey,
        amount,
        collateral: amount,
      })
      expect(await network.balanceOf(network.addresses.staking)).toBe(amount)
      expect(await staking.read.stateOf([id])).toBe(bonded)
      expect(await staking.read.payoutOf([id])).toBe(owner.address)
      expect(await staking.read.subscriptionOf([id])).toEqual({
        owner: owner.address,
        releaseAt: 0n,
        openSlashes: 0,
        collateral: amount,
        payout: zeroAddress,
      })
    })

    test('a second bond tops the same subscription up', async () => {
      await bond()
      await approve()
      const topUp = await did(staking.write.bond([projectId, nodeKey, amount], by.owner))
      expect(topUp).toContainEqual(expect.objectContaining({ amount, collateral: amount * 2n }))
    })

    test('is refused for nothing, without allowance, and while unbonding', async () => {
      const { simulate } = staking
      await refused(simulate.bond([projectId, nodeKey, 0n], by.owner), ['ZeroAmount'])
      await refused(simulate.bond([projectId, nodeKey, amount], by.owner), [
        'ERC20InsufficientAllowance',
        expect.stringMatching(new RegExp(network.addresses.staking, 'i')),
        0n,
        amount,
      ])
      await bond()
      await unbond()
      await refused(simulate.bond([projectId, nodeKey, amount], by.owner), ['InvalidState', id, unbonding])
    })

    test('leaves at least the lowest collateral that a project may ask for', async () => {
      const { simulate, write, read } = staking
      const least = BigInt(params.min_collateral_floor)
      expect(await read.bondMin()).toBe(least)
      await approve()
      for (const dust of [1n, least - 1n])
        await refused(simulate.bond([projectId, nodeKey, dust], by.owner), ['BelowMinimum', id, dust, least])
      await network.mined(write.bond([projectId, nodeKey, least], by.owner))
      await simulate.bond([projectId, nodeKey, 1n], by.owner)
    })

    test('is refused beyond the balance', async () => {
      await approve(eth(1_001))
      await refused(staking.simulate.bond([projectId, nodeKey, eth(1_001)], by.owner), [
        'ERC20InsufficientBalance',
        owner.address,
        eth(1_000),
        eth(1_001),
      ])
    })

    test('the subscription id is that of the protocol, for any owner, project and node', async () => {
      for (const [a, b] of [
        [1, 2],
        [2, 1],
        [0xffff, 0],
      ] as const) {
        const of = [bytes32(a), stranger.address, bytes32(b)] as const
        expect(await staking.read.subscriptionIdOf(of)).toBe(
          deriveSubscriptionId(of[0], of[1].toLowerCase(), of[2]),
        )
        expect(deriveSubscriptionId(of[0], of[1].toLowerCase(), of[2])).toBe(
          keccak256(encodeAbiParameters([{ type: 'bytes32' }, { type: 'address' }, { type: 'bytes32' }], of)),
        )
      }
    })
  })

  describe('bondBySig', () => {
    test('anyone brings bond and permit; the owner needs no native tokens', async () => {
      const { message, signature } = await signBond()
      const permit = await signPermit()
      await network.mined(staking.write.bondBySig([message, signature, permit], by.stranger))
      expect(await staking.read.stateOf([id])).toBe(bonded)
      expect(await network.balanceOf(owner.address)).toBe(eth(900))
      expect(await network.token.read.allowance([owner.address, network.addresses.staking])).toBe(0n)
    })

    test('survives a permit that somebody else brought first', async () => {
      const { message, signature } = await signBond()
      const permit = await signPermit()
      const { r, s, v } = parseSignature(permit.signature)
      const args = [
        owner.address,
        network.addresses.staking,
        amount,
        permit.deadline,
        Number(v),
        r,
        s,
      ] as const
      await network.mined(network.token.write.permit(args, by.stranger))
      await network.mined(staking.write.bondBySig([message, signature, permit], by.stranger))
      expect(await staking.read.stateOf([id])).toBe(bonded)
    })

    test('a permit alone authorises nothing', async () => {
      const permit = await signPermit()
      const { message } = await signBond()
      const foreign = await sign(stranger, 'Bond', domainOf('Bond', network.addresses), message)
      await refused(staking.simulate.bondBySig([message, foreign, permit], by.stranger), [
        'InvalidSignature',
        owner.address,
      ])
    })

    test('needs no permit when there is an allowance, and an unusable one does not matter then', async () => {
      await approve(amount * 2n)
      const first = await signBond()
      await network.mined(staking.write.bondBySig([first.message, first.signature, noPermit], by.stranger))
      const second = await signBond({ nonce: 1n })
      const expired = await signPermit(amount, 1n)
      await network.mined(staking.write.bondBySig([second.message, second.signature, expired], by.stranger))
      expect((await staking.read.subscriptionOf([id])).collateral).toBe(amount * 2n)
    })

    test('tells why a permit that was needed failed', async () => {
      const { message, signature } = await signBond()
      const { simulate } = staking
      const expired = await signPermit(amount, 1n)
      await refused(simulate.bondBySig([message, signature, expired], by.stranger), [
        'ERC2612ExpiredSignature',
        1n,
      ])
      const lower = await signPermit(amount - 1n)
      await refused(simulate.bondBySig([message, signature, lower], by.stranger), [
        'ERC2612InvalidSigner',
        expect.any(String),
        owner.address,
      ])
      const cut = { deadline: lower.deadline, signature: '0x1234' as const }
      await refused(simulate.bondBySig([message, signature, cut], by.stranger), ['ECDSAInvalidSignature'])
      await refused(simulate.bondBySig([message, signature, noPermit], by.stranger), [
        'ERC20InsufficientAllowance',
        expect.any(String),
        0n,
        amount,
      ])
    })

    test('a contract wallet bonds out of an allowance, by EIP-1271', async () => {
      const hash = network.client.deployContract({
        abi: contractWalletAbi,
        bytecode: contractWalletBytecode,
        args: [owner.address],
        account: owner.address,
      })
      const { contractAddress } = await network.receiptOf(hash)
      const wallet = contractAddress as Address
      await network.give(wallet, amount)
      await network.mined(
        network.at(contractWalletAbi, wallet).write.execute(
          [
            network.addresses.token,
            encodeFunctionData({
              abi: network.token.abi,
              functionName: 'approve',
              args: [network.addresses.staking, amount],
            }),
          ],
          by.owner,
        ),
      )
      const { message, signature } = await signBond({ owner: wallet })
      await network.mined(staking.write.bondBySig([message, signature, noPermit], by.stranger))
      const walletId = deriveSubscriptionId(projectId, wallet.toLowerCase(), nodeKey)
      expect(await staking.read.stateOf([walletId])).toBe(bonded)
      expect((await staking.read.subscriptionOf([walletId])).owner.toLowerCase()).toBe(wallet)
    })
  })

  describe('payout', () => {
    test('follows the owner, and zero or the owner resets it', async () => {
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
      const { simulate } = staking
      await refused(simulate.setPayout([id, stranger.address], by.owner), ['InvalidState', id, pending])
      expect(await staking.read.payoutOf([id])).toBe(zeroAddress)
      await bond()
      await refused(simulate.setPayout([id, stranger.address], by.stranger), [
        'NotOwner',
        id,
        stranger.address,
      ])
      await unbond()
      await network.mined(staking.write.setPayout([id, stranger.address], by.owner))
    })
  })

  describe('unbond and withdraw', () => {
    test('collateral comes back to the owner, not to the payout address, exactly when it is released', async () => {
      await bond()
      await network.mined(staking.write.setPayout([id, stranger.address], by.owner))
      const said = await did(staking.write.unbond([id], by.owner))
      const releaseAt = (await network.now()) + BigInt(params.unbonding_secs)
      expect(said).toEqual([{ event: 'Unbonding', subscriptionId: id, releaseAt }])
      expect(await staking.read.stateOf([id])).toBe(unbonding)

      await network.passTo(releaseAt - 1n)
      await refused(staking.simulate.withdraw([id], by.owner), ['NotReleased', id, releaseAt])
      await network.client.setNextBlockTimestamp({ timestamp: releaseAt })
      expect(await did(staking.write.withdraw([id], by.owner))).toContainEqual({
        event: 'Withdrawn',
        subscriptionId: id,
        owner: owner.address,
        amount,
      })
      expect(await network.balanceOf(owner.address)).toBe(eth(1_000))
      expect(await network.balanceOf(network.addresses.staking)).toBe(0n)
      expect(await staking.read.stateOf([id])).toBe(pending)
    })

    test('a closed subscription starts again under the same id, with the payout of a new one', async () => {
      await bond()
      await network.mined(staking.write.setPayout([id, stranger.address], by.owner))
      await unbond()
      await network.pass(params.unbonding_secs)
      await network.mined(staking.write.withdraw([id], by.owner))
      await bond()
      expect(await staking.read.stateOf([id])).toBe(bonded)
      expect(await staking.read.payoutOf([id])).toBe(owner.address)
    })

    test('each is refused in every state it does not lead on from, and to strangers', async () => {
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

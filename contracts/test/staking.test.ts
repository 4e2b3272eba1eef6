import { type Address, encodeAbiParameters, encodeFunctionData, type Hex, keccak256, zeroAddress } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { deriveSubscriptionId } from '../../protocol/identity/index.ts'
import { contractWalletAbi, contractWalletBytecode } from '../generated/mocks.ts'
import {
  bytes32,
  eth,
  hasAnvil,
  type Network,
  owner,
  params,
  refusal,
  startNetwork,
  stranger,
} from './network.ts'
import { domainOf, sign } from './typed-data.ts'

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
  let snapshot: Hex
  beforeAll(async () => {
    network = await startNetwork()
    await network.give(owner.address, eth(1_000))
    snapshot = await network.client.snapshot()
  })
  beforeEach(async () => {
    await network.client.revert({ id: snapshot })
    snapshot = await network.client.snapshot()
  })
  afterAll(() => network?.stop())

  const asOwner = { account: owner.address }
  const approve = (spendable = amount) =>
    network.mined(network.token.write.approve([network.addresses.staking, spendable], asOwner))
  const bond = async () => {
    await approve()
    await network.mined(network.staking.write.bond([projectId, nodeKey, amount], asOwner))
  }
  const unbond = () => network.mined(network.staking.write.unbond([id], asOwner))
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
      const said = await network.events(
        network.staking,
        network.staking.write.bond([projectId, nodeKey, amount], asOwner),
      )
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
      expect(await network.staking.read.stateOf([id])).toBe(bonded)
      expect(await network.staking.read.payoutOf([id])).toBe(owner.address)
      expect(await network.staking.read.subscriptionOf([id])).toEqual({
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
      const topUp = await network.events(
        network.staking,
        network.staking.write.bond([projectId, nodeKey, amount], asOwner),
      )
      expect(topUp).toContainEqual(expect.objectContaining({ amount, collateral: amount * 2n }))
    })

    test('is refused for nothing, without allowance, and while unbonding', async () => {
      const { simulate } = network.staking
      expect(await refusal(simulate.bond([projectId, nodeKey, 0n], asOwner))).toEqual(['ZeroAmount'])
      expect(await refusal(simulate.bond([projectId, nodeKey, amount], asOwner))).toEqual([
        'ERC20InsufficientAllowance',
        expect.stringMatching(new RegExp(network.addresses.staking, 'i')),
        0n,
        amount,
      ])
      await bond()
      await unbond()
      expect(await refusal(simulate.bond([projectId, nodeKey, amount], asOwner))).toEqual([
        'InvalidState',
        id,
        unbonding,
      ])
    })

    test('leaves at least the lowest collateral that a project may ask for', async () => {
      const { simulate, write, read } = network.staking
      const least = BigInt(params.min_collateral_floor)
      expect(await read.bondMin()).toBe(least)
      await approve()
      for (const dust of [1n, least - 1n])
        expect(await refusal(simulate.bond([projectId, nodeKey, dust], asOwner))).toEqual([
          'BelowMinimum',
          id,
          dust,
          least,
        ])
      await network.mined(write.bond([projectId, nodeKey, least], asOwner))
      await simulate.bond([projectId, nodeKey, 1n], asOwner)
    })

    test('is refused beyond the balance', async () => {
      await approve(eth(1_001))
      expect(await refusal(network.staking.simulate.bond([projectId, nodeKey, eth(1_001)], asOwner))).toEqual(
        ['ERC20InsufficientBalance', owner.address, eth(1_000), eth(1_001)],
      )
    })

    test('the subscription id is that of the protocol, for any owner, project and node', async () => {
      for (const [a, b] of [
        [1, 2],
        [2, 1],
        [0xffff, 0],
      ] as const) {
        const of = [bytes32(a), stranger.address, bytes32(b)] as const
        expect(await network.staking.read.subscriptionIdOf(of)).toBe(
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
      await network.mined(
        network.staking.write.bondBySig([message, signature, permit], { account: stranger.address }),
      )
      expect(await network.staking.read.stateOf([id])).toBe(bonded)
      expect(await network.balanceOf(owner.address)).toBe(eth(900))
      expect(await network.token.read.allowance([owner.address, network.addresses.staking])).toBe(0n)
    })

    test('survives a permit that somebody else brought first', async () => {
      const { message, signature } = await signBond()
      const permit = await signPermit()
      const [r, s, v] = [
        permit.signature.slice(0, 66) as Hex,
        `0x${permit.signature.slice(66, 130)}` as Hex,
        Number(`0x${permit.signature.slice(130)}`),
      ]
      await network.mined(
        network.token.write.permit(
          [owner.address, network.addresses.staking, amount, permit.deadline, v, r, s],
          { account: stranger.address },
        ),
      )
      await network.mined(
        network.staking.write.bondBySig([message, signature, permit], { account: stranger.address }),
      )
      expect(await network.staking.read.stateOf([id])).toBe(bonded)
    })

    test('a permit alone authorises nothing', async () => {
      const permit = await signPermit()
      const { message } = await signBond()
      const foreign = await sign(stranger, 'Bond', domainOf('Bond', network.addresses), message)
      expect(
        await refusal(
          network.staking.simulate.bondBySig([message, foreign, permit], { account: stranger.address }),
        ),
      ).toEqual(['InvalidSignature', owner.address])
    })

    test('needs no permit when there is an allowance, and an unusable one does not matter then', async () => {
      await approve(amount * 2n)
      const first = await signBond()
      const asStranger = { account: stranger.address }
      await network.mined(
        network.staking.write.bondBySig([first.message, first.signature, noPermit], asStranger),
      )
      const second = await signBond({ nonce: 1n })
      const expired = await signPermit(amount, 1n)
      await network.mined(
        network.staking.write.bondBySig([second.message, second.signature, expired], asStranger),
      )
      expect((await network.staking.read.subscriptionOf([id])).collateral).toBe(amount * 2n)
    })

    test('tells why a permit that was needed failed', async () => {
      const { message, signature } = await signBond()
      const asStranger = { account: stranger.address }
      const { simulate } = network.staking
      const expired = await signPermit(amount, 1n)
      expect(await refusal(simulate.bondBySig([message, signature, expired], asStranger))).toEqual([
        'ERC2612ExpiredSignature',
        1n,
      ])
      const lower = await signPermit(amount - 1n)
      expect(await refusal(simulate.bondBySig([message, signature, lower], asStranger))).toEqual([
        'ERC2612InvalidSigner',
        expect.any(String),
        owner.address,
      ])
      const cut = { deadline: lower.deadline, signature: '0x1234' as const }
      expect(await refusal(simulate.bondBySig([message, signature, cut], asStranger))).toEqual([
        'ECDSAInvalidSignature',
      ])
      expect(await refusal(simulate.bondBySig([message, signature, noPermit], asStranger))).toEqual([
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
          asOwner,
        ),
      )
      const { message, signature } = await signBond({ owner: wallet })
      await network.mined(
        network.staking.write.bondBySig([message, signature, noPermit], { account: stranger.address }),
      )
      const walletId = deriveSubscriptionId(projectId, wallet.toLowerCase(), nodeKey)
      expect(await network.staking.read.stateOf([walletId])).toBe(bonded)
      expect((await network.staking.read.subscriptionOf([walletId])).owner.toLowerCase()).toBe(wallet)
    })
  })

  describe('payout', () => {
    test('follows the owner, and zero or the owner resets it', async () => {
      await bond()
      const set = async (payout: Address) =>
        network.events(network.staking, network.staking.write.setPayout([id, payout], asOwner))
      expect(await set(stranger.address)).toEqual([
        { event: 'PayoutSet', subscriptionId: id, payout: stranger.address },
      ])
      expect(await network.staking.read.payoutOf([id])).toBe(stranger.address)
      for (const reset of [zeroAddress, owner.address]) {
        await set(stranger.address)
        expect(await set(reset)).toEqual([{ event: 'PayoutSet', subscriptionId: id, payout: owner.address }])
        expect(await network.staking.read.payoutOf([id])).toBe(owner.address)
      }
    })

    test('may change while unbonding, not before the first bond, and not by a stranger', async () => {
      const { simulate } = network.staking
      expect(await refusal(simulate.setPayout([id, stranger.address], asOwner))).toEqual([
        'InvalidState',
        id,
        pending,
      ])
      expect(await network.staking.read.payoutOf([id])).toBe(zeroAddress)
      await bond()
      expect(
        await refusal(simulate.setPayout([id, stranger.address], { account: stranger.address })),
      ).toEqual(['NotOwner', id, stranger.address])
      await unbond()
      await network.mined(network.staking.write.setPayout([id, stranger.address], asOwner))
    })
  })

  describe('unbond and withdraw', () => {
    test('collateral comes back to the owner, not to the payout address, exactly when it is released', async () => {
      await bond()
      await network.mined(network.staking.write.setPayout([id, stranger.address], asOwner))
      const said = await network.events(network.staking, network.staking.write.unbond([id], asOwner))
      const releaseAt = (await network.now()) + BigInt(params.unbonding_secs)
      expect(said).toEqual([{ event: 'Unbonding', subscriptionId: id, releaseAt }])
      expect(await network.staking.read.stateOf([id])).toBe(unbonding)

      await network.passTo(releaseAt - 1n)
      expect(await refusal(network.staking.simulate.withdraw([id], asOwner))).toEqual([
        'NotReleased',
        id,
        releaseAt,
      ])
      await network.client.setNextBlockTimestamp({ timestamp: releaseAt })
      expect(
        await network.events(network.staking, network.staking.write.withdraw([id], asOwner)),
      ).toContainEqual({ event: 'Withdrawn', subscriptionId: id, owner: owner.address, amount })
      expect(await network.balanceOf(owner.address)).toBe(eth(1_000))
      expect(await network.balanceOf(network.addresses.staking)).toBe(0n)
      expect(await network.staking.read.stateOf([id])).toBe(pending)
    })

    test('a closed subscription starts again under the same id, with the payout of a new one', async () => {
      await bond()
      await network.mined(network.staking.write.setPayout([id, stranger.address], asOwner))
      await unbond()
      await network.pass(params.unbonding_secs)
      await network.mined(network.staking.write.withdraw([id], asOwner))
      await bond()
      expect(await network.staking.read.stateOf([id])).toBe(bonded)
      expect(await network.staking.read.payoutOf([id])).toBe(owner.address)
    })

    test('each is refused in every state it does not lead on from, and to strangers', async () => {
      const { simulate } = network.staking
      const asStranger = { account: stranger.address }
      expect(await refusal(simulate.unbond([id], asOwner))).toEqual(['InvalidState', id, pending])
      expect(await refusal(simulate.withdraw([id], asOwner))).toEqual(['InvalidState', id, pending])
      await bond()
      expect(await refusal(simulate.withdraw([id], asOwner))).toEqual(['InvalidState', id, bonded])
      expect(await refusal(simulate.unbond([id], asStranger))).toEqual(['NotOwner', id, stranger.address])
      await unbond()
      await network.pass(params.unbonding_secs)
      expect(await refusal(simulate.unbond([id], asOwner))).toEqual(['InvalidState', id, unbonding])
      expect(await refusal(simulate.withdraw([id], asStranger))).toEqual(['NotOwner', id, stranger.address])
    })
  })
})

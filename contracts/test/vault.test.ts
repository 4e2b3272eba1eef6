import { type Address, concat, encodeFunctionData, type Hex, keccak256 } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { deriveProjectId } from '../../protocol/identity/index.ts'
import { buildPayoutTree, type PayoutTree } from '../../protocol/settlement/index.ts'
import { callbackTokenAbi, callbackTokenBytecode, feeTokenAbi, feeTokenBytecode } from '../generated/mocks.ts'
import {
  bytes32,
  developer,
  eth,
  hasAnvil,
  type Network,
  params,
  profile,
  refusal,
  roles,
  startNetwork,
  stranger,
  treasury,
} from './network.ts'

const slug = 'tide-forecast'
const projectId = deriveProjectId(profile, developer.address.toLowerCase(), slug)
const epoch = 248_611n
const challengeSecs = BigInt(params.vault_challenge_secs)
const noticeSecs = 172_800n
const asDeveloper = { account: developer.address }
const asStranger = { account: stranger.address }
const asPoster = { account: roles.poster }
const asArbiter = { account: roles.arbiter }
/** Digits only, so that the protocol's lower case and viem's checksum are one spelling. */
const miner = (number: number): Address => `0x${'1000'.repeat(9)}${String(number).padStart(4, '0')}`
const root = bytes32(0xabc)

describe.skipIf(!hasAnvil)('ProjectVault', () => {
  let network: Network
  let vault: ReturnType<Network['vaultAt']>
  let snapshot: Hex
  beforeAll(async () => {
    network = await startNetwork()
    const { registry, factory, token, mined } = network
    await mined(registry.write.register([slug, bytes32(1), bytes32(2), bytes32(3)], asDeveloper))
    await mined(factory.write.create([projectId, token.address], asDeveloper))
    vault = network.vaultAt(await factory.read.vaultOf([projectId]))
    await network.give(developer.address, eth(1_000))
    await mined(token.write.approve([vault.address, eth(1_000)], asDeveloper))
    snapshot = await network.client.snapshot()
  })
  beforeEach(async () => {
    await network.client.revert({ id: snapshot })
    snapshot = await network.client.snapshot()
  })
  afterAll(() => network?.stop())

  const fund = (amount = eth(100)) => network.events(vault, vault.write.fund([amount], asDeveloper))
  const post = (
    totals: { miner: bigint; developer: bigint; treasury: bigint },
    merkleRoot: Hex = root,
    at = epoch,
  ) => network.events(vault, vault.write.postEpoch([at, merkleRoot, totals], asPoster))
  const totals = (minerTotal: bigint) => ({ miner: minerTotal, developer: eth(3), treasury: eth(1) })
  /** Posts an epoch that pays the first miner 1, the second 2 and so on. */
  const postTree = async (count: number, at = epoch): Promise<PayoutTree> => {
    const payouts = Array.from({ length: count }, (_, i) => ({ miner: miner(i), amount: String(eth(i + 1)) }))
    const tree = buildPayoutTree(projectId, Number(at), payouts)!
    await post(totals(payouts.reduce((sum, { amount }) => sum + BigInt(amount), 0n)), tree.root, at)
    return tree
  }
  const rowsOf = (tree: PayoutTree, at = epoch) =>
    tree.leaves.map(({ miner: to, amount, proof }) => ({
      epoch: at,
      miner: to as Address,
      amount: BigInt(amount),
      proof,
    }))
  const release = () => network.pass(challengeSecs)
  const claim = (row: ReturnType<typeof rowsOf>[number]) =>
    [[row.epoch, row.miner, row.amount, row.proof], asStranger] as const

  describe('fund', () => {
    test('books what arrives and says so', async () => {
      expect(await fund()).toContainEqual({ event: 'VaultFunded', from: developer.address, amount: eth(100) })
      expect(await vault.read.summary()).toEqual({
        projectId,
        developer: developer.address,
        token: expect.stringMatching(new RegExp(network.addresses.token, 'i')),
        balance: eth(100),
        reserved: 0n,
        totalFunded: eth(100),
        totalPaid: 0n,
        pendingWithdrawal: 0n,
        withdrawalAvailableAt: 0n,
      })
    })

    test('books tokens that were sent without a call, once, and refuses when there are none', async () => {
      expect(await refusal(vault.simulate.fund([0n], asStranger))).toEqual(['NothingFunded'])
      await network.give(vault.address, eth(5))
      expect(await network.events(vault, vault.write.fund([0n], asStranger))).toEqual([
        { event: 'VaultFunded', from: stranger.address, amount: eth(5) },
      ])
      expect(await refusal(vault.simulate.fund([0n], asStranger))).toEqual(['NothingFunded'])
      expect((await refusal(vault.simulate.fund([1n], asStranger)))[0]).toBe('ERC20InsufficientAllowance')
    })
  })

  describe('postEpoch', () => {
    test('sets the whole total aside until the challenge period is over', async () => {
      await fund()
      expect(await post(totals(eth(20)))).toEqual([
        { event: 'EpochPosted', epoch, merkleRoot: root, total: eth(24) },
      ])
      expect(await vault.read.epochOf([epoch])).toEqual({
        merkleRoot: root,
        releaseAt: (await network.now()) + challengeSecs,
        unclaimed: eth(20),
        developer: eth(3),
        treasury: eth(1),
      })
      expect(await vault.read.freeBalance()).toBe(eth(76))
    })

    test('is refused beyond the free balance, to the last unit, and takes exactly the free balance', async () => {
      await fund()
      await post(totals(eth(20)))
      const attempt = (minerTotal: bigint) =>
        vault.simulate.postEpoch([epoch + 1n, root, totals(minerTotal)], asPoster)
      expect(await refusal(attempt(eth(72) + 1n))).toEqual(['Underfunded', eth(76), eth(76) + 1n])
      await attempt(eth(72))
      const most = 2n ** 128n - 1n
      expect(
        await refusal(
          vault.simulate.postEpoch(
            [epoch + 1n, root, { miner: most, developer: most, treasury: most }],
            asPoster,
          ),
        ),
      ).toEqual(['Underfunded', eth(76), most * 3n])
    })

    test('an epoch has a root and something for miners, and is posted once', async () => {
      await fund()
      const { simulate } = vault
      expect(await refusal(simulate.postEpoch([epoch, bytes32(0), totals(1n)], asPoster))).toEqual([
        'EmptyEpoch',
        epoch,
      ])
      expect(await refusal(simulate.postEpoch([epoch, root, totals(0n)], asPoster))).toEqual([
        'EmptyEpoch',
        epoch,
      ])
      await post(totals(1n))
      expect(await refusal(simulate.postEpoch([epoch, root, totals(1n)], asPoster))).toEqual([
        'AlreadyPosted',
        epoch,
      ])
    })

    test('only a poster posts', async () => {
      await fund()
      expect(await refusal(vault.simulate.postEpoch([epoch, root, totals(1n)], asDeveloper))).toEqual([
        'AccessControlUnauthorizedAccount',
        developer.address,
        await network.factory.read.POSTER_ROLE(),
      ])
    })
  })

  describe('veto', () => {
    test('within the challenge period an arbiter frees the funds, and another root may follow', async () => {
      await fund()
      await post(totals(eth(20)))
      const { releaseAt } = await vault.read.epochOf([epoch])
      await network.client.setNextBlockTimestamp({ timestamp: releaseAt - 1n })
      expect(await network.events(vault, vault.write.veto([epoch], asArbiter))).toEqual([
        { event: 'EpochVetoed', epoch, merkleRoot: root },
      ])
      expect(await vault.read.freeBalance()).toBe(eth(100))
      expect(await refusal(vault.simulate.veto([epoch], asArbiter))).toEqual(['UnknownEpoch', epoch])
      const tree = await postTree(2)
      expect((await vault.read.epochOf([epoch])).merkleRoot).toBe(tree.root)
    })

    test('comes too late once payments may have been made, and only from an arbiter', async () => {
      await fund()
      await post(totals(eth(20)))
      const { releaseAt } = await vault.read.epochOf([epoch])
      expect(await refusal(vault.simulate.veto([epoch], asPoster))).toEqual([
        'AccessControlUnauthorizedAccount',
        roles.poster,
        await network.factory.read.ARBITER_ROLE(),
      ])
      await network.passTo(releaseAt)
      expect(await refusal(vault.simulate.veto([epoch], asArbiter))).toEqual([
        'ChallengeOver',
        epoch,
        releaseAt,
      ])
    })

    test('nothing of a vetoed epoch is paid', async () => {
      await fund()
      const tree = await postTree(3)
      await network.mined(vault.write.veto([epoch], asArbiter))
      await release()
      expect(await refusal(vault.simulate.claim(...claim(rowsOf(tree)[0]!)))).toEqual(['UnknownEpoch', epoch])
      expect(await refusal(vault.simulate.payFees([epoch], asStranger))).toEqual(['UnknownEpoch', epoch])
    })
  })

  describe('claim', () => {
    test.each([1, 2, 3, 6, 7, 13])(
      'anyone claims every leaf of a tree of %i for its miner, once',
      async (count) => {
        await fund()
        const tree = await postTree(count)
        await release()
        for (const row of rowsOf(tree)) {
          expect(await network.events(vault, vault.write.claim(...claim(row)))).toContainEqual({
            event: 'Claimed',
            epoch,
            miner: row.miner,
            amount: row.amount,
          })
          expect(await network.balanceOf(row.miner)).toBe(row.amount)
          expect(await vault.read.claimedOf([epoch, row.miner])).toBe(row.amount)
          expect(await refusal(vault.simulate.claim(...claim(row)))).toEqual([
            'AlreadyClaimed',
            epoch,
            row.miner,
          ])
        }
        expect((await vault.read.epochOf([epoch])).unclaimed).toBe(0n)
      },
    )

    test('waits for the end of the challenge period', async () => {
      await fund()
      const [row] = rowsOf(await postTree(2))
      const { releaseAt } = await vault.read.epochOf([epoch])
      await network.passTo(releaseAt - 1n)
      expect(await refusal(vault.simulate.claim(...claim(row!)))).toEqual(['NotClaimable', epoch, releaseAt])
      expect(await refusal(vault.simulate.claimMany([[row!]], asStranger))).toEqual([
        'NotClaimable',
        epoch,
        releaseAt,
      ])
      expect(await refusal(vault.simulate.payFees([epoch], asStranger))).toEqual([
        'NotClaimable',
        epoch,
        releaseAt,
      ])
      await network.passTo(releaseAt)
      await vault.simulate.claim(...claim(row!))
    })

    test('a proof holds for its epoch, miner and amount only', async () => {
      await fund()
      const [row] = rowsOf(await postTree(4))
      await postTree(5, epoch + 1n)
      await release()
      const attempt = (over: Partial<typeof row>) =>
        refusal(vault.simulate.claim(...claim({ ...row!, ...over })))
      expect(await attempt({ amount: row!.amount + 1n })).toEqual(['InvalidProof', epoch, row!.miner])
      expect(await attempt({ amount: 0n })).toEqual(['InvalidProof', epoch, row!.miner])
      expect(await attempt({ miner: miner(99) })).toEqual(['InvalidProof', epoch, miner(99)])
      expect(await attempt({ epoch: epoch + 1n })).toEqual(['InvalidProof', epoch + 1n, row!.miner])
      expect(await attempt({ epoch: epoch + 2n })).toEqual(['UnknownEpoch', epoch + 2n])
      expect(await attempt({ proof: row!.proof.slice(1) })).toEqual(['InvalidProof', epoch, row!.miner])
      expect(await attempt({ proof: [...row!.proof, root] })).toEqual(['InvalidProof', epoch, row!.miner])
    })

    test('a proof of another project is worth nothing here', async () => {
      await fund()
      const foreign = buildPayoutTree(bytes32(0xf0), Number(epoch), [{ miner: miner(0), amount: '5' }])!
      await post(totals(5n), foreign.root)
      await release()
      expect(await refusal(vault.simulate.claim(...claim(rowsOf(foreign)[0]!)))).toEqual([
        'InvalidProof',
        epoch,
        miner(0),
      ])
    })

    test('a root that proves more than the total pays only the total', async () => {
      await fund()
      const payouts = [0, 1].map((i) => ({ miner: miner(i), amount: String(eth(50)) }))
      const tree = buildPayoutTree(projectId, Number(epoch), payouts)!
      await post({ miner: eth(60), developer: 0n, treasury: 0n }, tree.root)
      await release()
      const [first, second] = rowsOf(tree)
      await network.mined(vault.write.claim(...claim(first!)))
      expect(await refusal(vault.simulate.claim(...claim(second!)))).toEqual([
        'ExceedsTotal',
        epoch,
        eth(10),
        eth(50),
      ])
    })

    test('a root with two leaves for a miner pays one of them', async () => {
      await fund()
      const one = buildPayoutTree(projectId, Number(epoch), [{ miner: miner(0), amount: '1' }])!.root
      const two = buildPayoutTree(projectId, Number(epoch), [{ miner: miner(0), amount: '2' }])!.root
      const both = keccak256(concat(one < two ? [one, two] : [two, one]))
      await post(totals(eth(1)), both)
      await release()
      await network.mined(vault.write.claim(...claim({ epoch, miner: miner(0), amount: 1n, proof: [two] })))
      expect(
        await refusal(vault.simulate.claim(...claim({ epoch, miner: miner(0), amount: 2n, proof: [one] }))),
      ).toEqual(['AlreadyClaimed', epoch, miner(0)])
    })
  })

  describe('claimMany', () => {
    test('pays leaves of several epochs and passes over what somebody claimed before', async () => {
      await fund()
      const first = rowsOf(await postTree(3))
      const second = rowsOf(await postTree(4, epoch + 1n), epoch + 1n)
      await release()
      await network.mined(vault.write.claim(...claim(first[1]!)))
      const { result } = await vault.simulate.claimMany([[...first, ...second]], asStranger)
      expect(result).toBe(eth(6 - 2 + 10))
      const said = await network.events(vault, vault.write.claimMany([[...first, ...second]], asStranger))
      expect(said.filter(({ event }) => event === 'Claimed')).toHaveLength(6)
      expect(await network.balanceOf(miner(0))).toBe(eth(2))
      expect(await network.balanceOf(miner(1))).toBe(eth(4))
      expect((await vault.read.summary()).totalPaid).toBe(eth(16))
    })

    test('a leaf that occurs twice in a batch is paid once', async () => {
      await fund()
      const [row] = rowsOf(await postTree(3))
      await release()
      await network.mined(vault.write.claimMany([[row!, row!, row!]], asStranger))
      expect(await network.balanceOf(row!.miner)).toBe(row!.amount)
    })

    test('one false leaf undoes the batch', async () => {
      await fund()
      const [one, two] = rowsOf(await postTree(3))
      await release()
      expect(await refusal(vault.simulate.claimMany([[one!, { ...two!, amount: 1n }]], asStranger))).toEqual([
        'InvalidProof',
        epoch,
        two!.miner,
      ])
    })

    test('takes 100 payouts and no more', async () => {
      await network.give(developer.address, eth(10_000))
      await network.mined(network.token.write.approve([vault.address, eth(10_000)], asDeveloper))
      await fund(eth(10_000))
      const rows = rowsOf(await postTree(101))
      await release()
      expect(await refusal(vault.simulate.claimMany([rows], asStranger))).toEqual([
        'TooManyClaims',
        101n,
        100n,
      ])
      await network.mined(vault.write.claimMany([rows.slice(0, 100)], asStranger))
      expect((await vault.read.epochOf([epoch])).unclaimed).toBe(rows[100]!.amount)
    })
  })

  describe('fees', () => {
    test('go to developer and treasury once, whoever asks', async () => {
      await fund()
      await postTree(3)
      await release()
      const before = await network.balanceOf(developer.address)
      expect(await network.events(vault, vault.write.payFees([epoch], asStranger))).toContainEqual({
        event: 'FeesPaid',
        epoch,
        developer: eth(3),
        treasury: eth(1),
      })
      expect((await network.balanceOf(developer.address)) - before).toBe(eth(3))
      expect(await network.balanceOf(treasury)).toBe(eth(1))
      expect(await refusal(vault.simulate.payFees([epoch], asStranger))).toEqual(['NoFees', epoch])
    })

    test('an epoch all for miners has none, and one fee may be missing', async () => {
      await fund()
      await post({ miner: 1n, developer: 0n, treasury: 0n })
      await post({ miner: 1n, developer: 0n, treasury: 2n }, root, epoch + 1n)
      await post({ miner: 1n, developer: 2n, treasury: 0n }, root, epoch + 2n)
      await release()
      expect(await refusal(vault.simulate.payFees([epoch], asStranger))).toEqual(['NoFees', epoch])
      await network.mined(vault.write.payFees([epoch + 1n], asStranger))
      await network.mined(vault.write.payFees([epoch + 2n], asStranger))
      expect(await network.balanceOf(treasury)).toBe(2n)
    })
  })

  describe('withdrawal by the developer', () => {
    const announce = (amount: bigint) =>
      network.events(vault, vault.write.requestWithdrawal([amount], asDeveloper))

    test('comes after a notice that everyone can see', async () => {
      await fund()
      const said = await announce(eth(40))
      const availableAt = (await network.now()) + noticeSecs
      expect(said).toEqual([
        {
          event: 'WithdrawalRequested',
          amount: eth(40),
          availableAt,
          expiresAt: availableAt + noticeSecs,
        },
      ])
      expect((await vault.read.summary()).pendingWithdrawal).toBe(eth(40))
      await network.passTo(availableAt - 1n)
      expect(await refusal(vault.simulate.withdraw(asDeveloper))).toEqual([
        'WithdrawalNotAvailable',
        availableAt,
        availableAt + noticeSecs,
      ])
      await network.client.setNextBlockTimestamp({ timestamp: availableAt })
      expect(await network.events(vault, vault.write.withdraw(asDeveloper))).toContainEqual({
        event: 'FundsWithdrawn',
        developer: developer.address,
        amount: eth(40),
      })
      expect(await vault.read.freeBalance()).toBe(eth(60))
      expect((await refusal(vault.simulate.withdraw(asDeveloper)))[0]).toBe('WithdrawalNotAvailable')
    })

    test('takes nothing that an epoch has a claim on, also when it was posted during the notice', async () => {
      await fund()
      await announce(eth(100))
      await post(totals(eth(86)))
      await network.pass(noticeSecs)
      await network.mined(vault.write.withdraw(asDeveloper))
      expect(await network.balanceOf(vault.address)).toBe(eth(90))
      expect(await vault.read.freeBalance()).toBe(0n)
    })

    test('is void when everything is set aside, until a veto frees it', async () => {
      await fund()
      await announce(eth(100))
      await network.pass(noticeSecs)
      await post(totals(eth(96)))
      expect(await refusal(vault.simulate.withdraw(asDeveloper))).toEqual(['NothingFree'])
      await network.mined(vault.write.veto([epoch], asArbiter))
      await vault.simulate.withdraw(asDeveloper)
    })

    test('cannot be kept in stock: an announcement expires', async () => {
      await fund()
      await announce(eth(40))
      const { expiresAt } = await vault.read.pendingWithdrawal()
      await network.passTo(expiresAt - 1n)
      await vault.simulate.withdraw(asDeveloper)
      await network.passTo(expiresAt)
      expect((await refusal(vault.simulate.withdraw(asDeveloper)))[0]).toBe('WithdrawalNotAvailable')
      expect((await vault.read.summary()).pendingWithdrawal).toBe(0n)
    })

    test('a later announcement takes the place of an earlier one, and 0 takes it back', async () => {
      await fund()
      await announce(eth(40))
      await network.pass(noticeSecs)
      await announce(eth(50))
      expect((await refusal(vault.simulate.withdraw(asDeveloper)))[0]).toBe('WithdrawalNotAvailable')
      await announce(0n)
      await network.pass(noticeSecs)
      expect((await refusal(vault.simulate.withdraw(asDeveloper)))[0]).toBe('WithdrawalNotAvailable')
    })

    test('only the developer announces and withdraws', async () => {
      const refused = ['NotDeveloper', projectId, roles.poster]
      expect(await refusal(vault.simulate.requestWithdrawal([1n], asPoster))).toEqual(refused)
      expect(await refusal(vault.simulate.withdraw(asPoster))).toEqual(refused)
    })
  })

  describe('tokens of the developer’s choice', () => {
    const openVault = async (abi: typeof callbackTokenAbi | typeof feeTokenAbi, bytecode: Hex) => {
      const otherSlug = 'other-token'
      await network.mined(
        network.registry.write.register([otherSlug, bytes32(1), bytes32(2), bytes32(3)], asDeveloper),
      )
      const otherProject = deriveProjectId(profile, developer.address.toLowerCase(), otherSlug)
      const hash = network.client.deployContract({ abi, bytecode, account: developer.address })
      const token = (await network.receiptOf(hash)).contractAddress!
      await network.mined(network.factory.write.create([otherProject, token], asDeveloper))
      const address = await network.factory.read.vaultOf([otherProject])
      return { token, otherProject, other: network.vaultAt(address) }
    }

    test('a token that keeps a fee books what arrived', async () => {
      const { token, other } = await openVault(feeTokenAbi, feeTokenBytecode)
      await network.mined(network.at(feeTokenAbi, token).write.approve([other.address, eth(10)], asDeveloper))
      await network.mined(other.write.fund([eth(10)], asDeveloper))
      expect(await other.read.freeBalance()).toBe(eth(9))
    })

    test.each(['fund', 'claim'] as const)(
      'a token that calls %s from within a payment changes nothing in the books',
      async (call) => {
        const { token, otherProject, other } = await openVault(callbackTokenAbi, callbackTokenBytecode)
        const callback = network.at(callbackTokenAbi, token)
        await network.mined(callback.write.approve([other.address, eth(10)], asDeveloper))
        await network.mined(other.write.fund([eth(10)], asDeveloper))
        const tree = buildPayoutTree(otherProject, Number(epoch), [
          { miner: miner(0), amount: String(eth(4)) },
          { miner: miner(1), amount: String(eth(5)) },
        ])!
        await network.mined(
          other.write.postEpoch([epoch, tree.root, { miner: eth(9), developer: 0n, treasury: 0n }], asPoster),
        )
        await release()
        const [row] = rowsOf(tree)
        const data =
          call === 'fund'
            ? encodeFunctionData({ abi: other.abi, functionName: 'fund', args: [0n] })
            : encodeFunctionData({
                abi: other.abi,
                functionName: 'claim',
                args: [epoch, row!.miner, row!.amount, row!.proof],
              })
        await network.mined(callback.write.arm([other.address, data], asDeveloper))
        await network.mined(other.write.claim(...claim(row!)))
        // ReentrancyGuardReentrantCall()
        expect(await callback.read.answer()).toBe('0x3ee5aeb5')
        expect(await other.read.summary()).toMatchObject({
          balance: eth(6),
          totalFunded: eth(10),
          totalPaid: eth(4),
          reserved: eth(5),
        })
      },
    )
  })
})

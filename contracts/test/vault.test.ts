import { type Address, concat, encodeFunctionData, type Hex, keccak256 } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { deriveProjectId } from '../../protocol/identity/index.ts'
import { buildPayoutTree, type PayoutTree } from '../../protocol/settlement/index.ts'
import {
  callbackTokenAbi,
  callbackTokenBytecode,
  feeTokenAbi,
  feeTokenBytecode,
  issuerTokenAbi,
  issuerTokenBytecode,
} from '../generated/mocks.ts'
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
const hour = 3_600n
const day = 86_400n
/** More than any epoch of these tests costs. */
const cap = eth(100_000)
const challengeSecs = BigInt(params.vault_challenge_secs)
const noticeSecs = 172_800n
const asDeveloper = { account: developer.address }
const asStranger = { account: stranger.address }
const asPoster = { account: roles.poster }
const asArbiter = { account: roles.arbiter }
/** Digits only, so that the protocol's lower case and viem's checksum are one spelling. */
const miner = (number: number): Address => `0x${'1000'.repeat(9)}${String(number).padStart(4, '0')}`
const root = bytes32(0xabc)
const receiptHash = bytes32(0x4ec)

describe.skipIf(!hasAnvil)('ProjectVault', () => {
  let network: Network
  let vault: ReturnType<Network['vaultAt']>
  /** The epoch of an hour that runs when the vault is opened; it and the next three are over when a test begins. */
  let epoch: bigint
  let snapshot: Hex
  beforeAll(async () => {
    network = await startNetwork()
    await network.give(developer.address, eth(1_000))
    vault = await openVault(slug, network.token.address)
    await network.mined(network.token.write.approve([vault.address, eth(1_000)], asDeveloper))
    epoch = (await vault.read.latestTerms()).from / hour
    await network.passTo((epoch + 4n) * hour)
    snapshot = await network.client.snapshot()
  })
  beforeEach(async () => {
    await network.client.revert({ id: snapshot })
    snapshot = await network.client.snapshot()
  })
  afterAll(() => network?.stop())

  const openVault = async (name: string, token: Address, epochSecs = hour, epochCap = cap) => {
    const { registry, factory, mined } = network
    await mined(registry.write.register([name, bytes32(1), bytes32(2), bytes32(3)], asDeveloper))
    const id = deriveProjectId(profile, developer.address.toLowerCase(), name)
    await mined(factory.write.create([id, token, Number(epochSecs), epochCap], asDeveloper))
    return network.vaultAt(await factory.read.vaultOf([id]))
  }
  const fund = (amount = eth(100)) => network.events(vault, vault.write.fund([amount], asDeveloper))
  const post = (
    totals: { miner: bigint; developer: bigint; treasury: bigint },
    merkleRoot: Hex = root,
    at = epoch,
  ) => network.events(vault, vault.write.postEpoch([at, merkleRoot, receiptHash, totals], asPoster))
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
      const said = await post(totals(eth(20)))
      const releaseAt = (await network.now()) + challengeSecs
      expect(said).toEqual([
        { event: 'EpochPosted', epoch, merkleRoot: root, receiptHash, ...totals(eth(20)), releaseAt },
      ])
      expect(await vault.read.epochOf([epoch])).toEqual({
        merkleRoot: root,
        releaseAt,
        isVetoed: false,
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
        vault.simulate.postEpoch([epoch + 1n, root, receiptHash, totals(minerTotal)], asPoster)
      expect(await refusal(attempt(eth(72) + 1n))).toEqual(['Underfunded', eth(76), eth(76) + 1n])
      await attempt(eth(72))
    })

    test('takes the cap of an epoch, and not one unit more', async () => {
      const low = await openVault('low-tide', network.token.address, hour, eth(10))
      const at = (await low.read.latestTerms()).from / hour
      await network.mined(network.token.write.approve([low.address, eth(100)], asDeveloper))
      await network.mined(low.write.fund([eth(100)], asDeveloper))
      await network.passTo((at + 1n) * hour)
      const attempt = (minerTotal: bigint) =>
        low.simulate.postEpoch([at, root, receiptHash, totals(minerTotal)], asPoster)
      expect(await refusal(attempt(eth(6) + 1n))).toEqual(['ExceedsCap', at, eth(10), eth(10) + 1n])
      await attempt(eth(6))
      const most = 2n ** 128n - 1n
      const all = { miner: most, developer: most, treasury: most }
      expect(await refusal(low.simulate.postEpoch([at, root, receiptHash, all], asPoster))).toEqual([
        'ExceedsCap',
        at,
        eth(10),
        most * 3n,
      ])
    })

    test('refuses an epoch that runs, lies ahead, or was over when the vault was opened', async () => {
      await fund()
      const attempt = (at: bigint) => vault.simulate.postEpoch([at, root, receiptHash, totals(1n)], asPoster)
      const running = (await network.now()) / hour
      for (const at of [running, running + 1n, 2n ** 64n, 2n ** 255n, epoch - 1n, 0n])
        expect(await refusal(attempt(at))).toEqual(['EpochNotPayable', at])
      await network.passTo((running + 1n) * hour - 1n)
      expect((await refusal(attempt(running)))[0]).toBe('EpochNotPayable')
      await network.passTo((running + 1n) * hour)
      await attempt(running)
      await attempt(epoch)
    })

    test('an arbiter stops the posting in all vaults at once, while payments go on', async () => {
      const { factory } = network
      await fund()
      const [row] = rowsOf(await postTree(2))
      await network.mined(factory.write.pause(asArbiter))
      const attempt = () => vault.simulate.postEpoch([epoch + 1n, root, receiptHash, totals(1n)], asPoster)
      expect(await refusal(attempt())).toEqual(['EnforcedPause'])
      await release()
      await network.mined(vault.write.claim(...claim(row!)))
      await network.mined(factory.write.unpause(asArbiter))
      await attempt()
      for (const call of [factory.simulate.pause, factory.simulate.unpause])
        expect(await refusal(call(asPoster))).toEqual([
          'AccessControlUnauthorizedAccount',
          roles.poster,
          await factory.read.ARBITER_ROLE(),
        ])
    })

    test('an epoch has a root, a receipt and something for miners, and is posted once', async () => {
      await fund()
      const { simulate } = vault
      const attempt = (merkleRoot: Hex, receipt: Hex, minerTotal: bigint) =>
        refusal(simulate.postEpoch([epoch, merkleRoot, receipt, totals(minerTotal)], asPoster))
      expect(await attempt(bytes32(0), receiptHash, 1n)).toEqual(['EmptyEpoch', epoch])
      expect(await attempt(root, bytes32(0), 1n)).toEqual(['EmptyEpoch', epoch])
      expect(await attempt(root, receiptHash, 0n)).toEqual(['EmptyEpoch', epoch])
      await post(totals(1n))
      expect(await attempt(root, receiptHash, 1n)).toEqual(['AlreadyPosted', epoch])
    })

    test('only a poster posts', async () => {
      await fund()
      expect(
        await refusal(vault.simulate.postEpoch([epoch, root, receiptHash, totals(1n)], asDeveloper)),
      ).toEqual([
        'AccessControlUnauthorizedAccount',
        developer.address,
        await network.factory.read.POSTER_ROLE(),
      ])
    })
  })

  describe('veto', () => {
    test('within the challenge period an arbiter frees the funds, and allows another root', async () => {
      await fund()
      await post(totals(eth(20)))
      const { releaseAt } = await vault.read.epochOf([epoch])
      await network.client.setNextBlockTimestamp({ timestamp: releaseAt - 1n })
      expect(await network.events(vault, vault.write.veto([epoch], asArbiter))).toEqual([
        { event: 'EpochVetoed', epoch, merkleRoot: root },
      ])
      expect(await vault.read.freeBalance()).toBe(eth(100))
      expect(await refusal(vault.simulate.veto([epoch], asArbiter))).toEqual(['UnknownEpoch', epoch])
      const again = () => vault.simulate.postEpoch([epoch, root, receiptHash, totals(1n)], asPoster)
      expect(await refusal(again())).toEqual(['VetoStands', epoch])
      expect(await network.events(vault, vault.write.reopen([epoch], asArbiter))).toEqual([
        { event: 'EpochReopened', epoch },
      ])
      const tree = await postTree(2)
      expect((await vault.read.epochOf([epoch])).merkleRoot).toBe(tree.root)
    })

    test('only an arbiter reopens an epoch, and only one that is vetoed', async () => {
      await fund()
      await post(totals(1n))
      expect(await refusal(vault.simulate.reopen([epoch], asArbiter))).toEqual(['NoVeto', epoch])
      await network.mined(vault.write.veto([epoch], asArbiter))
      expect(await refusal(vault.simulate.reopen([epoch], asPoster))).toEqual([
        'AccessControlUnauthorizedAccount',
        roles.poster,
        await network.factory.read.ARBITER_ROLE(),
      ])
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
    test('go to developer and treasury once, whichever account asks', async () => {
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

  describe('terms', () => {
    const setTerms = (from: bigint, epochSecs: bigint, epochCap: bigint) =>
      network.events(vault, vault.write.setTerms([from, Number(epochSecs), epochCap], asDeveloper))
    const attempt = (from: bigint, epochSecs: bigint, account = asDeveloper) =>
      refusal(vault.simulate.setTerms([from, Number(epochSecs), eth(5)], account))
    /** The first two-hour boundary at least an hour ahead. */
    const boundary = async () => ((await network.now()) / (2n * hour) + 2n) * 2n * hour

    test('pay epochs before and after a change by the terms of their time', async () => {
      await fund()
      const from = await boundary()
      expect(await setTerms(from, 2n * hour, eth(5))).toEqual([
        { event: 'TermsSet', from, epochSecs: 7_200, epochCap: eth(5) },
      ])
      await network.passTo(from + 2n * hour)
      const lastOld = from / hour - 1n
      const firstNew = from / (2n * hour)
      expect(await vault.read.termsOf([lastOld])).toMatchObject({ epochSecs: 3_600, epochCap: cap })
      expect(await vault.read.termsOf([firstNew])).toEqual({ from, epochSecs: 7_200, epochCap: eth(5) })
      await post(totals(eth(20)), root, lastOld)
      await post(totals(eth(1)), root, firstNew)
      for (const at of [lastOld + 1n, firstNew - 1n, firstNew + 1n])
        expect(await refusal(vault.read.termsOf([at]))).toEqual(['EpochNotPayable', at])
      expect(
        await refusal(vault.simulate.postEpoch([firstNew, root, receiptHash, totals(eth(2))], asPoster)),
      ).toEqual(['AlreadyPosted', firstNew])
    })

    test('begin with an epoch of the old and the new length, at least an hour ahead', async () => {
      const from = await boundary()
      const refused = (at: bigint, epochSecs: bigint) => ['InvalidTerms', at, Number(epochSecs), eth(5)]
      expect(await attempt(from + 1n, hour)).toEqual(refused(from + 1n, hour))
      expect(await attempt(from + hour, 2n * hour)).toEqual(refused(from + hour, 2n * hour))
      for (const secs of [0n, 1_800n, 5n * hour, 2n * day])
        expect(await attempt(from, secs)).toEqual(refused(from, secs))
      await network.passTo(from - hour)
      await vault.simulate.setTerms([from, 7_200, eth(5)], asDeveloper)
      await network.passTo(from - hour + 1n)
      expect(await attempt(from, 2n * hour)).toEqual(refused(from, 2n * hour))
    })

    test('further ahead are replaced, and stand once the notice has begun', async () => {
      const from = ((await network.now()) / (4n * hour) + 2n) * 4n * hour
      await setTerms(from + 2n * hour, 2n * hour, eth(1))
      await setTerms(from, 2n * hour, eth(2))
      expect((await vault.read.latestTerms()).epochCap).toBe(eth(2))
      await network.passTo(from - hour + 1n)
      expect((await attempt(from + 4n * hour, 2n * hour))[0]).toBe('InvalidTerms')
      await network.passTo(from)
      await setTerms(from + 4n * hour, 4n * hour, eth(3))
      await network.passTo(from + 4n * hour)
      expect((await vault.read.termsOf([from / (2n * hour)])).epochCap).toBe(eth(2))
    })

    test('are the developer’s to set', async () => {
      const from = await boundary()
      expect(await attempt(from, hour, asPoster)).toEqual(['NotDeveloper', projectId, roles.poster])
    })
  })

  describe('withdrawal by the developer', () => {
    const dayCap = eth(20)
    /** A vault whose epochs last a day, with 100 tokens. */
    let daily: ReturnType<Network['vaultAt']>
    beforeEach(async () => {
      // At noon, so that no day ends while a test runs.
      await network.passTo(((await network.now()) / day + 1n) * day + 12n * hour)
      daily = await openVault('daily-tide', network.token.address, day, dayCap)
      await network.mined(network.token.write.approve([daily.address, eth(100)], asDeveloper))
      await network.mined(daily.write.fund([eth(100)], asDeveloper))
    })

    const announce = (amount: bigint) =>
      network.events(daily, daily.write.requestWithdrawal([amount], asDeveloper))
    const yesterday = async () => (await network.now()) / day - 1n
    const postYesterday = async (sum: bigint) =>
      network.mined(
        daily.write.postEpoch(
          [await yesterday(), root, receiptHash, { miner: sum, developer: 0n, treasury: 0n }],
          asPoster,
        ),
      )
    const withdraw = async () => {
      const before = await network.balanceOf(developer.address)
      await network.mined(daily.write.withdraw(asDeveloper))
      return (await network.balanceOf(developer.address)) - before
    }

    test('comes after a notice that everyone can see', async () => {
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
      expect((await daily.read.summary()).pendingWithdrawal).toBe(eth(40))
      await network.passTo(availableAt - 1n)
      expect(await refusal(daily.simulate.withdraw(asDeveloper))).toEqual([
        'WithdrawalNotAvailable',
        availableAt,
        availableAt + noticeSecs,
      ])
      await network.client.setNextBlockTimestamp({ timestamp: availableAt })
      expect(await network.events(daily, daily.write.withdraw(asDeveloper))).toContainEqual({
        event: 'FundsWithdrawn',
        developer: developer.address,
        amount: eth(40),
      })
      expect(await daily.read.freeBalance()).toBe(eth(60))
      expect((await refusal(daily.simulate.withdraw(asDeveloper)))[0]).toBe('WithdrawalNotAvailable')
    })

    test('what is announced is not free for tasks, and comes after what was worked', async () => {
      await announce(eth(95))
      expect(await daily.read.freeBalance()).toBe(eth(5))
      await network.pass(noticeSecs)
      await postYesterday(eth(10))
      expect(await daily.read.freeBalance()).toBe(0n)
      expect((await daily.read.summary()).reserved).toBe(eth(10))
    })

    test('does not overtake the posting of an epoch that has ended', async () => {
      await announce(eth(100))
      await network.pass(noticeSecs)
      const at = await yesterday()
      await network.client.setAutomine(false)
      const feesOf = (gwei: bigint) => ({
        maxFeePerGas: gwei * 10n ** 9n,
        maxPriorityFeePerGas: gwei * 10n ** 9n,
        gas: 500_000n,
      })
      const whole = { miner: eth(18), developer: eth(1), treasury: eth(1) }
      // The one that pays more comes first in the block.
      const hashes = [
        await daily.write.withdraw({ ...asDeveloper, ...feesOf(100n) }),
        await daily.write.postEpoch([at, root, receiptHash, whole], { ...asPoster, ...feesOf(50n) }),
      ]
      await network.client.mine({ blocks: 1 })
      await network.client.setAutomine(true)
      const receipts = await Promise.all(hashes.map((hash) => network.receiptOf(Promise.resolve(hash))))
      expect(receipts.map(({ status }) => status)).toEqual(['success', 'success'])
      expect(receipts[0]!.transactionIndex).toBeLessThan(receipts[1]!.transactionIndex)
      // The cap of the running epoch stays besides.
      expect(await daily.read.summary()).toMatchObject({ balance: eth(40), reserved: eth(20) })
    })

    test('leaves the caps of the running epoch and of those of the last day that are not posted', async () => {
      await announce(eth(100))
      await network.pass(noticeSecs)
      const before = await network.client.snapshot()
      expect(await withdraw()).toBe(eth(60))
      await network.client.revert({ id: before })
      await postYesterday(eth(7))
      expect(await withdraw()).toBe(eth(100 - 20 - 7))
    })

    test('of a vault with epochs of an hour leaves 25 of them', async () => {
      const hourly = await openVault('hourly-tide', network.token.address, hour, eth(2))
      await network.mined(network.token.write.approve([hourly.address, eth(100)], asDeveloper))
      await network.mined(hourly.write.fund([eth(100)], asDeveloper))
      await network.mined(hourly.write.requestWithdrawal([eth(100)], asDeveloper))
      await network.pass(noticeSecs)
      await network.mined(hourly.write.withdraw(asDeveloper))
      expect((await hourly.read.summary()).balance).toBe(eth(50))
    })

    test('takes the rest a day after terms without payments', async () => {
      const from = ((await network.now()) / day + 1n) * day
      await network.mined(daily.write.setTerms([from, 86_400, 0n], asDeveloper))
      await network.passTo(from)
      await announce(eth(100))
      await network.pass(noticeSecs)
      expect(await withdraw()).toBe(eth(100))
    })

    test('of nothing is refused', async () => {
      const small = await openVault('small-tide', network.token.address, day, dayCap)
      await network.mined(network.token.write.approve([small.address, eth(41)], asDeveloper))
      await network.mined(small.write.fund([eth(40)], asDeveloper))
      await network.mined(small.write.requestWithdrawal([eth(40)], asDeveloper))
      await network.pass(noticeSecs)
      expect(await refusal(small.simulate.withdraw(asDeveloper))).toEqual(['NothingFree'])
      await network.mined(small.write.fund([eth(1)], asDeveloper))
      await small.simulate.withdraw(asDeveloper)
    })

    test('cannot be kept in stock: an announcement expires', async () => {
      await announce(eth(40))
      const { expiresAt } = await daily.read.pendingWithdrawal()
      await network.passTo(expiresAt - 1n)
      await daily.simulate.withdraw(asDeveloper)
      expect(await daily.read.freeBalance()).toBe(eth(60))
      await network.passTo(expiresAt)
      expect((await refusal(daily.simulate.withdraw(asDeveloper)))[0]).toBe('WithdrawalNotAvailable')
      expect((await daily.read.summary()).pendingWithdrawal).toBe(0n)
      expect(await daily.read.freeBalance()).toBe(eth(100))
    })

    test('a later announcement takes the place of an earlier one, and 0 takes it back', async () => {
      await announce(eth(40))
      await network.pass(noticeSecs)
      await announce(eth(50))
      expect((await refusal(daily.simulate.withdraw(asDeveloper)))[0]).toBe('WithdrawalNotAvailable')
      await announce(0n)
      await network.pass(noticeSecs)
      expect((await refusal(daily.simulate.withdraw(asDeveloper)))[0]).toBe('WithdrawalNotAvailable')
    })

    test('only the developer announces and withdraws', async () => {
      const refused = ['NotDeveloper', await daily.read.projectId(), roles.poster]
      expect(await refusal(daily.simulate.requestWithdrawal([1n], asPoster))).toEqual(refused)
      expect(await refusal(daily.simulate.withdraw(asPoster))).toEqual(refused)
    })
  })

  describe('tokens of the developer’s choice', () => {
    type TokenAbi = typeof callbackTokenAbi | typeof feeTokenAbi | typeof issuerTokenAbi
    const openVaultWith = async (abi: TokenAbi, bytecode: Hex) => {
      const hash = network.client.deployContract({ abi, bytecode, account: developer.address })
      const token = (await network.receiptOf(hash)).contractAddress!
      const other = await openVault('other-token', token)
      const at = (await other.read.latestTerms()).from / hour
      return { token, other, otherProject: await other.read.projectId(), at }
    }

    test('a token that keeps a fee books what arrived', async () => {
      const { token, other } = await openVaultWith(feeTokenAbi, feeTokenBytecode)
      await network.mined(network.at(feeTokenAbi, token).write.approve([other.address, eth(10)], asDeveloper))
      await network.mined(other.write.fund([eth(10)], asDeveloper))
      expect(await other.read.freeBalance()).toBe(eth(9))
    })

    test.each(['fund', 'claim'] as const)(
      'a token that calls %s from within a payment changes nothing in the books',
      async (call) => {
        const { token, otherProject, other, at } = await openVaultWith(
          callbackTokenAbi,
          callbackTokenBytecode,
        )
        const callback = network.at(callbackTokenAbi, token)
        await network.mined(callback.write.approve([other.address, eth(10)], asDeveloper))
        await network.mined(other.write.fund([eth(10)], asDeveloper))
        const tree = buildPayoutTree(otherProject, Number(at), [
          { miner: miner(0), amount: String(eth(4)) },
          { miner: miner(1), amount: String(eth(5)) },
        ])!
        await network.passTo((at + 1n) * hour)
        const sum = { miner: eth(9), developer: 0n, treasury: 0n }
        await network.mined(other.write.postEpoch([at, tree.root, receiptHash, sum], asPoster))
        await release()
        const [row] = rowsOf(tree, at)
        const data =
          call === 'fund'
            ? encodeFunctionData({ abi: other.abi, functionName: 'fund', args: [0n] })
            : encodeFunctionData({
                abi: other.abi,
                functionName: 'claim',
                args: [at, row!.miner, row!.amount, row!.proof],
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

    describe('an issuer that refuses accounts and takes tokens away', () => {
      const opened = async () => {
        const { token, other, otherProject, at } = await openVaultWith(issuerTokenAbi, issuerTokenBytecode)
        const issuer = network.at(issuerTokenAbi, token)
        await network.mined(issuer.write.approve([other.address, eth(1_000)], asDeveloper))
        await network.mined(other.write.fund([eth(100)], asDeveloper))
        const payouts = [0, 1, 2].map((i) => ({ miner: miner(i), amount: String(eth(10)) }))
        const tree = buildPayoutTree(otherProject, Number(at), payouts)!
        await network.passTo((at + 1n) * hour)
        const sums = { miner: eth(30), developer: eth(3), treasury: eth(1) }
        await network.mined(other.write.postEpoch([at, tree.root, receiptHash, sums], asPoster))
        await release()
        const refuse = (account: Address, isRefused: boolean) =>
          network.mined(issuer.write.refuse([account, isRefused], asDeveloper))
        return { issuer, other, at, rows: rowsOf(tree, at), refuse }
      }

      test('one refused miner does not stop the batch, and is paid once the token takes it again', async () => {
        const { issuer, other, at, rows, refuse } = await opened()
        await refuse(miner(1), true)
        const said = await network.events(other, other.write.claimMany([rows], asStranger))
        expect(said.filter(({ event }) => event === 'Claimed')).toHaveLength(2)
        expect(await issuer.read.balanceOf([miner(0)])).toBe(eth(10))
        expect(await issuer.read.balanceOf([miner(2)])).toBe(eth(10))
        expect(await other.read.claimedOf([at, miner(1)])).toBe(0n)
        expect((await other.read.epochOf([at])).unclaimed).toBe(eth(10))
        expect(await other.read.summary()).toMatchObject({ totalPaid: eth(20), reserved: eth(14) })
        const row = rows.find((one) => one.miner === miner(1))!
        expect(await refusal(other.simulate.claim(...claim(row)))).toEqual(['Error', 'refused'])
        await refuse(miner(1), false)
        expect((await other.simulate.claimMany([rows], asStranger)).result).toBe(eth(10))
        await network.mined(other.write.claim(...claim(row)))
        expect(await issuer.read.balanceOf([miner(1)])).toBe(eth(10))
      })

      test('fees of developer and treasury do not depend on each other', async () => {
        const { issuer, other, at, refuse } = await opened()
        const pay = () => network.events(other, other.write.payFees([at], asStranger))
        await refuse(treasury, true)
        expect(await pay()).toContainEqual({
          event: 'FeesPaid',
          epoch: at,
          developer: eth(3),
          treasury: 0n,
        })
        expect(await refusal(other.simulate.payFees([at], asStranger))).toEqual(['NoFees', at])
        expect(await other.read.epochOf([at])).toMatchObject({ developer: 0n, treasury: eth(1) })
        await refuse(treasury, false)
        expect(await pay()).toContainEqual({
          event: 'FeesPaid',
          epoch: at,
          developer: 0n,
          treasury: eth(1),
        })
        expect(await issuer.read.balanceOf([treasury])).toBe(eth(1))
        expect(await refusal(other.simulate.payFees([at], asStranger))).toEqual(['NoFees', at])
      })

      test('tokens taken away are not free, and the vault can be funded again', async () => {
        const { issuer, other, at } = await opened()
        await network.mined(issuer.write.take([other.address, eth(80)], asDeveloper))
        // 100 in the books, 34 of them reserved, 20 there.
        expect(await other.read.freeBalance()).toBe(0n)
        const attempt = (sum: bigint) =>
          other.simulate.postEpoch(
            [at + 1n, root, receiptHash, { miner: sum, developer: 0n, treasury: 0n }],
            asPoster,
          )
        expect(await refusal(attempt(1n))).toEqual(['Underfunded', 0n, 1n])
        expect(await network.events(other, other.write.fund([eth(30)], asDeveloper))).toContainEqual({
          event: 'VaultFunded',
          from: developer.address,
          amount: eth(30),
        })
        expect(await other.read.freeBalance()).toBe(eth(16))
        expect(await refusal(attempt(eth(16) + 1n))).toEqual(['Underfunded', eth(16), eth(16) + 1n])
        await attempt(eth(16))
        expect(await refusal(other.simulate.fund([0n], asStranger))).toEqual(['NothingFunded'])
      })
    })
  })
})

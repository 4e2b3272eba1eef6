import { describe, expect, test } from 'vitest'
import { by, bytes32, developer, eth, roles } from '../network.ts'
import { network, refusal, refused, refusedAs, unauthorized } from '../use-network.ts'
import {
  cap,
  challengeSecs,
  claim,
  claiming,
  day,
  did,
  epoch,
  fund,
  hour,
  openFunded,
  post,
  posting,
  postTree,
  projectId,
  receiptHash,
  release,
  root,
  rowsOf,
  totals,
  vault,
} from './fixture.ts'

export function testEpochs(): void {
  describe('postEpoch', () => {
    test('reserves the whole total until the challenge period is over', async () => {
      await fund()
      const said = await post(totals(eth(20)))
      const releaseAt = (await network.now()) + challengeSecs
      expect(said).toEqual([
        { event: 'EpochPosted', epoch, merkleRoot: root, receiptHash, ...totals(eth(20)), releaseAt },
      ])
      const { miner: unclaimed, ...fees } = totals(eth(20))
      const stored = { merkleRoot: root, releaseAt, isVetoed: false, unclaimed, ...fees }
      expect(await vault.read.epochOf([epoch])).toEqual(stored)
      expect(await vault.read.freeBalance()).toBe(eth(76))
    })

    test('accepts totals up to the free balance, and refuses one unit more', async () => {
      await fund()
      await post(totals(eth(20)))
      await refused(posting(eth(72) + 1n, epoch + 1n), ['Underfunded', eth(76), eth(76) + 1n])
      await posting(eth(72), epoch + 1n)
    })

    test('accepts totals up to the cap of the epoch, and refuses one unit more', async () => {
      const low = await openFunded('low-tide', hour, eth(10))
      const at = (await low.read.latestTerms()).from / hour
      await network.passTo((at + 1n) * hour)
      const attempt = (sums: ReturnType<typeof totals>) =>
        low.simulate.postEpoch([at, root, receiptHash, sums], by.poster)
      await refused(attempt(totals(eth(6) + 1n)), ['ExceedsCap', at, eth(10), eth(10) + 1n])
      await attempt(totals(eth(6)))
      const most = 2n ** 128n - 1n
      const all = { miner: most, developer: most, treasury: most }
      await refused(attempt(all), ['ExceedsCap', at, eth(10), most * 3n])
    })

    test('refuses an epoch that is running, in the future, or older than the vault', async () => {
      await fund()
      const running = (await network.now()) / hour
      for (const at of [running, running + 1n, 2n ** 64n, 2n ** 255n, epoch - 1n, 0n])
        await refused(posting(1n, at), ['EpochNotPayable', at])
      await network.passTo((running + 1n) * hour - 1n)
      await refusedAs(posting(1n, running), 'EpochNotPayable')
      await network.passTo((running + 1n) * hour)
      await posting(1n, running)
      await posting(1n)
    })

    test('an arbiter can stop the posting in all vaults at once, while payments continue', async () => {
      const { factory } = network
      await fund()
      const [row] = rowsOf(await postTree(2))
      await network.mined(factory.write.pause(by.arbiter))
      await refused(posting(1n, epoch + 1n), ['EnforcedPause'])
      await release()
      await network.mined(vault.write.claim(...claim(row!)))
      await network.mined(factory.write.unpause(by.arbiter))
      await posting(1n, epoch + 1n)
      for (const call of [factory.simulate.pause, factory.simulate.unpause])
        await refused(call(by.poster), unauthorized(roles.poster, 'ARBITER_ROLE'))
    })

    test('an epoch needs a root, a receipt and an amount for miners, and is posted once', async () => {
      await fund()
      for (const [merkleRoot, receipt, minerTotal] of [
        [bytes32(0), receiptHash, 1n],
        [root, bytes32(0), 1n],
        [root, receiptHash, 0n],
      ] as const) {
        const args = [epoch, merkleRoot, receipt, totals(minerTotal)] as const
        await refused(vault.simulate.postEpoch(args, by.poster), ['EmptyEpoch', epoch])
      }
      await post(totals(1n))
      await refused(posting(1n), ['AlreadyPosted', epoch])
    })

    test('only a poster posts', async () => {
      await fund()
      await refused(posting(1n, epoch, by.developer), unauthorized(developer.address, 'POSTER_ROLE'))
    })
  })

  describe('veto', () => {
    test('by an arbiter within the challenge period frees the funds, and reopening allows another root', async () => {
      await fund()
      await post(totals(eth(20)))
      const { releaseAt } = await vault.read.epochOf([epoch])
      await network.client.setNextBlockTimestamp({ timestamp: releaseAt - 1n })
      expect(await did(vault.write.veto([epoch], by.arbiter))).toEqual([
        { event: 'EpochVetoed', epoch, merkleRoot: root },
      ])
      expect(await vault.read.freeBalance()).toBe(eth(100))
      await refused(vault.simulate.veto([epoch], by.arbiter), ['UnknownEpoch', epoch])
      await refused(posting(1n), ['VetoStands', epoch])
      expect(await did(vault.write.reopen([epoch], by.arbiter))).toEqual([{ event: 'EpochReopened', epoch }])
      const tree = await postTree(2)
      expect((await vault.read.epochOf([epoch])).merkleRoot).toBe(tree.root)
    })

    test('only an arbiter can reopen an epoch, and only a vetoed one', async () => {
      await fund()
      await post(totals(1n))
      await refused(vault.simulate.reopen([epoch], by.arbiter), ['NoVeto', epoch])
      await network.mined(vault.write.veto([epoch], by.arbiter))
      await refused(vault.simulate.reopen([epoch], by.poster), unauthorized(roles.poster, 'ARBITER_ROLE'))
    })

    test('is refused after the challenge period, and from accounts other than an arbiter', async () => {
      await fund()
      await post(totals(eth(20)))
      const { releaseAt } = await vault.read.epochOf([epoch])
      await refused(vault.simulate.veto([epoch], by.poster), unauthorized(roles.poster, 'ARBITER_ROLE'))
      await network.passTo(releaseAt)
      await refused(vault.simulate.veto([epoch], by.arbiter), ['ChallengeOver', epoch, releaseAt])
    })

    test('a vetoed epoch pays neither claims nor fees', async () => {
      await fund()
      const tree = await postTree(3)
      await network.mined(vault.write.veto([epoch], by.arbiter))
      await release()
      await refused(claiming(rowsOf(tree)[0]!), ['UnknownEpoch', epoch])
      await refused(vault.simulate.payFees([epoch], by.stranger), ['UnknownEpoch', epoch])
    })
  })

  describe('terms', () => {
    const setTerms = (from: bigint, epochSecs: bigint, epochCap: bigint) =>
      did(vault.write.setTerms([from, Number(epochSecs), epochCap], by.developer))
    const attempt = (from: bigint, epochSecs: bigint, account = by.developer) =>
      refusal(vault.simulate.setTerms([from, Number(epochSecs), eth(5)], account))
    /** The first two-hour boundary at least an hour ahead. */
    const boundary = async () => ((await network.now()) / (2n * hour) + 2n) * 2n * hour

    test('apply to the epochs of their time, before and after a change', async () => {
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
        await refused(vault.read.termsOf([at]), ['EpochNotPayable', at])
      await refused(posting(eth(2), firstNew), ['AlreadyPosted', firstNew])
    })

    test('must start at a boundary of old and new epochs, at least an hour ahead', async () => {
      const from = await boundary()
      const invalid = (at: bigint, epochSecs: bigint) => ['InvalidTerms', at, Number(epochSecs), eth(5)]
      expect(await attempt(from + 1n, hour)).toEqual(invalid(from + 1n, hour))
      expect(await attempt(from + hour, 2n * hour)).toEqual(invalid(from + hour, 2n * hour))
      for (const secs of [0n, 1_800n, 5n * hour, 2n * day])
        expect(await attempt(from, secs)).toEqual(invalid(from, secs))
      await network.passTo(from - hour)
      await vault.simulate.setTerms([from, 7_200, eth(5)], by.developer)
      await network.passTo(from - hour + 1n)
      expect(await attempt(from, 2n * hour)).toEqual(invalid(from, 2n * hour))
    })

    test('must not start within an epoch of the old length', async () => {
      const from = ((await network.now()) / (4n * hour) + 2n) * 4n * hour
      await setTerms(from, 4n * hour, eth(1))
      await network.passTo(from)
      for (const cut of [from + 5n * hour, from + 6n * hour, from + 7n * hour])
        expect(await attempt(cut, hour)).toEqual(['InvalidTerms', cut, 3_600, eth(5)])
      await setTerms(from + 8n * hour, hour, eth(5))
      await network.passTo(from + 8n * hour)
      expect((await vault.read.termsOf([from / (4n * hour) + 1n])).epochCap).toBe(eth(1))
    })

    test('can be replaced until their notice of an hour begins', async () => {
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

    test('can be set only by the developer', async () => {
      const from = await boundary()
      expect(await attempt(from, hour, by.poster)).toEqual(['NotDeveloper', projectId, roles.poster])
    })
  })
}

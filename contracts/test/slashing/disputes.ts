import { expect, test } from 'vitest'
import { bytes32, owner, refusal, stranger, treasury } from '../network.ts'
import {
  amount,
  asArbiter,
  asOwner,
  asProposer,
  asStranger,
  cancel,
  cancelled,
  collateral,
  decisionSecs,
  dispute,
  disputed,
  evidence,
  execute,
  executed,
  executionSecs,
  graceSecs,
  id,
  network,
  propose,
  proposed,
  slashed,
  stateOf,
  upheld,
  uphold,
  windowMax,
  windowSecs,
} from './fixture.ts'

/** Disputes, and how they are decided. */
export function testDisputes(): void {
  test('a disputed slash waits for the arbiter; cancelled it takes nothing', async () => {
    await propose()
    expect(await dispute()).toEqual([{ event: 'SlashDisputed', evidenceHash: evidence }])
    await network.pass(windowMax + graceSecs)
    expect(await refusal(network.staking.simulate.executeSlash([evidence], asStranger))).toEqual([
      'InvalidSlashState',
      evidence,
      disputed,
    ])
    expect(await cancel()).toEqual([{ event: 'SlashCancelled', evidenceHash: evidence }])
    expect(await stateOf()).toBe(cancelled)
    expect(await collateral()).toBe(amount)
    expect(await network.balanceOf(treasury)).toBe(0n)
  })

  test('an upheld slash is executed, but not before its window is over', async () => {
    await propose()
    await dispute()
    expect(await uphold()).toEqual([{ event: 'SlashUpheld', evidenceHash: evidence }])
    expect(await stateOf()).toBe(upheld)
    expect((await refusal(network.staking.simulate.executeSlash([evidence], asStranger)))[0]).toBe(
      'DisputeWindowOpen',
    )
    await network.pass(windowSecs + graceSecs)
    await execute()
    expect(await collateral()).toBe(amount - slashed)
  })

  test('an arbiter cancels an undisputed and an upheld slash too', async () => {
    await propose()
    await cancel()
    expect(await stateOf()).toBe(cancelled)
    await propose(bytes32(2))
    const other = { account: owner.address }
    await network.mined(network.staking.write.disputeSlash([bytes32(2)], other))
    await network.mined(network.staking.write.upholdSlash([bytes32(2)], asArbiter))
    await network.mined(network.staking.write.cancelSlash([bytes32(2)], asArbiter))
    expect(await stateOf(bytes32(2))).toBe(cancelled)
    expect((await network.staking.read.subscriptionOf([id])).openSlashes).toBe(0)
  })

  test('a proposer passes on the dispute of an owner without native tokens; a stranger disputes nothing', async () => {
    await propose()
    expect(await refusal(network.staking.simulate.disputeSlash([evidence], asStranger))).toEqual([
      'NotDisputer',
      evidence,
      stranger.address,
    ])
    await dispute(asProposer)
    expect(await stateOf()).toBe(disputed)
  })

  test('a dispute sent in the last second of the window is not overtaken by the execution', async () => {
    await propose()
    const { executableAt } = await network.staking.read.slashOf([evidence])
    await network.passTo(executableAt - 1n)
    await network.client.setAutomine(false)
    const fees = { maxFeePerGas: 100n * 10n ** 9n, gas: 300_000n }
    const first = { ...asStranger, ...fees, maxPriorityFeePerGas: 10n * 10n ** 9n }
    const second = { ...asOwner, ...fees, maxPriorityFeePerGas: 10n ** 9n }
    const hashes = await Promise.all([
      network.staking.write.executeSlash([evidence], first),
      network.staking.write.disputeSlash([evidence], second),
    ])
    await network.passTo(executableAt + 11n)
    await network.client.setAutomine(true)
    const receipts = await Promise.all(hashes.map((hash) => network.receiptOf(Promise.resolve(hash))))
    expect(receipts.map(({ status }) => status)).toEqual(['reverted', 'success'])
    expect(await stateOf()).toBe(disputed)
  })

  test('a dispute that nobody decides ends after two weeks in favour of the owner, and not before', async () => {
    const { simulate, write } = network.staking
    await network.mined(write.unbond([id], asOwner))
    await propose()
    await dispute()
    const decideBy = Number((await network.now()) + decisionSecs)
    expect((await network.staking.read.slashOf([evidence])).decideBy).toBe(decideBy)
    await network.passTo(BigInt(decideBy) - 1n)
    expect(await refusal(simulate.endDispute([evidence], asStranger))).toEqual([
      'DecisionPending',
      evidence,
      decideBy,
    ])
    await simulate.upholdSlash([evidence], asArbiter)
    await network.passTo(BigInt(decideBy))
    expect(await refusal(simulate.upholdSlash([evidence], asArbiter))).toEqual([
      'DecisionOverdue',
      evidence,
      decideBy,
    ])
    expect(await network.events(network.staking, write.endDispute([evidence], asStranger))).toEqual([
      { event: 'SlashCancelled', evidenceHash: evidence },
    ])
    expect(await stateOf()).toBe(cancelled)
    await network.mined(write.withdraw([id], asOwner))
    expect(await network.balanceOf(owner.address)).toBe(amount)
  })

  test('only a dispute ends this way', async () => {
    const ended = () => refusal(network.staking.simulate.endDispute([evidence], asStranger))
    await propose()
    await network.pass(executionSecs)
    expect(await ended()).toEqual(['InvalidSlashState', evidence, proposed])
    await execute()
    expect(await ended()).toEqual(['InvalidSlashState', evidence, executed])
  })

  test('an upheld slash does not end by itself', async () => {
    await propose()
    await dispute()
    await uphold()
    await network.pass(decisionSecs)
    expect(await refusal(network.staking.simulate.endDispute([evidence], asStranger))).toEqual([
      'InvalidSlashState',
      evidence,
      upheld,
    ])
    await execute()
    expect(await collateral()).toBe(amount - slashed)
  })

  test('a dispute comes once, and until the grace period of the window is over', async () => {
    await propose()
    const endsAt = (await network.staking.read.slashOf([evidence])).executableAt + graceSecs
    const { simulate } = network.staking
    await network.passTo(endsAt - 1n)
    await simulate.disputeSlash([evidence], asOwner)
    await network.passTo(endsAt)
    expect(await refusal(simulate.disputeSlash([evidence], asOwner))).toEqual([
      'DisputeWindowOver',
      evidence,
      endsAt,
    ])
    await propose(bytes32(2))
    await network.mined(network.staking.write.disputeSlash([bytes32(2)], asOwner))
    await network.mined(network.staking.write.upholdSlash([bytes32(2)], asArbiter))
    expect(await refusal(simulate.disputeSlash([bytes32(2)], asOwner))).toEqual([
      'InvalidSlashState',
      bytes32(2),
      upheld,
    ])
  })

  test('a slash that was never proposed, or is decided, leads nowhere', async () => {
    const { simulate } = network.staking
    const refusals = async () => [
      (await refusal(simulate.disputeSlash([evidence], asOwner)))[2],
      (await refusal(simulate.cancelSlash([evidence], asArbiter)))[2],
      (await refusal(simulate.upholdSlash([evidence], asArbiter)))[2],
      (await refusal(simulate.executeSlash([evidence], asStranger)))[2],
    ]
    expect(await refusals()).toEqual([0, 0, 0, 0])
    await propose()
    await network.pass(windowSecs + graceSecs)
    await execute()
    expect(await refusals()).toEqual([executed, executed, executed, executed])
  })
}

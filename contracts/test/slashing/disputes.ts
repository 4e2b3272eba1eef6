import { expect, test } from 'vitest'
import { by, bytes32, owner, stranger, treasury } from '../network.ts'
import { refusal, refused, refusedAs } from '../use-network.ts'
import {
  amount,
  cancel,
  collateral,
  decisionSecs,
  did,
  dispute,
  evidence,
  execute,
  executionSecs,
  graceSecs,
  id,
  network,
  propose,
  read,
  simulate,
  slashed,
  state,
  stateOf,
  uphold,
  windowMax,
  windowSecs,
  write,
} from './fixture.ts'

/** Disputes, and how they are decided. */
export function testDisputes(): void {
  test('a disputed slash waits for the arbiter; cancelled it takes nothing', async () => {
    await propose()
    expect(await dispute()).toEqual([{ event: 'SlashDisputed', evidenceHash: evidence }])
    await network.pass(windowMax + graceSecs)
    await refused(simulate.executeSlash([evidence], by.stranger), [
      'InvalidSlashState',
      evidence,
      state.disputed,
    ])
    expect(await cancel()).toEqual([{ event: 'SlashCancelled', evidenceHash: evidence }])
    expect(await stateOf()).toBe(state.cancelled)
    expect(await collateral()).toBe(amount)
    expect(await network.balanceOf(treasury)).toBe(0n)
  })

  test('an upheld slash is executed, but not before its window is over', async () => {
    await propose()
    await dispute()
    expect(await uphold()).toEqual([{ event: 'SlashUpheld', evidenceHash: evidence }])
    expect(await stateOf()).toBe(state.upheld)
    await refusedAs(simulate.executeSlash([evidence], by.stranger), 'DisputeWindowOpen')
    await network.pass(windowSecs + graceSecs)
    await execute()
    expect(await collateral()).toBe(amount - slashed)
  })

  test('an arbiter cancels an undisputed and an upheld slash too', async () => {
    await propose()
    await cancel()
    expect(await stateOf()).toBe(state.cancelled)
    await propose(bytes32(2))
    const other = by.owner
    await network.mined(write.disputeSlash([bytes32(2)], other))
    await network.mined(write.upholdSlash([bytes32(2)], by.arbiter))
    await network.mined(write.cancelSlash([bytes32(2)], by.arbiter))
    expect(await stateOf(bytes32(2))).toBe(state.cancelled)
    expect((await read.subscriptionOf([id])).openSlashes).toBe(0)
  })

  test('a proposer passes on the dispute of an owner without native tokens; a stranger disputes nothing', async () => {
    await propose()
    await refused(simulate.disputeSlash([evidence], by.stranger), ['NotDisputer', evidence, stranger.address])
    await dispute(by.proposer)
    expect(await stateOf()).toBe(state.disputed)
  })

  test('a dispute sent in the last second of the window is not overtaken by the execution', async () => {
    await propose()
    const { executableAt } = await read.slashOf([evidence])
    await network.passTo(executableAt - 1n)
    await network.client.setAutomine(false)
    const fees = { maxFeePerGas: 100n * 10n ** 9n, gas: 300_000n }
    const first = { ...by.stranger, ...fees, maxPriorityFeePerGas: 10n * 10n ** 9n }
    const second = { ...by.owner, ...fees, maxPriorityFeePerGas: 10n ** 9n }
    const hashes = await Promise.all([
      write.executeSlash([evidence], first),
      write.disputeSlash([evidence], second),
    ])
    await network.passTo(executableAt + 11n)
    await network.client.setAutomine(true)
    const receipts = await Promise.all(hashes.map((hash) => network.receiptOf(Promise.resolve(hash))))
    expect(receipts.map(({ status }) => status)).toEqual(['reverted', 'success'])
    expect(await stateOf()).toBe(state.disputed)
  })

  test('a dispute that nobody decides ends after two weeks in favour of the owner, and not before', async () => {
    await network.mined(write.unbond([id], by.owner))
    await propose()
    await dispute()
    const decideBy = Number((await network.now()) + decisionSecs)
    expect((await read.slashOf([evidence])).decideBy).toBe(decideBy)
    await network.passTo(BigInt(decideBy) - 1n)
    await refused(simulate.endDispute([evidence], by.stranger), ['DecisionPending', evidence, decideBy])
    await simulate.upholdSlash([evidence], by.arbiter)
    await network.passTo(BigInt(decideBy))
    await refused(simulate.upholdSlash([evidence], by.arbiter), ['DecisionOverdue', evidence, decideBy])
    expect(await did(write.endDispute([evidence], by.stranger))).toEqual([
      { event: 'SlashCancelled', evidenceHash: evidence },
    ])
    expect(await stateOf()).toBe(state.cancelled)
    await network.mined(write.withdraw([id], by.owner))
    expect(await network.balanceOf(owner.address)).toBe(amount)
  })

  test('only a dispute ends this way', async () => {
    const ended = () => refusal(simulate.endDispute([evidence], by.stranger))
    await propose()
    await network.pass(executionSecs)
    expect(await ended()).toEqual(['InvalidSlashState', evidence, state.proposed])
    await execute()
    expect(await ended()).toEqual(['InvalidSlashState', evidence, state.executed])
  })

  test('an upheld slash does not end by itself', async () => {
    await propose()
    await dispute()
    await uphold()
    await network.pass(decisionSecs)
    await refused(simulate.endDispute([evidence], by.stranger), ['InvalidSlashState', evidence, state.upheld])
    await execute()
    expect(await collateral()).toBe(amount - slashed)
  })

  test('a dispute comes once, and until the grace period of the window is over', async () => {
    await propose()
    const endsAt = (await read.slashOf([evidence])).executableAt + graceSecs
    await network.passTo(endsAt - 1n)
    await simulate.disputeSlash([evidence], by.owner)
    await network.passTo(endsAt)
    await refused(simulate.disputeSlash([evidence], by.owner), ['DisputeWindowOver', evidence, endsAt])
    await propose(bytes32(2))
    await network.mined(write.disputeSlash([bytes32(2)], by.owner))
    await network.mined(write.upholdSlash([bytes32(2)], by.arbiter))
    await refused(simulate.disputeSlash([bytes32(2)], by.owner), [
      'InvalidSlashState',
      bytes32(2),
      state.upheld,
    ])
  })

  test('a slash that was never proposed, or is decided, leads nowhere', async () => {
    const refusals = async () => [
      (await refusal(simulate.disputeSlash([evidence], by.owner)))[2],
      (await refusal(simulate.cancelSlash([evidence], by.arbiter)))[2],
      (await refusal(simulate.upholdSlash([evidence], by.arbiter)))[2],
      (await refusal(simulate.executeSlash([evidence], by.stranger)))[2],
    ]
    expect(await refusals()).toEqual([0, 0, 0, 0])
    await propose()
    await network.pass(windowSecs + graceSecs)
    await execute()
    expect(await refusals()).toEqual([state.executed, state.executed, state.executed, state.executed])
  })
}

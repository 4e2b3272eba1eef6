import { expect, test } from 'vitest'
import { by, bytes32, owner, stranger, treasury } from '../network.ts'
import { refused, refusedAs } from '../use-network.ts'
import {
  amount,
  attempt,
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
  slashed,
  state,
  stateOf,
  uphold,
  windowMax,
  windowSecs,
  write,
} from './fixture.ts'

const other = bytes32(2)

export function testDisputes(): void {
  test('a disputed slash waits for the arbiter; cancelled it takes nothing', async () => {
    await propose()
    expect(await dispute()).toEqual([{ event: 'SlashDisputed', evidenceHash: evidence }])
    await network.pass(windowMax + graceSecs)
    await refused(attempt.execute(), ['InvalidSlashState', evidence, state.disputed])
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
    await refusedAs(attempt.execute(), 'DisputeWindowOpen')
    await network.pass(windowSecs + graceSecs)
    await execute()
    expect(await collateral()).toBe(amount - slashed)
  })

  test('an arbiter cancels an undisputed and an upheld slash too', async () => {
    await propose()
    await cancel()
    expect(await stateOf()).toBe(state.cancelled)
    for (const decide of [propose, dispute, uphold, cancel]) await decide(other)
    expect(await stateOf(other)).toBe(state.cancelled)
    expect((await read.subscriptionOf([id])).openSlashes).toBe(0)
  })

  test('a proposer passes on the dispute of an owner without native tokens; a stranger disputes nothing', async () => {
    await propose()
    await refused(attempt.dispute(evidence, by.stranger), ['NotDisputer', evidence, stranger.address])
    await dispute(evidence, by.proposer)
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
    const sent = [write.executeSlash([evidence], first), write.disputeSlash([evidence], second)]
    await Promise.all(sent)
    await network.passTo(executableAt + 11n)
    await network.client.setAutomine(true)
    const receipts = await Promise.all(sent.map(network.receiptOf))
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
    await refused(attempt.endDispute(), ['DecisionPending', evidence, decideBy])
    await attempt.uphold()
    await network.passTo(BigInt(decideBy))
    await refused(attempt.uphold(), ['DecisionOverdue', evidence, decideBy])
    expect(await did(write.endDispute([evidence], by.stranger))).toEqual([
      { event: 'SlashCancelled', evidenceHash: evidence },
    ])
    expect(await stateOf()).toBe(state.cancelled)
    await network.mined(write.withdraw([id], by.owner))
    expect(await network.balanceOf(owner.address)).toBe(amount)
  })

  test('only a dispute ends this way', async () => {
    await propose()
    await network.pass(executionSecs)
    await refused(attempt.endDispute(), ['InvalidSlashState', evidence, state.proposed])
    await execute()
    await refused(attempt.endDispute(), ['InvalidSlashState', evidence, state.executed])
  })

  test('an upheld slash does not end by itself', async () => {
    await propose()
    await dispute()
    await uphold()
    await network.pass(decisionSecs)
    await refused(attempt.endDispute(), ['InvalidSlashState', evidence, state.upheld])
    await execute()
    expect(await collateral()).toBe(amount - slashed)
  })

  test('a dispute comes once, and until the grace period of the window is over', async () => {
    await propose()
    const endsAt = (await read.slashOf([evidence])).executableAt + graceSecs
    await network.passTo(endsAt - 1n)
    await attempt.dispute()
    await network.passTo(endsAt)
    await refused(attempt.dispute(), ['DisputeWindowOver', evidence, endsAt])
    for (const decide of [propose, dispute, uphold]) await decide(other)
    await refused(attempt.dispute(other), ['InvalidSlashState', other, state.upheld])
  })

  test('a slash that was never proposed, or is decided, leads nowhere', async () => {
    const leadNowhere = async (from: number) => {
      for (const step of [attempt.dispute, attempt.cancel, attempt.uphold, attempt.execute])
        await refused(step(), ['InvalidSlashState', evidence, from])
    }
    await leadNowhere(0)
    await propose()
    await network.pass(windowSecs + graceSecs)
    await execute()
    await leadNowhere(state.executed)
  })
}

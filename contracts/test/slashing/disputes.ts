import { expect, test } from 'vitest'
import { by, bytes32, owner, stranger, treasury } from '../network.ts'
import { network, refused, refusedAs } from '../use-network.ts'
import {
  act,
  amount,
  attempt,
  collateral,
  did,
  evidence,
  id,
  read,
  secs,
  slashed,
  state,
  stateOf,
  write,
} from './fixture.ts'

const other = bytes32(2)

export function testDisputes(): void {
  test('a disputed slash waits for the arbiter, and takes nothing if it is cancelled', async () => {
    await act.propose()
    expect(await act.dispute()).toEqual([{ event: 'SlashDisputed', evidenceHash: evidence }])
    await network.pass(secs.windowMax + secs.grace)
    await refused(attempt.execute(), ['InvalidSlashState', evidence, state.disputed])
    expect(await act.cancel()).toEqual([{ event: 'SlashCancelled', evidenceHash: evidence }])
    expect(await stateOf()).toBe(state.cancelled)
    expect(await collateral()).toBe(amount)
    expect(await network.balanceOf(treasury)).toBe(0n)
  })

  test('an upheld slash is executed only after its dispute window is over', async () => {
    await act.propose()
    await act.dispute()
    expect(await act.uphold()).toEqual([{ event: 'SlashUpheld', evidenceHash: evidence }])
    expect(await stateOf()).toBe(state.upheld)
    await refusedAs(attempt.execute(), 'DisputeWindowOpen')
    await network.pass(secs.window + secs.grace)
    await act.execute()
    expect(await collateral()).toBe(amount - slashed)
  })

  test('an arbiter can also cancel an undisputed or an upheld slash', async () => {
    await act.propose()
    await act.cancel()
    expect(await stateOf()).toBe(state.cancelled)
    for (const decide of [act.propose, act.dispute, act.uphold, act.cancel]) await decide(other)
    expect(await stateOf(other)).toBe(state.cancelled)
    expect((await read.subscriptionOf([id])).openSlashes).toBe(0)
  })

  test('a proposer can send the dispute of an owner without native tokens, and a stranger cannot dispute', async () => {
    await act.propose()
    await refused(attempt.dispute(evidence, by.stranger), ['NotDisputer', evidence, stranger.address])
    await act.dispute(evidence, by.proposer)
    expect(await stateOf()).toBe(state.disputed)
  })

  test('an execution does not overtake a dispute sent in the last second of the window', async () => {
    await act.propose()
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

  test('an undecided dispute ends in favour of the owner after two weeks, and not before', async () => {
    await network.mined(write.unbond([id], by.owner))
    await act.propose()
    await act.dispute()
    const decideBy = Number((await network.now()) + secs.decision)
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

  test('an undisputed slash does not end as an undecided dispute', async () => {
    await act.propose()
    await network.pass(secs.execution)
    await refused(attempt.endDispute(), ['InvalidSlashState', evidence, state.proposed])
    await act.execute()
    await refused(attempt.endDispute(), ['InvalidSlashState', evidence, state.executed])
  })

  test('an upheld slash does not end as an undecided dispute', async () => {
    await act.propose()
    await act.dispute()
    await act.uphold()
    await network.pass(secs.decision)
    await refused(attempt.endDispute(), ['InvalidSlashState', evidence, state.upheld])
    await act.execute()
    expect(await collateral()).toBe(amount - slashed)
  })

  test('a slash can be disputed once, until the grace period of the window is over', async () => {
    await act.propose()
    const endsAt = (await read.slashOf([evidence])).executableAt + secs.grace
    await network.passTo(endsAt - 1n)
    await attempt.dispute()
    await network.passTo(endsAt)
    await refused(attempt.dispute(), ['DisputeWindowOver', evidence, endsAt])
    for (const decide of [act.propose, act.dispute, act.uphold]) await decide(other)
    await refused(attempt.dispute(other), ['InvalidSlashState', other, state.upheld])
  })

  test('a slash that was never proposed, or is executed, allows no further step', async () => {
    const leadNowhere = async (from: number) => {
      for (const step of [attempt.dispute, attempt.cancel, attempt.uphold, attempt.execute])
        await refused(step(), ['InvalidSlashState', evidence, from])
    }
    await leadNowhere(0)
    await act.propose()
    await network.pass(secs.window + secs.grace)
    await act.execute()
    await leadNowhere(state.executed)
  })
}

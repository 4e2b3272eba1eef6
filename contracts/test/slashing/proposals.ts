import { type Hex, keccak256, toHex } from 'viem'
import { expect, test } from 'vitest'
import { offenceKey } from '../../../protocol/slashing/index.ts'
import { by, bytes32, eth, owner, params, roles, treasury } from '../network.ts'
import { network, refused, refusedAs, unauthorized } from '../use-network.ts'
import {
  act,
  amount,
  attempt,
  collateral,
  evidence,
  id,
  nodeKey,
  offenceOf,
  projectId,
  read,
  secs,
  simulate,
  slashed,
  state,
  stateOf,
  write,
} from './fixture.ts'

const pauseSecs = 3n * 86_400n

export function testProposals(): void {
  test('after an undisputed window anyone can execute a slash, and the treasury gets the collateral', async () => {
    const said = await act.propose()
    const executableAt = (await network.now()) + secs.window
    const proposal = { subscriptionId: id, amount: slashed, executableAt }
    expect(said).toEqual([
      { event: 'SlashProposed', evidenceHash: evidence, offenceId: offenceOf(evidence), ...proposal },
    ])
    expect(await read.slashOf([evidence])).toEqual({ ...proposal, state: state.proposed, decideBy: 0 })
    const endsAt = executableAt + secs.grace
    await network.passTo(endsAt - 1n)
    await refused(attempt.execute(), ['DisputeWindowOpen', evidence, endsAt])
    await network.client.setNextBlockTimestamp({ timestamp: endsAt })
    expect(await act.execute()).toContainEqual({
      event: 'SlashExecuted',
      evidenceHash: evidence,
      subscriptionId: id,
      amount: slashed,
    })
    expect(await stateOf()).toBe(state.executed)
    expect(await collateral()).toBe(amount - slashed)
    expect(await network.balanceOf(treasury)).toBe(slashed)
    expect(await network.balanceOf(network.addresses.staking)).toBe(amount - slashed)
  })

  test('a pause by an arbiter stops proposals and executions, but not disputes, decisions and withdrawals', async () => {
    const [held, third] = [bytes32(2), bytes32(3)]
    await act.propose()
    await act.propose(held)
    await network.mined(write.unbond([id], by.owner))
    await network.mined(write.pause(by.arbiter))
    await refused(attempt.propose(third), ['EnforcedPause'])
    await act.dispute()
    await act.uphold()
    await act.cancel(held)
    await network.pass(secs.window + secs.grace)
    await refused(attempt.execute(), ['EnforcedPause'])
    await act.cancel()
    await network.mined(write.unpause(by.arbiter))
    await act.propose(third)
    await act.cancel(third)
    await network.mined(write.pause(by.arbiter))
    await network.pass(params.unbonding_secs)
    await attempt.withdraw()
  })

  test('a pause, even if resumed, ends by itself after three days, and the next can start a day later', async () => {
    await network.mined(write.pause(by.arbiter))
    const endsAt = (await network.now()) + pauseSecs
    expect(await read.pausedUntil()).toBe(endsAt)
    await refused(simulate.pause(by.arbiter), ['EnforcedPause'])
    await network.mined(write.unpause(by.arbiter))
    await refused(simulate.unpause(by.arbiter), ['ExpectedPause'])
    await network.pass(86_400)
    await network.mined(write.pause(by.arbiter))
    expect([await read.paused(), await read.pausedUntil()]).toEqual([true, endsAt])
    await network.passTo(endsAt - 1n)
    expect(await read.paused()).toBe(true)
    await network.passTo(endsAt)
    expect(await read.paused()).toBe(false)
    await act.propose()
    await refused(simulate.pause(by.arbiter), ['PauseSpent', endsAt + 86_400n])
    // An order to end it is never too late.
    await simulate.unpause(by.arbiter)
    await network.passTo(endsAt + 86_400n)
    await network.mined(write.pause(by.arbiter))
    expect(await read.pausedUntil()).toBe((await network.now()) + pauseSecs)
  })

  test('a slash not executed within a week is void, even after a pause, and the owner gets the collateral', async () => {
    await network.mined(write.unbond([id], by.owner))
    await act.propose()
    const { executableAt } = await read.slashOf([evidence])
    const voidAt = executableAt + secs.grace + secs.execution
    await network.passTo(voidAt - pauseSecs / 2n)
    await network.mined(write.pause(by.arbiter))
    await network.passTo(voidAt - 1n)
    await refused(attempt.void(), ['ExecutionPending', evidence, voidAt])
    await refused(attempt.withdraw(), ['SlashOpen', id, 1])
    await network.passTo(voidAt)
    expect(await act.void()).toEqual([{ event: 'SlashVoided', evidenceHash: evidence }])
    expect(await stateOf()).toBe(state.voided)
    await refused(attempt.void(), ['InvalidSlashState', evidence, state.voided])
    await network.mined(write.withdraw([id], by.owner))
    expect(await network.balanceOf(owner.address)).toBe(amount)
  })

  test('a slash can be executed until the second before it is void, and not after', async () => {
    await act.propose()
    const { executableAt } = await read.slashOf([evidence])
    const voidAt = executableAt + secs.grace + secs.execution
    await network.passTo(voidAt - 1n)
    await attempt.execute()
    await network.passTo(voidAt)
    await refused(attempt.execute(), ['ExecutionOverdue', evidence, voidAt])
  })

  test('the week to execute an upheld slash starts at the end of the time to decide', async () => {
    await act.propose()
    await act.dispute()
    await refused(attempt.void(), ['InvalidSlashState', evidence, 2])
    await act.uphold()
    const { decideBy } = await read.slashOf([evidence])
    const voidAt = BigInt(decideBy) + secs.execution
    await network.passTo(voidAt - 1n)
    await attempt.execute()
    await refused(attempt.void(), ['ExecutionPending', evidence, voidAt])
    await network.passTo(voidAt)
    await act.void()
    expect(await collateral()).toBe(amount)
  })

  test('collateral cannot be withdrawn while a slash is open; afterwards the rest can be withdrawn', async () => {
    await network.mined(write.unbond([id], by.owner))
    await act.propose(evidence)
    await act.propose(bytes32(2))
    await network.pass(params.unbonding_secs)
    await refused(attempt.withdraw(), ['SlashOpen', id, 2])
    await act.cancel()
    await refused(attempt.withdraw(), ['SlashOpen', id, 1])
    await act.execute(bytes32(2))
    await network.mined(write.withdraw([id], by.owner))
    expect(await network.balanceOf(owner.address)).toBe(amount - slashed)
  })

  test('a member that unbonds when its epoch is drawn can be slashed until a day after the longest epoch', async () => {
    const daySecs = 86_400n
    const epochStart = ((await network.now()) / daySecs + 2n) * daySecs
    const drawnAt = epochStart - BigInt(params.beacon_offset_secs)
    await network.client.setNextBlockTimestamp({ timestamp: drawnAt })
    await network.mined(write.unbond([id], by.owner))
    await network.passTo(epochStart + 2n * daySecs - 1n)
    await refusedAs(attempt.withdraw(), 'NotReleased')
    await act.propose()
    expect(await stateOf()).toBe(state.proposed)
  })

  test('slashes beyond the collateral take what is left, and the subscription can be topped up', async () => {
    await act.propose(bytes32(1), eth(70))
    await act.propose(bytes32(2), eth(70))
    await network.pass(secs.window + secs.grace)
    await act.execute(bytes32(2))
    expect(await act.execute(bytes32(1))).toContainEqual(expect.objectContaining({ amount: eth(30) }))
    expect(await collateral()).toBe(0n)
    expect(await network.balanceOf(treasury)).toBe(amount)
    await network.give(owner.address, eth(1))
    await network.mined(network.token.write.approve([network.addresses.staking, eth(1)], by.owner))
    await network.mined(write.bond([projectId, nodeKey, eth(1)], by.owner))
    expect(await collateral()).toBe(eth(1))
  })

  test('the same evidence cannot be proposed again, even after the slash was cancelled', async () => {
    for (const step of [act.propose, act.cancel]) {
      await step()
      await refused(attempt.propose(evidence, bytes32(9)), ['AlreadyProposed', evidence])
    }
  })

  test('a second evidence for the same offence is refused, whatever the state of the first slash', async () => {
    const round = { kind: 'equivocation', round_id: `task:${bytes32(7)}`, node_key: nodeKey }
    const offenceId = keccak256(toHex(offenceKey(round as never)))
    const otherVotes = bytes32(0xe2)
    const isKnown = () =>
      refused(attempt.propose(otherVotes, offenceId), ['OffenceKnown', offenceId, evidence])
    await act.propose(evidence, slashed, offenceId)
    expect(await read.evidenceOf([offenceId])).toBe(evidence)
    await isKnown()
    await network.pass(secs.window + secs.grace)
    await act.execute()
    await isKnown()
    expect(await collateral()).toBe(amount - slashed)
    await act.propose(otherVotes, slashed, offenceOf(otherVotes))
    await act.cancel(otherVotes)
    const known = offenceOf(otherVotes)
    await refused(attempt.propose(bytes32(0xe3), known), ['OffenceKnown', known, otherVotes])
  })

  test('a proposal needs a subscription with collateral, an amount, and a window within the limits', async () => {
    const unknown = bytes32(9)
    const isRefused = (error: unknown[], subscription: Hex = id, value = 1n, window = secs.window) => {
      const args = [subscription, offenceOf(evidence), evidence, value, window] as const
      return refused(simulate.proposeSlash(args, by.proposer), error)
    }
    await isRefused(['InvalidState', unknown, 0], unknown)
    await isRefused(['ZeroAmount'], id, 0n)
    await isRefused(['SafeCastOverflowedUintDowncast', 128, 2n ** 128n], id, 2n ** 128n)
    for (const value of [secs.window - 1n, secs.windowMax + 1n, 0n])
      await isRefused(['InvalidDisputeWindow', value, secs.window, secs.windowMax], id, 1n, value)
  })

  test('only a proposer proposes, and only an arbiter decides', async () => {
    const isArbiters = attempt.propose(evidence, bytes32(9), by.arbiter)
    await refused(isArbiters, unauthorized(roles.arbiter, 'PROPOSER_ROLE'))
    await act.propose()
    for (const call of [simulate.pause, simulate.unpause])
      await refused(call(by.proposer), unauthorized(roles.proposer, 'ARBITER_ROLE'))
    for (const call of [simulate.cancelSlash, simulate.upholdSlash])
      await refused(call([evidence], by.proposer), unauthorized(roles.proposer, 'ARBITER_ROLE'))
  })
}

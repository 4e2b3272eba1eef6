import { type Hex, keccak256, toHex } from 'viem'
import { expect, test } from 'vitest'
import { offenceKey } from '../../../protocol/slashing/index.ts'
import { bytes32, eth, owner, params, refusal, roles, treasury } from '../network.ts'
import {
  amount,
  asArbiter,
  asOwner,
  asProposer,
  asStranger,
  cancel,
  collateral,
  dispute,
  evidence,
  execute,
  executed,
  executionSecs,
  graceSecs,
  id,
  network,
  nodeKey,
  offenceOf,
  projectId,
  propose,
  proposed,
  slashed,
  stateOf,
  uphold,
  voided,
  voidSlash,
  windowMax,
  windowSecs,
} from './fixture.ts'

const pauseSecs = 3n * 86_400n

/** Proposals, their execution, and what they take. */
export function testProposals(): void {
  test('after an undisputed window anyone executes, and the collateral goes to the treasury', async () => {
    const said = await propose()
    const executableAt = (await network.now()) + windowSecs
    expect(said).toEqual([
      {
        event: 'SlashProposed',
        evidenceHash: evidence,
        subscriptionId: id,
        offenceId: offenceOf(evidence),
        amount: slashed,
        executableAt,
      },
    ])
    expect(await network.staking.read.slashOf([evidence])).toEqual({
      subscriptionId: id,
      amount: slashed,
      executableAt,
      state: proposed,
      decideBy: 0,
    })
    const endsAt = executableAt + graceSecs
    await network.passTo(endsAt - 1n)
    expect(await refusal(network.staking.simulate.executeSlash([evidence], asStranger))).toEqual([
      'DisputeWindowOpen',
      evidence,
      endsAt,
    ])
    await network.client.setNextBlockTimestamp({ timestamp: endsAt })
    expect(await execute()).toContainEqual({
      event: 'SlashExecuted',
      evidenceHash: evidence,
      subscriptionId: id,
      amount: slashed,
    })
    expect(await stateOf()).toBe(executed)
    expect(await collateral()).toBe(amount - slashed)
    expect(await network.balanceOf(treasury)).toBe(slashed)
    expect(await network.balanceOf(network.addresses.staking)).toBe(amount - slashed)
  })

  test('an arbiter stops proposals and executions, but neither disputes nor decisions nor withdrawals', async () => {
    const { simulate, write } = network.staking
    const held = bytes32(2)
    await propose()
    await propose(held)
    await network.mined(write.unbond([id], asOwner))
    await network.mined(write.pause(asArbiter))
    expect(
      await refusal(simulate.proposeSlash([id, bytes32(3), bytes32(3), slashed, windowSecs], asProposer)),
    ).toEqual(['EnforcedPause'])
    await dispute()
    await uphold()
    await network.mined(write.cancelSlash([held], asArbiter))
    await network.pass(windowSecs + graceSecs)
    expect(await refusal(simulate.executeSlash([evidence], asStranger))).toEqual(['EnforcedPause'])
    await network.mined(write.cancelSlash([evidence], asArbiter))
    await network.mined(write.unpause(asArbiter))
    await propose(bytes32(3))
    await network.mined(write.cancelSlash([bytes32(3)], asArbiter))
    await network.mined(write.pause(asArbiter))
    await network.pass(params.unbonding_secs)
    await simulate.withdraw([id], asOwner)
  })

  test('a pause ends by itself after three days, also one that was taken up again, and the next begins a day after', async () => {
    const { simulate, write, read } = network.staking
    await network.mined(write.pause(asArbiter))
    const endsAt = (await network.now()) + pauseSecs
    expect(await read.pausedUntil()).toBe(endsAt)
    expect(await refusal(simulate.pause(asArbiter))).toEqual(['EnforcedPause'])
    await network.mined(write.unpause(asArbiter))
    expect(await refusal(simulate.unpause(asArbiter))).toEqual(['ExpectedPause'])
    await network.pass(86_400)
    await network.mined(write.pause(asArbiter))
    expect([await read.paused(), await read.pausedUntil()]).toEqual([true, endsAt])
    await network.passTo(endsAt - 1n)
    expect(await read.paused()).toBe(true)
    await network.passTo(endsAt)
    expect(await read.paused()).toBe(false)
    await propose()
    expect(await refusal(simulate.pause(asArbiter))).toEqual(['PauseSpent', endsAt + 86_400n])
    // An order to end it is never too late.
    await simulate.unpause(asArbiter)
    await network.passTo(endsAt + 86_400n)
    await network.mined(write.pause(asArbiter))
    expect(await read.pausedUntil()).toBe((await network.now()) + pauseSecs)
  })

  test('a slash that is not executed within a week is void, also after a pause: the collateral goes back to its owner', async () => {
    const { simulate, write } = network.staking
    await network.mined(write.unbond([id], asOwner))
    await propose()
    const { executableAt } = await network.staking.read.slashOf([evidence])
    const voidAt = executableAt + graceSecs + executionSecs
    await network.passTo(voidAt - pauseSecs / 2n)
    await network.mined(write.pause(asArbiter))
    await network.passTo(voidAt - 1n)
    const early = () => refusal(simulate.voidSlash([evidence], asStranger))
    expect(await early()).toEqual(['ExecutionPending', evidence, voidAt])
    expect(await refusal(simulate.withdraw([id], asOwner))).toEqual(['SlashOpen', id, 1])
    await network.passTo(voidAt)
    expect(await voidSlash()).toEqual([{ event: 'SlashVoided', evidenceHash: evidence }])
    expect(await stateOf()).toBe(voided)
    expect(await early()).toEqual(['InvalidSlashState', evidence, voided])
    await network.mined(write.withdraw([id], asOwner))
    expect(await network.balanceOf(owner.address)).toBe(amount)
  })

  test('is executed until the second before it is void, and not after, paused or not', async () => {
    const { simulate } = network.staking
    await propose()
    const { executableAt } = await network.staking.read.slashOf([evidence])
    const voidAt = executableAt + graceSecs + executionSecs
    await network.passTo(voidAt - 1n)
    await simulate.executeSlash([evidence], asStranger)
    await network.passTo(voidAt)
    expect(await refusal(simulate.executeSlash([evidence], asStranger))).toEqual([
      'ExecutionOverdue',
      evidence,
      voidAt,
    ])
  })

  test('an upheld slash has its week from the end of the time to decide on', async () => {
    const { simulate } = network.staking
    await propose()
    await dispute()
    expect(await refusal(simulate.voidSlash([evidence], asStranger))).toEqual([
      'InvalidSlashState',
      evidence,
      2,
    ])
    await uphold()
    const { decideBy } = await network.staking.read.slashOf([evidence])
    const voidAt = BigInt(decideBy) + executionSecs
    await network.passTo(voidAt - 1n)
    await simulate.executeSlash([evidence], asStranger)
    expect(await refusal(simulate.voidSlash([evidence], asStranger))).toEqual([
      'ExecutionPending',
      evidence,
      voidAt,
    ])
    await network.passTo(voidAt)
    await voidSlash()
    expect(await collateral()).toBe(amount)
  })

  test('no withdrawal while a slash is open, in whichever way; afterwards what is left comes back', async () => {
    await network.mined(network.staking.write.unbond([id], asOwner))
    await propose(evidence)
    await propose(bytes32(2))
    await network.pass(params.unbonding_secs)
    const { simulate } = network.staking
    expect(await refusal(simulate.withdraw([id], asOwner))).toEqual(['SlashOpen', id, 2])
    await cancel()
    expect(await refusal(simulate.withdraw([id], asOwner))).toEqual(['SlashOpen', id, 1])
    await execute(bytes32(2))
    await network.mined(network.staking.write.withdraw([id], asOwner))
    expect(await network.balanceOf(owner.address)).toBe(amount - slashed)
  })

  test('a member that unbonds once its epoch is drawn can be slashed until a day after the longest epoch', async () => {
    const daySecs = 86_400n
    const { staking } = network
    const epochStart = ((await network.now()) / daySecs + 2n) * daySecs
    const drawnAt = epochStart - BigInt(params.beacon_offset_secs)
    await network.client.setNextBlockTimestamp({ timestamp: drawnAt })
    await network.mined(staking.write.unbond([id], asOwner))
    await network.passTo(epochStart + 2n * daySecs - 1n)
    expect((await refusal(staking.simulate.withdraw([id], asOwner)))[0]).toBe('NotReleased')
    await propose()
    expect(await stateOf()).toBe(proposed)
  })

  test('slashes beyond the collateral take what is left, and the subscription can be topped up', async () => {
    await propose(bytes32(1), eth(70))
    await propose(bytes32(2), eth(70))
    await network.pass(windowSecs + graceSecs)
    await execute(bytes32(2))
    expect(await execute(bytes32(1))).toContainEqual(expect.objectContaining({ amount: eth(30) }))
    expect(await collateral()).toBe(0n)
    expect(await network.balanceOf(treasury)).toBe(amount)
    await network.give(owner.address, eth(1))
    await network.mined(network.token.write.approve([network.addresses.staking, eth(1)], asOwner))
    await network.mined(network.staking.write.bond([projectId, nodeKey, eth(1)], asOwner))
    expect(await collateral()).toBe(eth(1))
  })

  test('one evidence is proposed once, also after it was cancelled or executed', async () => {
    const again = () =>
      refusal(network.staking.simulate.proposeSlash([id, bytes32(9), evidence, 1n, windowSecs], asProposer))
    await propose()
    expect(await again()).toEqual(['AlreadyProposed', evidence])
    await cancel()
    expect(await again()).toEqual(['AlreadyProposed', evidence])
  })

  test('a second evidence for one offence takes nothing, whatever became of the first', async () => {
    const round = { kind: 'equivocation', round_id: `task:${bytes32(7)}`, node_key: nodeKey }
    const offenceId = keccak256(toHex(offenceKey(round as never)))
    const otherVotes = bytes32(0xe2)
    const again = () =>
      refusal(
        network.staking.simulate.proposeSlash([id, offenceId, otherVotes, slashed, windowSecs], asProposer),
      )
    await propose(evidence, slashed, offenceId)
    expect(await network.staking.read.evidenceOf([offenceId])).toBe(evidence)
    expect(await again()).toEqual(['OffenceKnown', offenceId, evidence])
    await network.pass(windowSecs + graceSecs)
    await execute()
    expect(await again()).toEqual(['OffenceKnown', offenceId, evidence])
    expect(await collateral()).toBe(amount - slashed)
    await propose(otherVotes, slashed, offenceOf(otherVotes))
    await cancel(otherVotes)
    expect(
      await refusal(
        network.staking.simulate.proposeSlash(
          [id, offenceOf(otherVotes), bytes32(0xe3), slashed, windowSecs],
          asProposer,
        ),
      ),
    ).toEqual(['OffenceKnown', offenceOf(otherVotes), otherVotes])
  })

  test('a proposal needs a subscription with collateral, an amount, and a window within bounds', async () => {
    const unknown = bytes32(9)
    const attempt = (over: { subscription?: Hex; value?: bigint; secs?: bigint }) =>
      refusal(
        network.staking.simulate.proposeSlash(
          [over.subscription ?? id, offenceOf(evidence), evidence, over.value ?? 1n, over.secs ?? windowSecs],
          asProposer,
        ),
      )
    expect(await attempt({ subscription: unknown })).toEqual(['InvalidState', unknown, 0])
    expect(await attempt({ value: 0n })).toEqual(['ZeroAmount'])
    expect(await attempt({ value: 2n ** 128n })).toEqual(['SafeCastOverflowedUintDowncast', 128, 2n ** 128n])
    for (const secs of [windowSecs - 1n, windowMax + 1n, 0n])
      expect(await attempt({ secs })).toEqual(['InvalidDisputeWindow', secs, windowSecs, windowMax])
  })

  test('only a proposer proposes, and only an arbiter decides', async () => {
    const { simulate, read } = network.staking
    const proposerRole = await read.PROPOSER_ROLE()
    const arbiterRole = await read.ARBITER_ROLE()
    expect(
      await refusal(simulate.proposeSlash([id, bytes32(9), evidence, 1n, windowSecs], asArbiter)),
    ).toEqual(['AccessControlUnauthorizedAccount', roles.arbiter, proposerRole])
    await propose()
    for (const call of [simulate.pause, simulate.unpause])
      expect((await refusal(call(asProposer)))[2]).toBe(arbiterRole)
    for (const call of [simulate.cancelSlash, simulate.upholdSlash])
      expect(await refusal(call([evidence], asProposer))).toEqual([
        'AccessControlUnauthorizedAccount',
        roles.proposer,
        arbiterRole,
      ])
  })
}

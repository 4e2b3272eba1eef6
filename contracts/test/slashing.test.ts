import { type Hex, keccak256, toHex } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { deriveSubscriptionId } from '../../protocol/identity/index.ts'
import { offenceKey } from '../../protocol/settlement/index.ts'
import {
  bytes32,
  eth,
  hasAnvil,
  type Network,
  owner,
  params,
  refusal,
  roles,
  startNetwork,
  stranger,
  treasury,
} from './network.ts'

const projectId = bytes32(0xa1)
const nodeKey = bytes32(0xb2)
const id = deriveSubscriptionId(projectId, owner.address.toLowerCase(), nodeKey)
const evidence = bytes32(0xe1)
/** An offence for every evidence, except where a test is about two for one. */
const offenceOf = (evidenceHash: Hex): Hex => keccak256(evidenceHash)
const amount = eth(100)
const slashed = eth(30)
const windowSecs = BigInt(params.dispute_window_secs_min)
const windowMax = BigInt(params.dispute_window_secs_max)
const graceSecs = 900n
const decisionSecs = 14n * 86_400n
const [proposed, disputed, upheld, cancelled, executed] = [1, 2, 3, 4, 5]

const asOwner = { account: owner.address }
const asStranger = { account: stranger.address }
const asProposer = { account: roles.proposer }
const asArbiter = { account: roles.arbiter }

describe.skipIf(!hasAnvil)('Staking: slashes', () => {
  let network: Network
  let snapshot: Hex
  beforeAll(async () => {
    network = await startNetwork()
    await network.give(owner.address, amount)
    await network.mined(network.token.write.approve([network.addresses.staking, amount], asOwner))
    await network.mined(network.staking.write.bond([projectId, nodeKey, amount], asOwner))
    snapshot = await network.client.snapshot()
  })
  beforeEach(async () => {
    await network.client.revert({ id: snapshot })
    snapshot = await network.client.snapshot()
  })
  afterAll(() => network?.stop())

  const propose = (hash = evidence, value = slashed, offenceId = offenceOf(hash)) =>
    network.events(
      network.staking,
      network.staking.write.proposeSlash([id, offenceId, hash, value, windowSecs], asProposer),
    )
  const dispute = (from = asOwner) =>
    network.events(network.staking, network.staking.write.disputeSlash([evidence], from))
  const cancel = (hash = evidence) =>
    network.events(network.staking, network.staking.write.cancelSlash([hash], asArbiter))
  const uphold = () =>
    network.events(network.staking, network.staking.write.upholdSlash([evidence], asArbiter))
  const execute = (hash = evidence) =>
    network.events(network.staking, network.staking.write.executeSlash([hash], asStranger))
  const stateOf = async (hash = evidence) => (await network.staking.read.slashOf([hash])).state
  const collateral = async () => (await network.staking.read.subscriptionOf([id])).collateral

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
    await network.pass(decisionSecs)
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
    await network.pass(params.unbonding_secs)
    await simulate.withdraw([id], asOwner)
    await network.mined(write.unpause(asArbiter))
    await propose(bytes32(3))
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
})

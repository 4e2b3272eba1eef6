import { type Hex, keccak256 } from 'viem'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { deriveSubscriptionId } from '../../../protocol/identity/index.ts'
import { bytes32, eth, type Network, owner, params, roles, startNetwork, stranger } from '../network.ts'

export const projectId = bytes32(0xa1)
export const nodeKey = bytes32(0xb2)
export const id = deriveSubscriptionId(projectId, owner.address.toLowerCase(), nodeKey)
export const evidence = bytes32(0xe1)
/** An offence for every evidence, except where a test is about two for one. */
export const offenceOf = (evidenceHash: Hex): Hex => keccak256(evidenceHash)
export const amount = eth(100)
export const slashed = eth(30)
export const windowSecs = BigInt(params.dispute_window_secs_min)
export const windowMax = BigInt(params.dispute_window_secs_max)
export const graceSecs = 900n
export const decisionSecs = 14n * 86_400n
export const executionSecs = 7n * 86_400n
export const [proposed, disputed, upheld, cancelled, executed, voided] = [1, 2, 3, 4, 5, 6]

export const asOwner = { account: owner.address }
export const asStranger = { account: stranger.address }
export const asProposer = { account: roles.proposer }
export const asArbiter = { account: roles.arbiter }

/** What every test of slashes begins with, on a chain that {@link useSubscription} starts. */
export let network: Network

/** Gives the tests of a `describe` a subscription with collateral, each in its first state. */
export function useSubscription(): void {
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
}

export const propose = (hash = evidence, value = slashed, offenceId = offenceOf(hash)) =>
  network.events(
    network.staking,
    network.staking.write.proposeSlash([id, offenceId, hash, value, windowSecs], asProposer),
  )
export const dispute = (from = asOwner) =>
  network.events(network.staking, network.staking.write.disputeSlash([evidence], from))
export const cancel = (hash = evidence) =>
  network.events(network.staking, network.staking.write.cancelSlash([hash], asArbiter))
export const uphold = () =>
  network.events(network.staking, network.staking.write.upholdSlash([evidence], asArbiter))
export const execute = (hash = evidence) =>
  network.events(network.staking, network.staking.write.executeSlash([hash], asStranger))
export const voidSlash = (hash = evidence) =>
  network.events(network.staking, network.staking.write.voidSlash([hash], asStranger))
export const stateOf = async (hash = evidence) => (await network.staking.read.slashOf([hash])).state
export const collateral = async () => (await network.staking.read.subscriptionOf([id])).collateral

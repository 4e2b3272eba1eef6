import { type Hex, keccak256 } from 'viem'
import { deriveSubscriptionId } from '../../../protocol/identity/index.ts'
import { by, bytes32, eth, type Network, owner, params } from '../network.ts'
import { network, useNetwork } from '../use-network.ts'

export const projectId = bytes32(0xa1)
export const nodeKey = bytes32(0xb2)
export const id = deriveSubscriptionId(projectId, owner.address.toLowerCase(), nodeKey)
export const evidence = bytes32(0xe1)
/** An offence for every evidence, except where a test is about two for one. */
export const offenceOf = (evidenceHash: Hex): Hex => keccak256(evidenceHash)
export const amount = eth(100)
export const slashed = eth(30)
export const secs = {
  window: BigInt(params.dispute_window_secs_min),
  windowMax: BigInt(params.dispute_window_secs_max),
  grace: 900n,
  decision: 14n * 86_400n,
  execution: 7n * 86_400n,
}
/** The numbers of `SlashState`. */
export const state = { proposed: 1, disputed: 2, upheld: 3, cancelled: 4, executed: 5, voided: 6 }

/** The staking contract that every test of slashes calls, on a chain that {@link useSubscription} starts. */
export let simulate: Network['staking']['simulate']
export let write: Network['staking']['write']
export let read: Network['staking']['read']

/** Gives the tests of a `describe` a subscription with collateral, each in its first state. */
export function useSubscription(): void {
  useNetwork(async () => {
    ;({ simulate, write, read } = network.staking)
    await network.give(owner.address, amount)
    await network.mined(network.token.write.approve([network.addresses.staking, amount], by.owner))
    await network.mined(write.bond([projectId, nodeKey, amount], by.owner))
  })
}

export const did = (sent: Promise<Hex>) => network.events(network.staking, sent)
export const act = {
  propose: (hash = evidence, value = slashed, offenceId = offenceOf(hash)) =>
    did(write.proposeSlash([id, offenceId, hash, value, secs.window], by.proposer)),
  dispute: (hash = evidence, from = by.owner) => did(write.disputeSlash([hash], from)),
  cancel: (hash = evidence) => did(write.cancelSlash([hash], by.arbiter)),
  uphold: (hash = evidence) => did(write.upholdSlash([hash], by.arbiter)),
  execute: (hash = evidence) => did(write.executeSlash([hash], by.stranger)),
  void: (hash = evidence) => did(write.voidSlash([hash], by.stranger)),
}
/** The same as attempts, which change nothing. */
export const attempt = {
  propose: (hash = evidence, offenceId = offenceOf(hash), from = by.proposer) =>
    simulate.proposeSlash([id, offenceId, hash, slashed, secs.window], from),
  dispute: (hash = evidence, from = by.owner) => simulate.disputeSlash([hash], from),
  cancel: () => simulate.cancelSlash([evidence], by.arbiter),
  uphold: () => simulate.upholdSlash([evidence], by.arbiter),
  execute: () => simulate.executeSlash([evidence], by.stranger),
  void: () => simulate.voidSlash([evidence], by.stranger),
  endDispute: () => simulate.endDispute([evidence], by.stranger),
  withdraw: () => simulate.withdraw([id], by.owner),
}
export const stateOf = async (hash = evidence) => (await read.slashOf([hash])).state
export const collateral = async () => (await read.subscriptionOf([id])).collateral

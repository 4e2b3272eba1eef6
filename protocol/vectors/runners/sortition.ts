import {
  attestSnapshot,
  beaconTargetTime,
  beaconValue,
  buildSnapshot,
  candidateWeight,
  drawCommittee,
  epochStart,
  hashSnapshot,
  isSnapshotAttested,
  parseSnapshot,
  quorum,
  selectBeaconBlock,
} from '../../committees/index.ts'
import { defaultNetworkParams } from '../../identity/index.ts'
import type { TopicRunner } from '../runner.ts'
import { attestationSeeds } from './seeds.ts'

export const runBeacon: TopicRunner = (input, { profile }) => {
  if (input.blocks === undefined)
    return {
      start: epochStart(input.epoch, input.epoch_secs),
      target_time: beaconTargetTime(input.epoch, input.epoch_secs, input),
    }
  const block = selectBeaconBlock(input.blocks, input.target_time)
  return { block, value: block === null ? null : beaconValue(profile, block.hash) }
}

export const runSnapshot: TopicRunner = (input, { profile }) => {
  if (input.candidates !== undefined)
    return { snapshot: buildSnapshot(profile, { ...input, params: defaultNetworkParams }) }
  if (input.attestations !== undefined)
    return { attested: isSnapshotAttested(profile, input.set_hash, input.attestations, input.validators) }
  const snapshot = parseSnapshot(input.snapshot, defaultNetworkParams)
  const setHash = hashSnapshot(snapshot)
  const seeds: readonly string[] = input.seeds ?? attestationSeeds
  return {
    set_hash: setHash,
    attestations: seeds.map((seed) => attestSnapshot(profile, seed, setHash)),
  }
}

export const runWeights: TopicRunner = (input) => ({ w: String(candidateWeight(input, input)) })

export const runSortition: TopicRunner = (input, { profile }) =>
  input.n === undefined ? drawCommittee(profile, input) : { q: input.n.map(quorum) }

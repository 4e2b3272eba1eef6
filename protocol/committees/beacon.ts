import { type Hex, hashBytes, raw32, utf8 } from '../encoding/index.ts'
import { type NetworkParams, type Profile, profileStrings } from '../identity/index.ts'
import { epochStart } from './epoch.ts'

/** A block of the chain. Numbers ascend; several blocks may share a timestamp. */
export interface Block {
  readonly number: number
  readonly hash: string
  /** Unix seconds. */
  readonly timestamp: number
}

/** The randomness of an epoch length: which block, and the value drawn from. */
export interface Beacon {
  readonly block_number: number
  readonly block_hash: string
  readonly value: string
}

/** When the beacon of an epoch is taken: `epoch × epoch_secs − beacon_offset_secs`, in Unix seconds. */
export function beaconTargetTime(
  epoch: number,
  epochSecs: number,
  { beacon_offset_secs }: Pick<NetworkParams, 'beacon_offset_secs'>,
): number {
  return epochStart(epoch, epochSecs) - beacon_offset_secs
}

/**
 * The block of a beacon: the highest one with a timestamp strictly below the target, so that it is settled at the target
 * whatever comes later. null if no given block qualifies.
 */
export function selectBeaconBlock(blocks: readonly Block[], targetTime: number): Block | null {
  return blocks.reduce<Block | null>(
    (highest, block) =>
      block.timestamp < targetTime && (highest === null || block.number > highest.number) ? block : highest,
    null,
  )
}

/**
 * The value of a beacon: `H(text("<prefix>-beacon-v1") ‖ raw32(block_hash))`. Neither epoch nor project enters; the
 * sortition seed adds them.
 * @throws {@link FormatError} for a malformed hash.
 */
export function beaconValue(profile: Profile, blockHash: string): Hex {
  return hashBytes(utf8(profileStrings(profile).beacon), raw32(blockHash, 'block_hash'))
}

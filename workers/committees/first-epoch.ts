import { beaconTargetTime, epochAt, epochStart } from '../../protocol/committees/index.ts'
import type { FixedParams } from '../../protocol/identity/index.ts'

/** The start of the first epoch whose set has who was bonded at a time: it has those who were bonded in a block before its beacon is taken. */
export function firstEpochStart(startedAt: number, epochSecs: number, params: FixedParams): number {
  const next = epochAt(startedAt, epochSecs) + 1
  const isInTime = startedAt < beaconTargetTime(next, epochSecs, params)
  return epochStart(isInTime ? next : next + 1, epochSecs)
}

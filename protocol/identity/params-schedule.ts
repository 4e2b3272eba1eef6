import type { Hex } from '../encoding/index.ts'
import { chainProfileOf, networkParamsOf } from './chain-profiles.ts'
import { hashNetworkParams, type NetworkParams, type ParamsChange } from './network-params.ts'

/** The whole parameters from a time on. */
export interface ParamsPhase {
  readonly from: number
  readonly params: NetworkParams
}

/** All that a build knows of the parameters of its network: in the order of time, the first from 0 on. It is plain data. */
export type ParamsSchedule = readonly [ParamsPhase, ...ParamsPhase[]]

/** Puts changes, in the order of time, after the parameters that a network began with. Each change leaves what it does not name as it was. */
export function makeSchedule(params: NetworkParams, changes: readonly ParamsChange[]): ParamsSchedule {
  let last: ParamsPhase = { from: 0, params }
  const first = last
  const others = changes.map((change) => {
    last = { from: change.from, params: { ...last.params, ...change.params } }
    return last
  })
  return [first, ...others]
}

/** The schedule of a network on a chain. @param changes - Left out, those that this build knows for the chain. */
export const paramsScheduleOf = (
  chainId: number,
  changes: readonly ParamsChange[] = chainProfileOf(chainId)?.changes ?? [],
): ParamsSchedule => makeSchedule(networkParamsOf(chainId), changes)

/** The phase at a time: the last that has begun. */
export const phaseAt = (schedule: ParamsSchedule, time: number): ParamsPhase =>
  schedule.findLast(({ from }) => from <= time) ?? schedule[0]

/** The parameters at a time. An epoch has the parameters of its start, for as long as it runs. */
export const paramsAt = (schedule: ParamsSchedule, time: number): NetworkParams =>
  phaseAt(schedule, time).params

/** The next change after a time; null if none is known. */
export const nextPhase = (schedule: ParamsSchedule, time: number): ParamsPhase | null =>
  schedule.find(({ from }) => from > time) ?? null

const hashes = new WeakMap<NetworkParams, Hex>()

/** `params_hash` of a phase, reckoned once. */
export function phaseHash({ params }: ParamsPhase): Hex {
  const hash = hashes.get(params) ?? hashNetworkParams(params)
  hashes.set(params, hash)
  return hash
}

/** A change as it is announced. */
export interface AnnouncedChange {
  readonly from: number
  readonly params_hash: string
}

/** The next change after a time, with the hash of its parameters; null if no later change is known. */
export function announcedAt(schedule: ParamsSchedule, time: number): AnnouncedChange | null {
  const next = nextPhase(schedule, time)
  return next && { from: next.from, params_hash: phaseHash(next) }
}

/**
 * Whether a change took effect so shortly before a time that nodes which do not know it may have seats still: the longest epoch runs to its end
 * under the parameters that it began with, and so does the last one whose set was built while such a node was connected.
 */
export const isSoonAfterChange = (
  schedule: ParamsSchedule,
  time: number,
  longestEpochSecs: number,
): boolean => schedule.some(({ from }) => from > 0 && time >= from && time < from + 2 * longestEpochSecs)

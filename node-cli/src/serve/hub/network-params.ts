import {
  type AnnouncedChange,
  announcedAt,
  type ParamsSchedule,
  phaseAt,
  phaseHash,
} from '../../../../protocol/identity/index.ts'
import { longestEpochSecs } from '../../../../protocol/manifest/index.ts'

/** The parameters of its network that a hub shows, and the hub's time. */
export interface SaidParams {
  readonly time: number
  readonly params_hash: string
  readonly next_params?: AnnouncedChange | null
}

/** How the parameters of a hub compare with those that this node reckons with. */
export interface ComparedParams {
  /** Why this node does not work for the hub; null if both have the same now. */
  readonly refusal: string | null
  /** The coming change, and what to do before it; null if both know the same change, or no change. */
  readonly warning: string | null
  /** When this node stops working for the hub: no epoch runs under parameters that it knows then. Null if that never comes. */
  readonly endsAt: number | null
}

export const sameParams: ComparedParams = { refusal: null, warning: null, endsAt: null }

/** Compares by the time of the hub: where a change takes effect, the two clocks may differ. */
export function compareParams(schedule: ParamsSchedule, said: SaidParams): ComparedParams {
  const { time, params_hash, next_params: theirs = null } = said
  if (params_hash !== phaseHash(phaseAt(schedule, time)))
    return { refusal: refusalOf(schedule, said), warning: null, endsAt: null }
  const ours = announcedAt(schedule, time)
  const isSame = theirs?.from === ours?.from && theirs?.params_hash === ours?.params_hash
  if (isSame) return sameParams
  if (theirs !== null && (ours === null || theirs.from <= ours.from)) {
    const warning = `the parameters of the network change at ${timeText(theirs.from)} to ${theirs.params_hash}, which this version of nodectl does not know; install one that does before then`
    return { refusal: null, warning, endsAt: theirs.from + longestEpochSecs }
  }
  // The hub may not know a change that it does not announce: from then on no quorum attests its sets.
  const warning = `the parameters of the network change at ${timeText(ours!.from)}, which the hub does not announce; its operator has to install a version that knows the change`
  return { refusal: null, warning, endsAt: null }
}

function refusalOf(schedule: ParamsSchedule, { time, params_hash }: SaidParams): string {
  const known = schedule.find((phase) => phaseHash(phase) === params_hash)
  if (known !== undefined && known.from < time)
    return `the hub still has the parameters from before ${timeText(phaseAt(schedule, time).from)} (${params_hash}); its operator has to install a version that knows the change`
  return `the network has other parameters (${params_hash}) than this version of nodectl uses; update nodectl`
}

export const timeText = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().replace('.000', '')

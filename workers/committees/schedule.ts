import { epochAt, epochStart } from '../../protocol/committees/index.ts'
import { hashText } from '../../protocol/encoding/index.ts'
import { defaultNetworkParams } from '../../protocol/identity/index.ts'

/** An epoch whose set has to be there, and the version of the project that holds in it. */
export interface DueEpoch<V> {
  readonly epoch: number
  readonly version: V
}

export interface Schedule<V> {
  /** The running epoch, and the next one from its turn within `snapshot_lead_secs` before it. */
  readonly due: readonly DueEpoch<V>[]
  /** When that changes; network time. */
  readonly nextAt: number
}

/** The part of `snapshot_lead_secs` over which projects spread their sets. The rest of it is for sets that have to be tried again. */
const spreadShare = 2 / 3

/** How many seconds a project waits with its sets, so that not all projects of an epoch length build them in one second. */
export const delayOf = (projectId: string): number =>
  Number.parseInt(hashText(`set ${projectId}`).slice(2, 10), 16) %
  Math.floor(defaultNetworkParams.snapshot_lead_secs * spreadShare)

/**
 * The sets that have to be there at a time; one that was missed is due for as long as its epoch runs.
 * @param delay - Seconds that the set of the next epoch waits after `snapshot_lead_secs` before it.
 * @param versionAt - The version in force at a time. Another one begins where epochs of both lengths do.
 */
export function scheduleSets<V extends { epochSecs: number }>(
  now: number,
  versionAt: (time: number) => V,
  delay: number,
): Schedule<V> {
  const version = versionAt(now)
  const epoch = epochAt(now, version.epochSecs)
  const running = { epoch, version }
  const nextStart = epochStart(epoch + 1, version.epochSecs)
  const buildAt = nextStart - defaultNetworkParams.snapshot_lead_secs + delay
  if (now < buildAt) return { due: [running], nextAt: buildAt }
  const next = versionAt(nextStart)
  const coming = { epoch: epochAt(nextStart, next.epochSecs), version: next }
  return { due: [running, coming], nextAt: nextStart + delay }
}

/** Whether the set of an epoch is due, or was: a reader may wait for it while the epoch has not ended. */
export const isAwaited = (epoch: number, epochSecs: number, now: number): boolean =>
  now >= epochStart(epoch, epochSecs) - defaultNetworkParams.snapshot_lead_secs &&
  now < epochStart(epoch + 1, epochSecs)

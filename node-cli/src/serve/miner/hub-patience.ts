import { backoffSeconds, type Wait, waitUnreferenced } from '../hub/repeat.ts'
import { HubAway } from './offer-refused.ts'

export interface Patience {
  /** By the clock that `until` is of; Unix seconds. */
  readonly now: () => number
  readonly until: number
  readonly stop: AbortSignal
  readonly wait?: Wait
  readonly random?: () => number
}

/**
 * Returns the result of `work`, which it retries with growing pauses while the hub cannot answer. It gives up as soon as the
 * next try would come too late. If a retry fails after `until` for another reason, it throws the last {@link HubAway}.
 * @throws {@link HubAway}, and any other error of `work`, at once.
 */
export async function whileHubIsAway<T>(work: () => Promise<T>, patience: Patience): Promise<T> {
  const { now, until, stop, wait = waitUnreferenced, random = Math.random } = patience
  let away: HubAway | null = null
  for (let failures = 0; ; failures++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof HubAway)) throw away !== null && now() >= until ? away : error
      away = error
      const seconds = Math.max(error.retryAfterSeconds ?? 0, backoffSeconds(failures, random()))
      if (now() + seconds >= until) throw error
      await wait(seconds, stop)
      if (stop.aborted) throw error
    }
  }
}

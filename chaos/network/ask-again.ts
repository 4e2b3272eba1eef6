import { fetchFromHub } from '../../scripts/hub/network.ts'
import type { Fetch } from '../../sdk/index.ts'
import { Difference } from '../harness/difference.ts'
import { delay } from '../harness/time.ts'

export interface AskAgainOptions {
  readonly limitMs: number
  readonly retryMs: number
  /** Returns once no crash is under way. */
  readonly up?: () => Promise<unknown>
}

/**
 * Asks a hub that may be away, again until it answers with another status than 503.
 *
 * @param ask - Sends the request. It is told whether an earlier try may have been carried out.
 * @throws The error of the last try when the time is over, and a {@link Difference} at once.
 */
export async function askAgain(
  ask: (repeated: boolean) => Promise<Response>,
  { limitMs, retryMs, up = async () => {} }: AskAgainOptions,
): Promise<Response> {
  const endMs = performance.now() + limitMs
  for (let repeated = false; ; repeated = true) {
    const isLast = performance.now() > endMs
    try {
      const response = await ask(repeated)
      // A hub that is killed may end a body in the middle.
      await response.clone().arrayBuffer()
      if (response.status !== 503 || isLast) return response
    } catch (error) {
      if (isLast || error instanceof Difference) throw error
    }
    await up()
    await delay(retryMs)
  }
}

/**
 * Sends a request to a hub that may be away for a while. It may be sent several times, so it has to be a read or carry an
 * idempotency key.
 */
export const patientFetch: Fetch = (request) =>
  askAgain(() => fetchFromHub(request.clone()), { limitMs: 180_000, retryMs: 500 })

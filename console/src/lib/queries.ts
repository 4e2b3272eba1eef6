import { QueryClient } from '@tanstack/svelte-query'
import { AnswerError, Refusal, UnreachableError } from '../../../sdk/index.ts'
import { connection } from './connection.svelte.ts'
import { takeGiven } from './given.ts'

/** The same call may succeed later by itself. */
const passes = (error: Error): boolean =>
  error instanceof UnreachableError ||
  ((error instanceof Refusal || error instanceof AnswerError) &&
    (error.status === 429 || error.status >= 500))

const triesMax = 8

const isRepeated = (failures: number, error: Error): boolean =>
  passes(error) && (error instanceof UnreachableError || failures < triesMax)

/** A call that failed is sent again where it may succeed by itself; everything else is shown at once. */
export function makeQueries(): QueryClient {
  const client = new QueryClient({
    defaultOptions: {
      queries: {
        // A hub on this machine answers without any network.
        networkMode: 'always',
        staleTime: 2_000,
        retry: isRepeated,
        // Asked also of a call that is not repeated, for which nobody waits.
        retryDelay: (failures, error) => {
          if (!isRepeated(failures, error)) return 0
          const usual = Math.min(1_000 * 2 ** failures, 15_000)
          if (error instanceof UnreachableError) return connection.wait('away', usual)
          const { retryAfter, status } = error as Refusal
          const ms = retryAfter === undefined ? usual : 1_000 * retryAfter
          return connection.wait(status === 429 ? 'limited' : 'failing', ms)
        },
      },
    },
  })
  takeGiven(client)
  return client
}

import { QueryClient } from '@tanstack/svelte-query'
import { connection } from './connection.svelte.ts'
import { Away, Refusal } from './hub.ts'

/** A call that failed is sent again where it may succeed by itself; everything else is shown at once. */
export const makeQueries = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        // A hub on this machine answers without any network.
        networkMode: 'always',
        staleTime: 2_000,
        retry: (failures, error) =>
          error instanceof Away || (error instanceof Refusal && error.passes && failures < 8),
        retryDelay: (failures, error) => {
          const usual = Math.min(1_000 * 2 ** failures, 15_000)
          if (error instanceof Away) return connection.wait('away', usual)
          const ms = 1_000 * ((error as Refusal).retryAfter ?? usual / 1_000)
          return (error as Refusal).status === 429 ? connection.wait('limited', ms) : ms
        },
      },
    },
  })

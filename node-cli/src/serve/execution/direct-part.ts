import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import { repeat, waitUnreferenced } from '../hub/repeat.ts'
import type { Log } from '../log.ts'
import type { Part, StatusMembers } from '../part.ts'
import type { DirectRetention, DirectRoundStore } from '../store/direct-rounds.ts'

const lookSeconds = 60

interface DirectRoundsParts {
  readonly store: { readonly directRounds: DirectRoundStore }
  readonly clock: Clock
  readonly log: Log
  readonly status: StatusMembers
}

/** Drops direct rounds whose time is over, also when no further one comes. */
export function directRoundsPart(
  { store, clock, log, status }: DirectRoundsParts,
  retention: DirectRetention,
): Part {
  const stopping = new AbortController()
  const { signal } = stopping
  let running: Promise<void> = Promise.resolve()
  status.set('direct_rounds', store.directRounds.totals)

  const dropOld = async (): Promise<number> => {
    try {
      while (!signal.aborted && store.directRounds.prune(retention, clock.now()) > 0) await nextTurn()
    } catch (error) {
      log.error('old direct rounds could not be dropped', { reason: (error as Error).message })
    }
    return lookSeconds
  }

  return {
    start: () => {
      running = repeat(dropOld, signal, waitUnreferenced)
    },
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}

import { setImmediate as nextTurn } from 'node:timers/promises'
import { repeat, waitUnreferenced } from '../hub/repeat.ts'
import type { Part, ServeNode } from '../node.ts'

const lookSeconds = 60

/** Drops direct rounds whose time is over, also when no further one comes. */
export function directRoundsPart({ store, config, clock, log, status }: ServeNode): Part {
  const stopping = new AbortController()
  const { signal } = stopping
  let running: Promise<void> = Promise.resolve()
  status.set('direct_rounds', store.directRounds.totals)

  const dropOld = async (): Promise<number> => {
    try {
      while (!signal.aborted && store.directRounds.prune(config.direct.retention, clock.now()) > 0)
        await nextTurn()
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

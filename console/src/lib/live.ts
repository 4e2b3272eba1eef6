import type { QueryClient } from '@tanstack/svelte-query'
import { connection } from './connection.svelte.ts'
import { hub } from './hub.ts'
import { later } from './later.ts'
import { texts } from './texts.ts'

/** Lists are read again this often at most, however many events come. */
const everyMs = 1_500

/**
 * Reads what a screen shows of rounds again as events tell that it changed, while somebody looks.
 *
 * @returns Ends it.
 */
export function followEvents(queries: QueryClient): () => void {
  let following: AbortController | null = null
  let waiting: ReturnType<typeof setTimeout> | undefined
  const refresh = () => {
    waiting = undefined
    // A read that runs is not cut off, or a busy network would never be shown.
    for (const name of ['rounds', 'stats'])
      void queries.invalidateQueries({ queryKey: [name], predicate: hasOnePage }, { cancelRefetch: false })
  }
  const follow = async (signal: AbortSignal) => {
    const rounds = hub.events.follow({ types: ['round.finalized', 'round.escalated'], signal })
    for await (const _ of rounds) waiting ??= setTimeout(refresh, everyMs)
  }
  const look = () => {
    if (document.hidden) return close()
    if (following !== null) return
    following = new AbortController()
    // Without events, lists are read again by themselves.
    follow(following.signal).catch(() => (connection.live = false))
  }
  const close = () => {
    following?.abort()
    following = null
    connection.live = false
  }
  // The stream of a network that has gone looks open for a while.
  const again = () => {
    close()
    look()
    refresh()
  }
  const giveUp = later(look)
  document.addEventListener('visibilitychange', look)
  for (const name of ['online', 'offline']) addEventListener(name, again)
  return () => {
    giveUp()
    document.removeEventListener('visibilitychange', look)
    for (const name of ['online', 'offline']) removeEventListener(name, again)
    clearTimeout(waiting)
    close()
  }
}

/** Older pages are not all read again for each event. */
const hasOnePage = ({ state }: { state: { data: unknown } }): boolean =>
  ((state.data as { pages?: unknown[] } | undefined)?.pages?.length ?? 1) === 1

/** How often lists are read again by themselves. */
export const pollMs = (): number => (connection.isLive ? 15_000 : 5_000)

/** Reads something again by itself until it cannot be read: what failed for good is asked again by hand. */
export const whileItWorks =
  (everyMs: number) =>
  ({ state }: { state: { status: string } }): number | false =>
    state.status === 'error' ? false : everyMs

/** How new what a screen shows is. */
export const liveWord = (): string =>
  texts.live[connection.problem === 'away' ? 'away' : connection.isLive ? 'on' : 'off']

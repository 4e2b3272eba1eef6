import type { QueryClient } from '@tanstack/svelte-query'
import { connection } from './connection.svelte.ts'

/** Lists are read again this often at most, however many events come. */
const everyMs = 1_500

/**
 * Reads what a screen shows of rounds again as events tell that it changed, while somebody looks.
 *
 * @returns Ends it.
 */
export function followEvents(queries: QueryClient): () => void {
  let source: EventSource | null = null
  let waiting: ReturnType<typeof setTimeout> | undefined
  const refresh = () => {
    waiting = undefined
    for (const name of ['rounds', 'stats']) void queries.invalidateQueries({ queryKey: [name] })
  }
  const open = () => {
    source = new EventSource('/v1/events')
    source.onopen = () => (connection.live = true)
    source.onerror = () => (connection.live = false)
    source.onmessage = ({ data }) => {
      const { type } = JSON.parse(data) as { type: string }
      if (type.startsWith('round.')) waiting ??= setTimeout(refresh, everyMs)
    }
  }
  const close = () => {
    source?.close()
    source = null
    connection.live = false
  }
  const look = () => {
    if (document.hidden) close()
    else if (source === null) open()
  }
  look()
  document.addEventListener('visibilitychange', look)
  return () => {
    document.removeEventListener('visibilitychange', look)
    clearTimeout(waiting)
    close()
  }
}

/** Without the stream, lists are read again by themselves. */
export const pollMs = (): number => (connection.live ? 60_000 : 5_000)

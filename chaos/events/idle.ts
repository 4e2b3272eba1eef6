import { createHub } from '../../sdk/index.ts'

/** The event that all of them get, once. */
export const idleType = 'project.delisted'
/** What the hub lets one caller follow at once. */
const perCaller = 10
/** Streams that are opened at once. */
const openedAtOnce = 100

/** Followers by stream whom no event concerns but one, ten of each caller. */
export async function holdIdle(
  url: string,
  count: number,
  { signal, problem }: { signal: AbortSignal; problem: (text: string) => void },
) {
  const { next_cursor: from } = await createHub({ url }).call('GET /v1/events', { query: { type: idleType } })
  const seen = new Array<number>(count).fill(0)
  const opened = new Set<number>()
  let waiting: (() => void) | null = null
  const hold = async (index: number): Promise<void> => {
    const caller = Math.floor(index / perCaller)
    const address = `10.2.${caller >> 8}.${caller & 255}`
    const client = createHub({
      url,
      fetch: async (request) => {
        request.headers.set('cf-connecting-ip', address)
        const response = await fetch(request)
        opened.add(index)
        waiting?.()
        return response
      },
    })
    try {
      for await (const _ of client.events.follow({ types: [idleType], from, signal })) seen[index]! += 1
    } catch (error) {
      if (!signal.aborted) problem(`idle follower ${index} ended: ${error}`)
    }
  }
  const all: Promise<void>[] = []
  for (let first = 0; first < count; first += openedAtOnce) {
    const { promise, resolve } = Promise.withResolvers<void>()
    const last = Math.min(first + openedAtOnce, count)
    waiting = () => opened.size >= last && resolve()
    for (let index = first; index < last; index++) all.push(hold(index))
    await promise
  }
  return { seen, done: Promise.all(all) }
}

import type { FeedPage, PlacedEvent } from '../../../durable-objects/events/rows.ts'
import type { Position } from '../../../durable-objects/events/types.ts'
import type { Answer } from '../../http/answer.ts'

/** The longest time without a message, so that no proxy on the way takes the stream for dead. */
const heartbeatMs = 15_000
/**
 * After a read without events, the next read begins no sooner than this after it: the stream is catching up, and most rows are
 * not for it.
 */
const pauseMs = 1_000
/** The next stream checks the credential again. */
const streamMs = 600_000

const utf8 = new TextEncoder()

export interface StreamedFeed {
  cursorOf: (position: Position) => string
  view: (event: PlacedEvent) => unknown
  /** The next events, or none after `waitMs`. Throws if the caller waits too often at once. */
  follow: (from: Position, waitMs: number) => Promise<FeedPage>
}

/**
 * A stream of server-sent events. It reads on when the client has taken what was sent, so one that is slow holds one page here, and holds
 * up nobody else.
 */
export async function streamOf(
  first: FeedPage & { archivedBefore: number | null },
  { cursorOf, view, follow }: StreamedFeed,
): Promise<Answer> {
  const textOf = ({ events, next }: FeedPage): string =>
    events.length === 0
      ? // An id alone moves the client on.
        `: \nid: ${cursorOf(next)}\n\n`
      : events.map((one) => `id: ${cursorOf(one.next)}\ndata: ${JSON.stringify(view(one))}\n\n`).join('')
  const second = await follow(first.next, 0)
  const { archivedBefore } = first
  const archived =
    archivedBefore === null
      ? ''
      : `event: archived\ndata: ${JSON.stringify({ archived_before: archivedBefore })}\n\n`
  let text = `retry: 1000\n\n${archived}${first.events.length > 0 ? textOf(first) : ''}${textOf(second)}`
  let from = second.next
  let notBeforeMs = 0
  const endMs = Date.now() + streamMs
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (text === '') {
          try {
            const pause = notBeforeMs - Date.now()
            if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause))
            const askedMs = Date.now()
            const page = await follow(from, heartbeatMs)
            notBeforeMs = page.events.length === 0 ? askedMs + pauseMs : 0
            from = page.next
            text = textOf(page)
          } catch {
            // The client connects again, from the last event that it has.
            return controller.close()
          }
        }
        controller.enqueue(utf8.encode(text))
        text = ''
        if (Date.now() >= endMs) controller.close()
      },
    },
    { highWaterMark: 0 },
  )
  return { status: 200, headers: { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' }, body }
}

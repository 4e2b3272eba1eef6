import type { Client } from './client.ts'
import { AnswerError, DeadlineError, RateLimited, Refusal, UnreachableError } from './errors.ts'
import type { Answer, CallArguments, Schemas } from './operations.ts'
import { sleep } from './retries.ts'
import { chunksOf, type Message, readMessages } from './server-sent-events.ts'

type Event = Schemas['Event']

/** An event, and where to go on after it. */
export type FollowedEvent = Event & {
  /**
   * Use it as `from` of a later call: it skips parts of the log without events for you. Events of the same answer may come again, and
   * no event is missed; with `id` as `from` no event comes again. Empty before the first answer that was read to its end, which is the
   * same as no `from`.
   */
  readonly cursor: string
}

export interface FollowOptions {
  readonly types?: readonly Event['type'][]
  readonly project_id?: string
  /** Manifest address of a module; not with `own`. */
  readonly module?: string
  /** The events of the wallet of a session, in place of those of the network. */
  readonly own?: boolean
  /** `id` or `cursor` of the last event that was handled, also of one that a webhook brought; `0` for the oldest that is kept. Default: the newest events come first. */
  readonly from?: string
  readonly signal?: AbortSignal
  /** Told that events after `from` are no longer kept, and the time of the oldest that is: read the lists to catch up. */
  readonly onGap?: (archivedBefore: number) => void
}

export interface Events {
  /**
   * Follows events for as long as the loop runs, over every failure that may pass, and ends with `signal`.
   *
   * @throws {@link Refusal} that another try would not change.
   */
  readonly follow: (options?: FollowOptions) => AsyncGenerator<FollowedEvent, void>
}

/** The hub sends something every 15 s. */
const silenceMs = 40_000
const holdSecs = 25
/** After this many streams in a row that brought nothing, as behind a proxy that collects answers, the feed is polled. */
const emptyStreamsMax = 2
/** After this many polls a stream is tried once more: the proxy in between may be gone. */
const pollsMax = 20
/** A stream or poll that ends sooner without an event is repeated after growing pauses. */
const livedMs = 10_000
/** Longest pause that a hub may ask for. */
const pauseMaxMs = 300_000

/** Events of one answer, and the cursor after them. */
interface Batch {
  readonly events: readonly Event[]
  readonly cursor: string | undefined
  /** Time of the oldest event that is kept, if there is a gap before it. */
  readonly archivedBefore?: number | null
  readonly retryMs?: number | undefined
}

export const eventsOf = (client: Client): Events => ({ follow: (options = {}) => follow(client, options) })

async function* follow(client: Client, options: FollowOptions): AsyncGenerator<FollowedEvent, void> {
  const { types, signal = new AbortController().signal, onGap } = options
  let cursor = options.from || undefined
  let emptyStreams = 0
  let polls = 0
  /** Failures in a row; a stream or poll that ended early with nothing is one. */
  let failures = 0
  let pauseMs = 0
  while (!signal.aborted) {
    if (polls >= pollsMax) [polls, emptyStreams] = [0, emptyStreamsMax - 1]
    const isStream = emptyStreams < emptyStreamsMax
    const startMs = Date.now()
    let isEmpty = true
    let hasBegun = false
    try {
      for await (const batch of (isStream ? streamed : polled)(client, options, cursor, signal)) {
        hasBegun = true
        if (batch.archivedBefore !== undefined && batch.archivedBefore !== null) onGap?.(batch.archivedBefore)
        pauseMs = Math.min(pauseMaxMs, batch.retryMs ?? pauseMs)
        const before = cursor
        cursor = batch.cursor ?? cursor
        if (batch.events.length > 0 || (!isStream && cursor !== before)) isEmpty = false
        for (const [i, event] of batch.events.entries()) {
          if (types !== undefined && !types.includes(event.type)) continue
          yield { ...event, cursor: (i === batch.events.length - 1 ? cursor : before) ?? '' }
        }
      }
      const isGood = !isEmpty || (hasBegun && Date.now() - startMs >= livedMs)
      failures = isGood ? 0 : failures + 1
      if (isStream) emptyStreams = isGood ? 0 : emptyStreams + 1
      else polls++
      if (!isStream && isGood) continue
      await sleep(Math.max(pauseMs, client.retries.pauseOf(failures || 1)), signal).catch(() => {})
    } catch (error) {
      if (signal.aborted) return
      // A gateway in between that collects answers gives up after a time.
      const isCollected = isStream && !hasBegun && Date.now() - startMs >= livedMs
      if (isCollected || error instanceof SilentStream) emptyStreams++
      if (!mayPass(error)) throw error
      failures = isEmpty ? failures + 1 : 1
      const { retryAfter } = error as { retryAfter?: number }
      const waitMs = retryAfter === undefined ? client.retries.pauseOf(failures) : retryAfter * 1_000
      await sleep(Math.min(pauseMaxMs, waitMs), signal).catch(() => {})
    }
  }
}

class SilentStream extends UnreachableError {}

const mayPass = (error: unknown): boolean =>
  error instanceof UnreachableError ||
  error instanceof DeadlineError ||
  error instanceof RateLimited ||
  ((error instanceof Refusal || error instanceof AnswerError) && error.status >= 500)

const operationOf = ({ own }: FollowOptions) => (own ? 'GET /v1/me/events' : 'GET /v1/events')

/** A hub chooses by one type. */
const queryOf = ({ project_id, module, types }: FollowOptions, after: string | undefined) =>
  ({ project_id, module, after, type: types?.length === 1 ? types[0] : undefined }) as NonNullable<
    CallArguments<'GET /v1/events'>['query']
  >

/** One stream, from its first message to its end. */
async function* streamed(
  client: Client,
  options: FollowOptions,
  from: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<Batch, void> {
  const silence = new AbortController()
  const silenced = () => silence.abort(new SilentStream('The stream of events went silent.'))
  const timer = setTimeout(silenced, silenceMs)
  try {
    const response = await client.open(operationOf(options), {
      query: queryOf(options, from),
      headers: { Accept: 'text/event-stream' },
      signal: AbortSignal.any([signal, silence.signal]),
    })
    clearTimeout(timer)
    const isStream = response.headers.get('Content-Type')?.startsWith('text/event-stream')
    if (response.body === null || !isStream) return await response.body?.cancel()
    const messages = readMessages(chunksOf(response.body, silenceMs, silenced))[Symbol.asyncIterator]()
    try {
      for (;;) {
        const { done, value } = await messages.next().catch((error) => {
          throw new UnreachableError('The stream of events broke off.', { cause: error })
        })
        if (done) return
        yield batchOf(value)
      }
    } finally {
      await messages.return(undefined)
    }
  } catch (error) {
    if (silence.signal.aborted) throw silence.signal.reason
    throw error
  } finally {
    clearTimeout(timer)
    silence.abort()
  }
}

function batchOf({ event, data, id, retry }: Message): Batch {
  let parsed: unknown
  try {
    parsed = data === '' ? null : JSON.parse(data)
  } catch (cause) {
    throw new UnreachableError('A message of the stream of events is not JSON.', { cause })
  }
  if (event === 'archived')
    return {
      events: [],
      cursor: undefined,
      archivedBefore: (parsed as { archived_before: number } | null)?.archived_before ?? null,
    }
  return { events: parsed === null ? [] : [parsed as Event], cursor: id, retryMs: retry }
}

/** One call that the hub holds until something happens. */
async function* polled(
  client: Client,
  options: FollowOptions,
  from: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<Batch, void> {
  const query = { ...queryOf(options, from), wait: holdSecs }
  const page: Answer<'GET /v1/events'> = await client.call(operationOf(options), {
    query,
    signal,
    timeout: (holdSecs + 15) * 1_000,
  })
  yield { events: page.items, cursor: page.next_cursor, archivedBefore: page.archived_before }
}

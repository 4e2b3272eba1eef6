import type { Client } from './client.ts'
import { AnswerError, HubError, RateLimited, Refusal, UnreachableError } from './errors.ts'
import type { Answer, CallArguments, Schemas } from './operations.ts'
import { sleep } from './retries.ts'
import { chunksOf, readMessages } from './server-sent-events.ts'

type Event = Schemas['Event']

/** An event, and where to go on after it. */
export type FollowedEvent = Event & {
  /** `from` of a later call. Events that came in one answer with this one may come again then; none is missed. */
  readonly cursor: string
}

export interface FollowOptions {
  readonly types?: readonly Event['type'][]
  readonly project_id?: string
  /** Manifest address of a module; not with `own`. */
  readonly module?: string
  /** The events of the wallet of a session, in place of those of the network. */
  readonly own?: boolean
  /** Cursor of the last event that was handled. Default: the newest events come first. */
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
/** So often in a row a stream may bring nothing, as behind a proxy that collects answers, before the feed is polled. */
const emptyStreamsMax = 2

/** What one answer brought, and where the feed goes on. */
interface Batch {
  readonly events: readonly Event[]
  readonly cursor: string | undefined
}

export const eventsOf = (client: Client): Events => ({ follow: (options = {}) => follow(client, options) })

async function* follow(client: Client, options: FollowOptions): AsyncGenerator<FollowedEvent, void> {
  const { types, signal = new AbortController().signal } = options
  let cursor = options.from
  let emptyStreams = 0
  let failures = 0
  while (!signal.aborted) {
    const isStream = emptyStreams < emptyStreamsMax
    try {
      let isEmpty = true
      for await (const batch of (isStream ? streamed : polled)(client, options, cursor, signal)) {
        isEmpty = false
        failures = 0
        const before = cursor
        cursor = batch.cursor ?? cursor
        for (const [i, event] of batch.events.entries()) {
          if (types !== undefined && !types.includes(event.type)) continue
          yield { ...event, cursor: (i === batch.events.length - 1 ? cursor : before) ?? '' }
        }
      }
      if (!isStream) continue
      emptyStreams = isEmpty ? emptyStreams + 1 : 0
      await sleep(client.retries.pauseOf(1), signal)
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof SilentStream) emptyStreams++
      if (!mayPass(error)) throw error
      failures++
      const { retryAfter } = error as { retryAfter?: number }
      const waitMs = retryAfter === undefined ? client.retries.pauseOf(failures) : retryAfter * 1_000
      await sleep(waitMs, signal).catch(() => {})
    }
  }
}

class SilentStream extends UnreachableError {}

const mayPass = (error: unknown): boolean =>
  error instanceof UnreachableError ||
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
    for await (const { event, data, id } of readMessages(chunksOf(response.body, silenceMs, silenced))) {
      if (event === 'archived') options.onGap?.(JSON.parse(data).archived_before)
      else yield { events: data === '' ? [] : [JSON.parse(data)], cursor: id }
    }
  } catch (error) {
    if (silence.signal.aborted) throw silence.signal.reason
    if (error instanceof HubError) throw error
    throw new UnreachableError('The stream of events broke off.', { cause: error })
  } finally {
    clearTimeout(timer)
    silence.abort()
  }
}

/** One call that the hub holds until something happens. */
async function* polled(
  client: Client,
  options: FollowOptions,
  from: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<Batch, void> {
  const query = { ...queryOf(options, from), wait: holdSecs }
  const page: Answer<'GET /v1/events'> = await client.call(operationOf(options), { query, signal })
  if (page.archived_before !== null) options.onGap?.(page.archived_before)
  yield { events: page.items, cursor: page.next_cursor }
}

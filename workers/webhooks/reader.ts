import { unixNow } from '../../durable-objects/clock.ts'
import { eventsOf, pageWhere } from '../../durable-objects/events/rows.ts'
import type { Position } from '../../durable-objects/events/types.ts'
import { portionSecs, roomOf } from '../../durable-objects/webhooks/rules.ts'
import type { Env } from '../env.ts'
import { services } from '../services.ts'
import type { EventLogStore, ReadRows } from '../stores/event-log.ts'
import { type Portion, type Waiting, WebhookDeliveryStore, waitingMax } from '../stores/webhook-deliveries.ts'
import { Interests, wants } from './interests.ts'
import { sendDue } from './send-due.ts'

/** From one look at the log to the next. */
const lookSecs = 2
/** A webhook without room is looked after again after so long. */
const fullSecs = 10
/** Pages of the log that are read for one portion, and of what is new. */
const pagesMax = 8
/** Pages of up to two megabytes that are held, since several webhooks go on at the same row. */
const heldMax = 4

/**
 * Reads the log of events for all webhooks together, notes which of them wait from where on, and makes deliveries for those that wait. All of
 * its state is in the database: it may be stopped at any point, and two of them do no harm.
 */
export class WebhookReader {
  readonly #deliveries: WebhookDeliveryStore
  readonly #log: () => Promise<EventLogStore>
  readonly #send: ReturnType<typeof sendDue>
  #known: { version: number; interests: Interests } | null = null

  constructor(env: Env) {
    const { store, events } = services(env)
    this.#deliveries = store(WebhookDeliveryStore)
    this.#log = async () => (await events()).log
    this.#send = sendDue(env)
  }

  /** @returns Seconds until the next look; null where no webhook is active and nothing seems lost. */
  async step(): Promise<number | null> {
    const now = unixNow()
    const { row, version, waits, lost } = await this.#deliveries.look(now)
    await this.#send(lost)
    if (this.#known?.version !== version)
      this.#known = { version, interests: new Interests(await this.#deliveries.interests()) }
    const { interests } = this.#known
    if (interests.isEmpty) return (await this.#deliveries.isNeeded()) ? lookSecs : null
    const log = await this.#log()
    const held: { from: number; page: ReadRows }[] = []
    const read = async (from: number): Promise<ReadRows> => {
      const known = held.find((one) => one.from === from)
      if (known !== undefined) return known.page
      const page = await log.read({ row: from, offset: 0 }, interests.words)
      held.push({ from, page })
      if (held.length > heldMax) held.shift()
      return page
    }
    const noted = await this.#note(row, interests, read, now)
    const servesOn = (noted.isFound || waits) && (await this.#serve(noted.row, read, now))
    return noted.goesOn || servesOn ? 0 : lookSecs
  }

  /** Reads on, and notes for which webhooks there is something new. */
  async #note(row: number, interests: Interests, read: (from: number) => Promise<ReadRows>, now: number) {
    let found: Map<string, Position> | null = new Map()
    let next = Math.max(row, interests.fromRow)
    let goesOn = true
    for (let pages = 0; pages < pagesMax && goesOn && found !== null; pages++) {
      const { rows, end, archivedBefore, newest } = await read(next)
      for (const logged of rows)
        for (const [offset, event] of eventsOf(logged).entries())
          for (const { webhookId } of interests.of(event, logged.id))
            if (!found.has(webhookId)) found.set(webhookId, { row: logged.id, offset })
      // Where some of it is gone, each webhook finds out what that means for it.
      if (archivedBefore !== null) found = null
      next = end.row
      goesOn = next <= newest
    }
    if (next !== row) await this.#deliveries.note(row, next, found, now)
    return { row: next, isFound: found?.size !== 0, goesOn }
  }

  /** Makes deliveries of what waits before a row. @returns Whether there is more to do at once. */
  async #serve(until: number, read: (from: number) => Promise<ReadRows>, now: number): Promise<boolean> {
    const portions: Portion[] = []
    const waiting = await this.#deliveries.waiting(now)
    for (const webhook of waiting) {
      const room = roomOf(webhook)
      portions.push(
        room === 0
          ? { webhook, bodies: [], next: webhook.from, nextAt: now + fullSecs }
          : await portionOf(webhook, { room, until, read, now }),
      )
    }
    if (portions.length > 0) await this.#send(await this.#deliveries.deliver(portions, now))
    return (
      waiting.length === waitingMax || portions.some(({ next, nextAt }) => nextAt <= now && next.row < until)
    )
  }
}

interface PortionRequest {
  room: number
  /** Rows from here on are not noted yet. */
  until: number
  read: (from: number) => Promise<ReadRows>
  now: number
}

async function portionOf(webhook: Waiting, { room, until, read, now }: PortionRequest): Promise<Portion> {
  const words = [webhook.types.map((type) => ` ${type} `)]
  const bodies: { state: 'pending' | 'gap'; body: string }[] = []
  let next = webhook.from
  for (let pages = 0; pages < pagesMax && bodies.length < room && next.row < until; pages++) {
    const { rows, end, archivedBefore } = await read(next.row)
    if (archivedBefore !== null) bodies.push({ state: 'gap', body: gapBody(archivedBefore, now) })
    const page = pageWhere(
      rows.filter(({ id }) => id < until),
      {
        from: next,
        end: end.row < until ? end : { row: until, offset: 0 },
        limit: Math.max(1, room - bodies.length),
        words,
        has: (event) => wants(webhook, event),
      },
    )
    for (const { id, event } of page.events)
      bodies.push({ state: 'pending', body: JSON.stringify({ id, ...event }) })
    next = page.next
  }
  return { webhook, bodies, next, nextAt: bodies.length < room ? now : now + portionSecs }
}

const gapBody = (before: number, now: number): string =>
  JSON.stringify({
    ...{ type: 'webhook.gap', created_at: now },
    data: { reason: 'archived', archived_before: before },
  })

export const createReader = (env: Env) => new WebhookReader(env)

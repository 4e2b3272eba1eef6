import { unixNow } from '../../durable-objects/clock.ts'
import { eventsOf, pageWhere } from '../../durable-objects/events/rows.ts'
import type { Position } from '../../durable-objects/events/types.ts'
import {
  Portions,
  portionSecs,
  readAgainPerSec,
  roomOf,
  turnAfter,
} from '../../durable-objects/webhooks/rules.ts'
import type { Env } from '../env.ts'
import { eventView } from '../events/messages.ts'
import { services } from '../services.ts'
import type { EventLogStore, ReadRows } from '../stores/event-log.ts'
import {
  type Portion,
  type ReaderState,
  type Waiting,
  WebhookDeliveryStore,
  waitingMax,
} from '../stores/webhook-deliveries.ts'
import { Interests, wants } from './interests.ts'
import { sendDue } from './send-due.ts'

/** From one look at the log to the next. */
const lookSecs = 2
/** The most pages of the log that are read for one portion, and for new events. */
const pagesMax = 8
/** The most pages for all portions of a step. */
const pagesOfStepMax = 16
/** Pages of up to two megabytes that are held, since several webhooks go on at the same row. */
const heldMax = 4

/**
 * Reads the log of events for all webhooks together, notes which of them wait from where on, and makes deliveries for those that wait. Its
 * state is in the database: it may be stopped at any point, and two readers do no harm. Only its recent portions are kept in memory.
 */
export class WebhookReader {
  readonly #deliveries: WebhookDeliveryStore
  readonly #log: () => Promise<EventLogStore>
  readonly #send: ReturnType<typeof sendDue>
  readonly #portions = new Portions()
  #known: { version: number; interests: Interests; readAt: number } | null = null

  constructor(env: Env) {
    const { store, events } = services(env)
    this.#deliveries = store(WebhookDeliveryStore)
    this.#log = async () => (await events()).log
    this.#send = sendDue(env)
  }

  /** @returns Seconds until the next look; null if no webhook is active and nothing seems lost. */
  async step(): Promise<number | null> {
    const now = unixNow()
    const { waits, due, ...state } = await this.#deliveries.look(now)
    await this.#send(due)
    const interests = await this.#interestsAt(state.version, now)
    if (interests === null) return lookSecs
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
    const noted = await this.#note(state, interests, read, now)
    const servesOn = (noted.isFound || waits) && (await this.#serve(noted.row, read, now))
    return noted.goesOn || servesOn ? 0 : lookSecs
  }

  /** The interests of all webhooks; null if many of them would be read again too soon. */
  async #interestsAt(version: number, now: number): Promise<Interests | null> {
    const known = this.#known
    if (known?.version === version) return known.interests
    if (known !== null && now < known.readAt + Math.floor(known.interests.count / readAgainPerSec))
      return null
    // The former and the next ones are not held together.
    this.#known = null
    const interests = new Interests(await this.#deliveries.interests())
    this.#known = { version, interests, readAt: now }
    return interests
  }

  /** Reads on, and notes for which webhooks there is something new. */
  async #note(
    state: ReaderState,
    interests: Interests,
    read: (from: number) => Promise<ReadRows>,
    now: number,
  ) {
    const { row } = state
    const unmoved = { row, isFound: false, goesOn: true }
    let found: Map<string, Position> | null = new Map()
    let next = Math.max(row, interests.fromRow)
    let goesOn = true
    for (let pages = 0; pages < pagesMax && goesOn && found !== null; pages++) {
      const { rows, end, archivedBefore, newest } = await read(next)
      if (end.row < next) {
        await this.#deliveries.rewind(state, end.row, gapBody(archivedBefore ?? now, now), now)
        return { ...unmoved, row: end.row }
      }
      for (const logged of rows)
        for (const [offset, event] of eventsOf(logged).entries())
          for (const { webhookId } of interests.of(event, logged.id))
            if (!found.has(webhookId)) found.set(webhookId, { row: logged.id, offset })
      // If some rows are deleted, each webhook finds out by itself what it missed.
      if (archivedBefore !== null) found = null
      next = end.row
      goesOn = next <= newest
    }
    if (next !== row && !(await this.#deliveries.note(state, next, found, now))) return unmoved
    return { row: next, isFound: found?.size !== 0, goesOn }
  }

  /** Makes deliveries of what waits before a row. @returns Whether there is more to do at once. */
  async #serve(until: number, read: (from: number) => Promise<ReadRows>, now: number): Promise<boolean> {
    const portions: Portion[] = []
    const waiting = await this.#deliveries.waiting(now)
    let pages = 0
    const counted = (from: number): Promise<ReadRows> => {
      pages += 1
      return read(from)
    }
    let isFull = false
    for (const webhook of waiting) {
      const left = this.#portions.left(webhook.owner, now)
      isFull = left === null
      // The others keep their turn.
      if (left === null || pages >= pagesOfStepMax) break
      const own = roomOf(webhook)
      const room = Math.min(own, left)
      const portion =
        room > 0
          ? await portionOf(webhook, {
              ...{ room, until, now, read: counted },
              pagesMax: Math.min(pagesMax, pagesOfStepMax - pages),
            })
          : {
              ...{ webhook, bodies: [], next: webhook.from },
              nextAt: own > 0 ? now + portionSecs : turnAfter(webhook, now),
            }
      this.#portions.note(webhook.owner, portion.bodies.length)
      portions.push(portion)
    }
    if (portions.length > 0) await this.#send(await this.#deliveries.deliver(portions, now))
    return (
      !isFull &&
      (waiting.length === waitingMax ||
        portions.length < waiting.length ||
        portions.some(({ next, nextAt }) => nextAt <= now && next.row < until))
    )
  }
}

interface PortionRequest {
  room: number
  /** Rows from here on are not noted yet. */
  until: number
  read: (from: number) => Promise<ReadRows>
  pagesMax: number
  now: number
}

async function portionOf(
  webhook: Waiting,
  { room, until, read, pagesMax, now }: PortionRequest,
): Promise<Portion> {
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
    for (const placed of page.events)
      bodies.push({ state: 'pending', body: JSON.stringify(eventView(placed)) })
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

import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, inject, vi } from 'vitest'
import { unixNow } from '../../durable-objects/clock.ts'
import { daySecs } from '../../durable-objects/webhooks/rules.ts'
import type { Manner, ReceivedCall, Verified } from '../../testing/webhook-receiver.ts'
import { lostSecs } from '../stores/webhook-deliveries.ts'
import { createWallet, signIn } from './callers.ts'
import { bodyOf, type Client, itemsOf } from './client.ts'
import { runSql, scalarOf } from './tables.ts'

export const projectId = `0x${'1'.repeat(64)}`

let receivers = 0

/** A receiver that nobody has called. */
export function createReceiver() {
  receivers += 1
  const name = `${receivers}-${crypto.randomUUID()}`
  const at = inject('receivers')
  return {
    url: `${at}/to/${name}`,
    answers: async (manner: Manner) => {
      await fetch(`${at}/manner/${name}`, { method: 'PUT', body: JSON.stringify(manner) })
    },
    calls: async (): Promise<ReceivedCall[]> => (await fetch(`${at}/calls/${name}`)).json(),
  }
}

const ask = async (what: string, input: Verified) =>
  (await fetch(`${inject('receivers')}/${what}`, { method: 'POST', body: JSON.stringify(input) })).json()

/** Checks a call with the example in Python. */
export const runPython = (input: Verified) =>
  ask('python', input) as Promise<{ status: number | null; output: string }>

/** The event that the library of Standard Webhooks reads from a call; null if the secret does not fit. */
export const verify = async (secret: string, { headers, body }: Pick<ReceivedCall, 'headers' | 'body'>) =>
  ((await ask('library', { secret, headers, body, now: unixNow() })) as { event: unknown }).event

export const createWebhook = (
  by: Client,
  url: string,
  fields: object = {},
): Promise<{ webhook_id: string; secret: string }> =>
  bodyOf(by.post('/v1/me/webhooks', { url, types: ['project.listed'], ...fields }))

/** Logs events as a trigger does, each with its number as `data.n`. */
export const tell = (count: number, { type = 'project.listed', address = null as string | null } = {}) =>
  runSql(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
     INSERT INTO new_events (type, created_at, address, project_id, data)
     SELECT ?, 7, ?, ?, json_object('n', i) FROM n`,
    ...[count, type, address, projectId],
  )

export interface Delivery {
  delivery_id: string
  state: string
  event: { id?: string; type: string; data: Record<string, unknown> }
  next_attempt_at: number | null
  attempts_made: number
  attempts: { at: number; status: number | null; answer: string | null; error: string | null }[]
}

/** The newest two hundred. */
export const deliveriesOf = (by: Client, webhookId: string): Promise<Delivery[]> =>
  itemsOf(by.get(`/v1/me/webhooks/${webhookId}/deliveries?limit=200`))

/** Has the hub read the log once. */
export const look = () => runDurableObjectAlarm(env.WEBHOOK_READER.getByName('webhooks'))

/** Moves the clock of this hub. */
export const pass = (seconds: number) => vi.setSystemTime((unixNow() + seconds) * 1000)

const exists = async (query: string, ...values: unknown[]): Promise<boolean> =>
  (await scalarOf(`SELECT 1 FROM ${query} LIMIT 1`, ...values)) !== null

/** Has the hub read the log, and send what seems lost, until nothing is due. */
export const settle = (): Promise<boolean> =>
  vi.waitUntil(
    async () => {
      const now = unixNow()
      const isBehind =
        (await exists(
          "webhook_reader JOIN webhooks ON state = 'active' WHERE row <= (SELECT max(id) FROM event_log)",
        )) ||
        (await exists('webhooks WHERE next_row IS NOT NULL AND next_at <= ?', now)) ||
        (await exists("webhook_deliveries WHERE state = 'pending' AND due_at <= ?", now - lostSecs))
      if (isBehind) await look()
      return !isBehind && !(await exists("webhook_deliveries WHERE state = 'pending' AND due_at <= ?", now))
    },
    { interval: 10 },
  )

/** Gives each test of a file the hub to itself, ahead of the machine's time: no alarm comes by itself, and tests run each. */
export function haveTheHub(): void {
  beforeAll(() => {
    vi.useFakeTimers({ toFake: ['Date'] })
    pass(daySecs)
  })
  beforeEach(() => runSql('DELETE FROM webhooks'))
}

/** A wallet, which signs in again as often as time passes. */
export function createOwner() {
  const wallet = createWallet()
  return { address: wallet.address, client: async (): Promise<Client> => (await signIn(wallet)).client }
}

/** A webhook of a new wallet, and its receiver. */
export const setUp = async (fields: object = {}) => {
  const owner = createOwner()
  const receiver = createReceiver()
  const by = await owner.client()
  const { webhook_id: id, secret } = await createWebhook(by, receiver.url, fields)
  return { ...{ owner, receiver, by, id, secret }, list: () => deliveriesOf(by, id) }
}

/** The numbers of the events that came. */
export const numbersOf = async ({ calls }: ReturnType<typeof createReceiver>) =>
  (await calls()).map(({ body }) => JSON.parse(body).data.n as number)

/** Passes the time until the next attempt of a delivery, as late as that of a lost message. */
export const until = async (delivery: Delivery): Promise<void> => {
  pass((delivery.next_attempt_at ?? 0) + lostSecs - unixNow())
  await settle()
}

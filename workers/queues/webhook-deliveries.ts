import { unixNow } from '../../durable-objects/clock.ts'
import { probeEarlySecs } from '../../durable-objects/webhooks/rules.ts'
import { type Env, readSettings } from '../env.ts'
import { services } from '../services.ts'
import type { Attempt } from '../stores/schema/webhooks.ts'
import { type Prepared, WebhookDeliveryStore } from '../stores/webhook-deliveries.ts'
import { call, isSuccess } from '../webhooks/call.ts'
import { deliveryId } from '../webhooks/delivery-id.ts'
import { openSecrets } from '../webhooks/secrets.ts'
import { signedHeaders } from '../webhooks/signature.ts'
import { urlProblem } from '../webhooks/url.ts'
import { WebhookMessage } from './webhook-message.ts'

interface Received {
  message: Message<unknown>
  due: WebhookMessage
}

/** Makes attempts, those of a batch side by side. Messages may come twice: each names the attempt that it is for. */
export async function consumeWebhookDeliveries(batch: MessageBatch<unknown>, env: Env): Promise<void> {
  const received: Received[] = []
  for (const message of batch.messages) {
    const { data: due } = WebhookMessage.safeParse(message.body)
    // A message that the hub cannot read dies at its last attempt, where operators see it.
    if (due === undefined) retry(message)
    else received.push({ message, due })
  }
  if (received.length === 0) return
  const deliveries = services(env).store(WebhookDeliveryStore)
  const prepared = await deliveries.prepare(received.map(({ due }) => due)).catch((error) => {
    console.error('deliveries of webhooks could not be read', error)
    return null
  })
  await Promise.all(
    received.map(async ({ message, due }) => {
      const delivery = prepared?.find(
        ({ webhookId, number }) => webhookId === due.webhookId && number === due.number,
      )
      try {
        if (prepared === null) throw new Error('not read')
        if (delivery?.state === 'pending' && delivery.attemptsMade === due.attemptsMade)
          await attempt(env, deliveries, delivery)
        message.ack()
      } catch {
        retry(message)
      }
    }),
  )
}

async function attempt(env: Env, deliveries: WebhookDeliveryStore, delivery: Prepared): Promise<void> {
  const made = await tryOnce(env, delivery)
  const now = unixNow()
  if (isSuccess(made)) return deliveries.succeed(delivery, made, now)
  // A probe in vain changes nothing.
  if (delivery.dueAt > made.at + probeEarlySecs) return
  const pause = await deliveries.fail(delivery, made, now)
  if (pause === null) return
  const { webhookId, number, attemptsMade } = delivery
  await env.WEBHOOK_DELIVERIES.send(
    { v: 1, webhookId, number, attemptsMade: attemptsMade + 1 },
    { delaySeconds: pause },
  ).catch((error) => console.error('the next attempt of a webhook could not be put into the queue', error))
}

async function tryOnce(env: Env, delivery: Prepared): Promise<Attempt> {
  const settings = readSettings(env)
  const at = unixNow()
  const refused = (error: string): Attempt => ({ at, durationMs: 0, status: null, answer: null, error })
  // Settings may have changed since the URL was taken.
  const problem = urlProblem(delivery.url, { isLocal: settings.LOCAL_NETWORK, hub: settings.BASE_URL })
  if (problem !== null) return refused(`the URL ${problem}`)
  const secrets = await openSecrets(services(env).sealer, delivery, at)
  if (secrets.length === 0) return refused('the secrets of the webhook are lost: make a new one')
  const headers = await signedHeaders(deliveryId(delivery), at, delivery.body, secrets)
  const agent = { 'User-Agent': `${settings.PROFILE.prefix}-webhooks` }
  return call(delivery.url, { body: delivery.body, headers: { ...agent, ...headers } })
}

const retry = (message: Message<unknown>): void =>
  message.retry({ delaySeconds: Math.min(600, 2 ** message.attempts) })

import type { Env } from '../env.ts'
import { consumeActions } from './actions.ts'
import { consumeDeadLetters } from './dead-letters.ts'

type Consume = (batch: MessageBatch<unknown>, env: Env, queue: string) => Promise<void>

const consumers: Record<string, Consume> = {
  actions: consumeActions,
  'action-dead-letters': consumeDeadLetters,
  'round-rows': async (batch, env) => (await import('./round-rows.ts')).consumeRoundRows(batch, env),
  'round-rows-dead-letters': consumeDeadLetters,
  'webhook-deliveries': async (batch, env) =>
    (await import('./webhook-deliveries.ts')).consumeWebhookDeliveries(batch, env),
  'webhook-deliveries-dead-letters': consumeDeadLetters,
}

export async function consumeQueue(batch: MessageBatch<unknown>, env: Env): Promise<void> {
  // A hub that is deployed has its own name before those of its queues.
  const [queue, consume] =
    Object.entries(consumers).find(([name]) => batch.queue === name || batch.queue.endsWith(`-${name}`)) ?? []
  if (queue === undefined || consume === undefined)
    throw new Error(`no consumer for the queue ${batch.queue}`)
  await consume(batch, env, queue)
}

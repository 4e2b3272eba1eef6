import type { Env } from '../env.ts'
import { consumeActions } from './actions.ts'
import { consumeDeadLetters } from './dead-letters.ts'

const consumers: Record<string, (batch: MessageBatch<unknown>, env: Env) => Promise<void>> = {
  actions: consumeActions,
  'action-dead-letters': consumeDeadLetters,
  'round-rows': async (batch, env) => (await import('./round-rows.ts')).consumeRoundRows(batch, env),
  'round-rows-dead-letters': consumeDeadLetters,
  'webhook-deliveries': async (batch, env) =>
    (await import('./webhook-deliveries.ts')).consumeWebhookDeliveries(batch, env),
  'webhook-deliveries-dead-letters': consumeDeadLetters,
}

export async function consumeQueue(batch: MessageBatch<unknown>, env: Env): Promise<void> {
  const consume = consumers[batch.queue]
  if (!consume) throw new Error(`no consumer for the queue ${batch.queue}`)
  await consume(batch, env)
}

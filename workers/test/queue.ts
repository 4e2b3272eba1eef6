import { createExecutionContext, createMessageBatch, getQueueResult } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import hub from '../index.ts'

/** Has the hub consume messages of a queue in one batch. @returns The ids of those that are done, and of those that come again: `m0`, `m1`, … or with another prefix. */
export async function consumeIn(
  bindings: typeof env,
  queue: string,
  bodies: readonly unknown[],
  prefix = 'm',
) {
  const messages = bodies.map((body, index) => ({
    id: `${prefix}${index}`,
    timestamp: new Date(),
    attempts: 1,
    body,
  }))
  const batch = createMessageBatch(queue, messages)
  const ctx = createExecutionContext()
  await hub.queue(batch, bindings)
  const { explicitAcks, retryMessages } = await getQueueResult(batch, ctx)
  return { acked: explicitAcks, retried: retryMessages.map(({ msgId }) => msgId) }
}

export const consume = (queue: string, ...bodies: unknown[]) => consumeIn(env, queue, bodies)

import { unixNow } from '../context.ts'
import type { Env } from '../env.ts'
import { services } from '../services.ts'
import { RelayMessage } from './relay-message.ts'

/** Relays what the hub itself wants on the chain. Messages may come twice and in any order: their id names the action. */
export async function consumeRelay(batch: MessageBatch<unknown>, env: Env): Promise<void> {
  await Promise.all(batch.messages.map((message) => consume(message, env)))
}

async function consume(message: Message<unknown>, env: Env): Promise<void> {
  const retry = () => message.retry({ delaySeconds: Math.min(600, 2 ** message.attempts) })
  const parsed = RelayMessage.safeParse(message.body)
  // A message nobody can read dies at its last attempt, where operators see it.
  if (!parsed.success) return retry()
  const { relayer, transactions } = services(env)
  const { v: _, ...request } = parsed.data
  try {
    if (relayer === null) return retry()
    const result = await relayer.relay(request)
    switch (result.status) {
      case 'accepted':
        return message.ack()
      case 'busy':
      case 'unavailable':
        return retry()
      case 'refused': {
        const now = unixNow()
        await transactions.put([
          {
            id: request.id,
            action: request.action,
            owner: request.owner,
            status: 'failed',
            txHash: null,
            error: result.reason,
            confirmations: 0,
            createdAt: now,
            updatedAt: now,
            revision: 0,
          },
        ])
        return message.ack()
      }
    }
  } catch (error) {
    console.error(`message ${message.id} could not be relayed`, error)
    retry()
  }
}

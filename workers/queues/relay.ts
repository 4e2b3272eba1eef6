import { unixNow } from '../../durable-objects/clock.ts'
import type { Env } from '../env.ts'
import { services } from '../services.ts'
import { type OwnAction, RelayMessage } from './relay-message.ts'

/**
 * Carries admitted actions onto the chain, all of a batch at once, and relays what the hub itself wants there. Messages
 * may come twice and in any order: their id names the action.
 */
export async function consumeRelay(batch: MessageBatch<unknown>, env: Env): Promise<void> {
  const admitted: { message: Message<unknown>; id: string }[] = []
  const own: { message: Message<unknown>; action: OwnAction }[] = []
  for (const message of batch.messages) {
    const parsed = RelayMessage.safeParse(message.body)
    // A message nobody can read dies at its last attempt, where operators see it.
    if (!parsed.success) retry(message)
    else if ('action' in parsed.data) own.push({ message, action: parsed.data })
    else admitted.push({ message, id: parsed.data.id })
  }
  await Promise.all([
    carry(admitted, env),
    ...own.map(async ({ message, action }) => settle(message, () => relayOwn(action, env))),
  ])
}

/** What the chain keeps from being carried now, the relayer carries by itself later. */
async function carry(admitted: readonly { message: Message<unknown>; id: string }[], env: Env) {
  if (admitted.length === 0) return
  const carried = services(env).relayer?.carry(admitted.map(({ id }) => id))
  const work = async () => {
    await carried
    return carried !== undefined
  }
  await Promise.all(admitted.map(({ message }) => settle(message, work)))
}

/** Whether the action is taken, or refused for good. */
async function relayOwn({ v: _, ...request }: OwnAction, env: Env): Promise<boolean> {
  const { relayer, transactions } = services(env)
  if (relayer === null) return false
  const result = await relayer.relay(request)
  if (result.status === 'refused') {
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
  }
  return result.status === 'accepted' || result.status === 'refused'
}

/** Acknowledges the message once the work is done; otherwise it comes again. */
async function settle(message: Message<unknown>, work: () => Promise<boolean>): Promise<void> {
  try {
    if (await work()) message.ack()
    else retry(message)
  } catch (error) {
    console.error(`message ${message.id} could not be relayed`, error)
    retry(message)
  }
}

const retry = (message: Message<unknown>): void =>
  message.retry({ delaySeconds: Math.min(600, 2 ** message.attempts) })

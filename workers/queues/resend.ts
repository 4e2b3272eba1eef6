import type { Env } from '../env.ts'
import { unavailable } from '../errors.ts'
import type { DeadLetter } from '../stores/dead-letters.ts'
import { hubActionsQueue } from '../stores/hub-actions.ts'
import { ActionMessage } from './action-message.ts'
import { readRoundMessage } from './round-message.ts'
import { WebhookMessage } from './webhook-message.ts'

/**
 * Puts a dead letter back into its queue. It may be put there twice: any message may come twice. @returns False for one that the hub cannot read: it
 * would only die again. @throws {@link ApiError} 503 `unavailable`.
 */
export async function resendLetter(env: Env, { queue, body }: DeadLetter): Promise<boolean> {
  // An action of the hub itself is a row, not a message: the row becomes due.
  if (queue === hubActionsQueue) return true
  const send = sendAgain(env, queue, JSON.parse(body))
  if (send === null) return false
  try {
    await send()
  } catch (error) {
    throw unavailable('The queue', error)
  }
  return true
}

function sendAgain(env: Env, queue: string, body: unknown): (() => Promise<unknown>) | null {
  if (queue === 'round-rows-dead-letters') {
    const message = readRoundMessage(body)
    return message && (() => env.ROUND_ROWS.send(message))
  }
  if (queue === 'webhook-deliveries-dead-letters') {
    const message = WebhookMessage.safeParse(body)
    return message.success ? () => env.WEBHOOK_DELIVERIES.send(message.data) : null
  }
  const message = ActionMessage.safeParse(body)
  return queue === 'action-dead-letters' && message.success ? () => env.ACTIONS.send(message.data) : null
}

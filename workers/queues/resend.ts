import type { Env } from '../env.ts'
import { unavailable } from '../errors.ts'
import type { DeadLetter } from '../stores/dead-letters.ts'
import { hubActionsQueue } from '../stores/hub-actions.ts'
import { ActionMessage } from './action-message.ts'

/**
 * Puts a dead letter back into the queue it died in. It may be put there twice: messages may always come twice.
 *
 * @returns Whether the hub can read it: a message that it cannot read would only die again.
 * @throws {@link ApiError} 503 `unavailable`.
 */
export async function resendLetter(env: Env, { queue, body }: DeadLetter): Promise<boolean> {
  // What the hub wants is no message but a row, which becomes due.
  if (queue === hubActionsQueue) return true
  const message = ActionMessage.safeParse(JSON.parse(body))
  if (queue !== 'action-dead-letters' || !message.success) return false
  try {
    await env.ACTIONS.send(message.data)
  } catch (error) {
    throw unavailable('The queue', error)
  }
  return true
}

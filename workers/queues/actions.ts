import type { Env } from '../env.ts'
import { services } from '../services.ts'
import { ActionMessage, DueActionsMessage } from './action-message.ts'

/** Has accepted actions submitted, a batch in one call. Messages may come twice and in any order: their id names the action. */
export async function consumeActions(batch: MessageBatch<unknown>, env: Env): Promise<void> {
  const accepted: { message: Message<unknown>; id: string }[] = []
  let dueUntil = 0
  for (const message of batch.messages) {
    const parsed = ActionMessage.safeParse(message.body)
    if (parsed.success) {
      accepted.push({ message, id: parsed.data.id })
      continue
    }
    const due = DueActionsMessage.safeParse(message.body)
    if (due.success) {
      dueUntil = Math.max(dueUntil, due.data.due_until)
      // The schedule goes on if this run does not.
      message.ack()
    }
    // A message that the hub cannot read dies at its last attempt, where operators see it.
    else retry(message)
  }
  await submitAll(accepted, env)
  // An owner waits for the others.
  if (dueUntil > 0) await (await import('../schedule.ts')).goOnUntil(env, dueUntil)
}

async function submitAll(accepted: readonly { message: Message<unknown>; id: string }[], env: Env) {
  if (accepted.length === 0) return
  const isSubmitted = await submit(
    accepted.map(({ id }) => id),
    env,
  )
  for (const { message } of accepted)
    if (isSubmitted) message.ack()
    else retry(message)
}

/**
 * Whether the relayer has taken the actions. If the chain does not take some of them now, the relayer submits them later by
 * itself.
 */
async function submit(ids: readonly string[], env: Env): Promise<boolean> {
  try {
    const submitted = services(env).relayer?.submit(ids)
    await submitted
    return submitted !== undefined
  } catch (error) {
    console.error(`${ids.length} accepted actions could not be submitted`, error)
    return false
  }
}

const retry = (message: Message<unknown>): void =>
  message.retry({ delaySeconds: Math.min(600, 2 ** message.attempts) })

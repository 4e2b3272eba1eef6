import type { Env } from '../env.ts'
import { services } from '../services.ts'
import { ActionMessage, type HubActionMessage } from './action-message.ts'

/**
 * Has accepted actions submitted, all of a batch at once, and relays whole actions. Messages may come twice and in any
 * order: their id names the action.
 */
export async function consumeActions(batch: MessageBatch<unknown>, env: Env): Promise<void> {
  const accepted: { message: Message<unknown>; id: string }[] = []
  const whole: { message: Message<unknown>; action: HubActionMessage }[] = []
  for (const message of batch.messages) {
    const parsed = ActionMessage.safeParse(message.body)
    // A message nobody can read dies at its last attempt, where operators see it.
    if (!parsed.success) retry(message)
    else if ('action' in parsed.data) whole.push({ message, action: parsed.data })
    else accepted.push({ message, id: parsed.data.id })
  }
  await Promise.all([
    submit(accepted, env),
    ...whole.map(async ({ message, action }) => acknowledge(message, () => relay(action, env))),
  ])
}

/** What the chain keeps from being submitted now, the relayer submits by itself later. */
async function submit(accepted: readonly { message: Message<unknown>; id: string }[], env: Env) {
  if (accepted.length === 0) return
  const submitted = services(env).relayer?.submit(accepted.map(({ id }) => id))
  const work = async () => {
    await submitted
    return submitted !== undefined
  }
  await Promise.all(accepted.map(({ message }) => acknowledge(message, work)))
}

/** Whether the action is accepted. What is refused may have a reason that passes. */
async function relay(action: HubActionMessage, env: Env): Promise<boolean> {
  const result = await services(env).relayer?.relay(action)
  return result?.status === 'accepted'
}

/** Acknowledges the message once the work is done; otherwise it comes again. */
async function acknowledge(message: Message<unknown>, work: () => Promise<boolean>): Promise<void> {
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

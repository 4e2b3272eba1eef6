import type { Draws } from './draws.ts'
import type { Limits } from './limits.ts'

type Batch = MessageBatch<unknown>

/** Delivered before, by queue; of each the newest. */
const delivered = new Map<string, Message<unknown>[]>()
const deliveredMax = 100

/** Delivers a batch in any order, and then messages again that were delivered before, whose outcome counts no more. */
export async function redeliver(
  args: unknown[],
  run: () => Promise<unknown>,
  draws: Draws,
  { messageTwice }: Limits,
): Promise<void> {
  const batch = args[0] as Batch
  const before = delivered.get(batch.queue) ?? []
  const messages = draws.shuffle(batch.messages)
  const again = [...before, ...messages.map(withoutOutcome)].filter(() => draws.isHit(messageTwice))
  delivered.set(batch.queue, [...before, ...messages.map(withoutOutcome)].slice(-deliveredMax))
  args[0] = { queue: batch.queue, messages, ackAll: () => batch.ackAll(), retryAll: () => batch.retryAll() }
  await run()
  if (again.length === 0) return
  const outcome = { ackAll: () => {}, retryAll: () => {} }
  args[0] = { queue: batch.queue, messages: draws.shuffle(again), ...outcome }
  await run()
}

const withoutOutcome = ({ id, timestamp, body, attempts }: Message<unknown>): Message<unknown> => ({
  ...{ id, timestamp, body, attempts },
  ack: () => {},
  retry: () => {},
})

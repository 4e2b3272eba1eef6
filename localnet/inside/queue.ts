import type { Draws } from './draws.ts'
import type { Limits } from './limits.ts'

type Batch = MessageBatch<unknown>

/** To be delivered once more, by queue; of each the newest. */
const owed = new Map<string, Message<unknown>[]>()
const owedMax = 100

/** Delivers a batch in any order, and some of its messages again, now or after a later batch. Their outcome counts no more. */
export async function redeliver(
  args: unknown[],
  run: () => Promise<unknown>,
  draws: Draws,
  { messageTwice }: Limits,
): Promise<void> {
  const batch = args[0] as Batch
  const messages = draws.shuffle(batch.messages)
  const twice = messages.filter(() => draws.isHit(messageTwice)).map(withoutOutcome)
  const again: Message<unknown>[] = []
  const later: Message<unknown>[] = []
  for (const message of [...(owed.get(batch.queue) ?? []), ...twice])
    (draws.isHit(0.5) ? again : later).push(message)
  owed.set(batch.queue, later.slice(-owedMax))
  args[0] = { queue: batch.queue, messages, ackAll: () => batch.ackAll(), retryAll: () => batch.retryAll() }
  await run()
  if (again.length === 0) return
  args[0] = { queue: batch.queue, messages: draws.shuffle(again), ackAll: () => {}, retryAll: () => {} }
  await run()
}

const withoutOutcome = ({ id, timestamp, body, attempts }: Message<unknown>): Message<unknown> => ({
  ...{ id, timestamp, body, attempts },
  ack: () => {},
  retry: () => {},
})

import { eventsOf } from '../../../durable-objects/events/rows.ts'
import type { LoggedEvent } from '../../../durable-objects/events/types.ts'
import { rowsOf, scalarOf } from '../../test/tables.ts'

const logged = async (after: number): Promise<LoggedEvent[]> =>
  (
    await rowsOf<{ id: number; body: string }>(
      'SELECT id, body FROM event_log WHERE id > ? ORDER BY id',
      after,
    )
  ).flatMap(eventsOf)
const newest = async () => Number((await scalarOf('SELECT max(id) FROM event_log')) ?? 0)

/** The events that a cause wrote into the log. */
export async function loggedBy(cause: () => Promise<unknown>): Promise<LoggedEvent[]> {
  const before = await newest()
  await cause()
  return logged(before)
}

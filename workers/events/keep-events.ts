import { unixNow } from '../../durable-objects/clock.ts'
import type { Settings } from '../env.ts'
import type { Services } from '../services.ts'
import { tellDuePayouts } from './due-payouts.ts'

const daySecs = 86_400
const notificationsKeptDays = 90

/** The scheduled work for events: deletes old events and notifications, and reports payouts whose challenge period is over. */
export async function keepEvents(
  services: Pick<Services, 'chainIndex' | 'epochs' | 'events'>,
  { EVENTS_KEEP_DAYS: days, EVENTS_KEEP_BYTES: bytes }: Settings,
): Promise<void> {
  const { log, notifications } = await services.events()
  const now = unixNow()
  await log.purge(now - days * daySecs, bytes)
  await notifications.purge(now - notificationsKeptDays * daySecs)
  await tellDuePayouts(services)
}

import type { Env } from '../env.ts'
import type { Database } from '../stores/database.ts'
import { EventLogStore } from '../stores/event-log.ts'
import { NotificationStore } from '../stores/notifications.ts'
import { createEventFeedClient } from './client.ts'

/** The stores and the client that serve events and notifications. */
export const eventServices = (db: Database, env: Env) => ({
  log: new EventLogStore(db),
  feed: createEventFeedClient(env),
  notifications: new NotificationStore(db),
})

export type EventServices = ReturnType<typeof eventServices>

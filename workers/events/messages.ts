import type { PlacedEvent } from '../../durable-objects/events/rows.ts'
import type { EventType } from '../../durable-objects/events/types.ts'

export const severities = ['info', 'warning', 'critical'] as const

/** The event types that notify wallets: d1-migrations/0023_hub_alarms.sql lists the same types. Everybody sees events of network types. */
export const notified: Partial<
  Record<EventType, { severity: (typeof severities)[number]; message: string }>
> = {
  'device.offline': { severity: 'warning', message: 'The device has lost its connection to the hub.' },
  'subscription.jailed': {
    severity: 'critical',
    message: 'A slash left less than the least collateral. The device gets no work until you add collateral.',
  },
  'slash.proposed': {
    severity: 'critical',
    message: 'A slash of your collateral was proposed. You can dispute it until it is executed.',
  },
  'slash.disputed': { severity: 'info', message: 'Your dispute of a slash is on the chain.' },
  'slash.cancelled': { severity: 'info', message: 'A slash of your collateral was cancelled.' },
  'slash.executed': { severity: 'critical', message: 'A slash has taken some of the collateral.' },
  'withdrawal.completed': { severity: 'info', message: 'A withdrawal is complete.' },
  'developer.enrollment_approved': { severity: 'info', message: 'Your enrollment as a developer is active.' },
  'developer.enrollment_rejected': {
    severity: 'warning',
    message: 'Your enrollment as a developer was rejected.',
  },
  'developer.verified': { severity: 'info', message: 'You are a verified developer.' },
  'listing.approved': { severity: 'info', message: 'Your project is listed.' },
  'listing.rejected': { severity: 'warning', message: 'Your project was rejected by the review.' },
  'project.paused': { severity: 'warning', message: 'Operators have paused the project.' },
  'webhook.disabled': {
    severity: 'warning',
    message: 'A webhook has failed for three days and is disabled.',
  },
  'hub.alarm': { severity: 'critical', message: 'The hub needs its operators: `data.message` says why.' },
  'project.delisted': { severity: 'critical', message: 'Operators have delisted the project.' },
}

/** An event as feeds, streams and webhooks have it. */
export function eventView({ id, event }: Pick<PlacedEvent, 'id' | 'event'>) {
  const message = notified[event.type]?.message
  return { id, ...event, ...(message !== undefined && { message }) }
}

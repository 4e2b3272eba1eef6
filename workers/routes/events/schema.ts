import * as z from 'zod'
import { accountTypes, type EventType, networkTypes } from '../../../durable-objects/events/types.ts'
import { example } from '../../examples.ts'
import { Address, Bytes32, NodeId, Timestamp } from '../../http/formats.ts'

export const eventTypes = [...networkTypes, ...accountTypes] as const

export const eventMembers = {
  type: z.enum(eventTypes),
  created_at: Timestamp,
  project_id: Bytes32.optional(),
  module: Bytes32.optional(),
  address: Address.optional().describe('The wallet that the event is about.'),
  node_id: NodeId.optional(),
  subscription_id: Bytes32.optional(),
  round_id: z.string().optional(),
  tx_hash: Bytes32.optional(),
  data: z.unknown().optional().describe('What else is known; its members depend on the type.'),
}

export const EventView = z
  .strictObject({ id: z.string().describe('The same in every feed.'), ...eventMembers })
  .meta({ id: 'Event' })

export const roundEventExample: z.output<typeof EventView> = {
  id: '4711-3',
  type: 'round.finalized',
  created_at: example.time,
  project_id: example.digest,
  module: example.manifestAddress,
  round_id: `task:${example.digest}`,
  data: { success: true },
}

export const deviceEventExample: z.output<typeof EventView> = {
  id: '4712-0',
  type: 'device.online',
  created_at: example.time,
  address: example.wallet,
  node_id: '{{node_id_prefix}}0123456789abcdef',
}

const severities = ['info', 'warning', 'critical'] as const

/** What wallets are notified of: d1-migrations/0023_hub_alarms.sql has the same types. */
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
  'slash.executed': { severity: 'critical', message: 'A slash has taken some of your collateral.' },
  'withdrawal.completed': { severity: 'info', message: 'A withdrawal is complete.' },
  'developer.enrollment_approved': { severity: 'info', message: 'Your enrollment as a developer is active.' },
  'developer.enrollment_rejected': {
    severity: 'warning',
    message: 'Your enrollment as a developer was rejected.',
  },
  'developer.verified': { severity: 'info', message: 'You are a verified developer.' },
  'listing.approved': { severity: 'info', message: 'Your project is listed.' },
  'listing.rejected': { severity: 'warning', message: 'Your project was rejected by the review.' },
  'project.paused': { severity: 'warning', message: 'Operators have paused your project.' },
  'webhook.disabled': {
    severity: 'warning',
    message: 'A webhook has failed for three days and is disabled.',
  },
  'hub.alarm': { severity: 'critical', message: 'The hub needs its operators: `data.message` says why.' },
  'project.delisted': { severity: 'critical', message: 'Operators have delisted your project.' },
}

export const NotificationView = z
  .strictObject({
    id: z.string(),
    ...eventMembers,
    message: z.string(),
    read: z.boolean(),
    severity: z.enum(severities),
  })
  .meta({ id: 'Notification' })

export const notificationExample: z.output<typeof NotificationView> = {
  ...deviceEventExample,
  id: '815',
  type: 'device.offline',
  message: 'The device has lost its connection to the hub.',
  read: false,
  severity: 'warning',
}

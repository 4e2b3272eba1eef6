import * as z from 'zod'
import { accountTypes, networkTypes } from '../../../durable-objects/events/types.ts'
import { severities } from '../../events/messages.ts'
import { example } from '../../examples.ts'
import { Address, Bytes32, NodeId, Timestamp } from '../../http/formats.ts'

export const eventTypes = [...networkTypes, ...accountTypes] as const

/** The type of the event that a receiver of webhooks gets for a test. */
export const testType = 'webhook.test'

const eventMembers = {
  type: z.enum(eventTypes),
  created_at: Timestamp,
  project_id: Bytes32.optional(),
  module: Bytes32.optional(),
  address: Address.optional().describe('The wallet that the event is about.'),
  node_id: NodeId.optional(),
  subscription_id: Bytes32.optional(),
  round_id: z.string().optional(),
  tx_hash: Bytes32.optional(),
  data: z.unknown().optional().describe('Further facts; the members depend on the type.'),
}

export const EventView = z
  .strictObject({
    id: z.string().describe('The same in every feed, and of its webhooks. It is a cursor of the feeds.'),
    ...eventMembers,
    type: z
      .enum([...eventTypes, testType])
      .describe(`Only webhooks have \`${testType}\`, whose \`id\` is no cursor.`),
    message: z.string().optional().describe('A sentence for people, of types that wallets are notified of.'),
  })
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

import * as z from 'zod'
import type { FixedParams } from '../../../protocol/identity/index.ts'
import { firstEpochStart } from '../../committees/first-epoch.ts'
import { example } from '../../examples.ts'
import { json } from '../../http/answer.ts'
import { Amount, NodeId, Timestamp } from '../../http/formats.ts'
import { defineRoute, ok } from '../../route.ts'
import type { DeviceSubscription } from '../../stores/subscription-lists.ts'
import { SubscriptionLists } from '../../stores/subscription-lists.ts'
import { Slug } from '../projects/manifest-shape.ts'
import { bondedExample, SubscriptionView, subscriptionView } from '../subscriptions/schema.ts'
import { unbound } from './device.ts'
import { DeviceParams } from './schema.ts'

/** A device works for a few projects; the newest are shown. */
const shownMax = 50

/** The members of a subscription that are the same in other answers. */
const shown = SubscriptionView.pick({
  subscription_id: true,
  project_id: true,
  owner: true,
  payout_address: true,
  status: true,
  collateral: true,
  collateral_health: true,
  pending_slashes: true,
  slashed_total: true,
  release_at: true,
  token: true,
})

const shownMembers = Object.keys(shown.shape) as (keyof typeof shown.shape)[]

const pickShown = (view: z.infer<typeof SubscriptionView>) =>
  Object.fromEntries(shownMembers.map((member) => [member, view[member]]))

const DeviceWork = z
  .strictObject({
    node_id: NodeId,
    subscriptions: z.array(
      z.strictObject({
        ...shown.shape,
        slug: Slug,
        earned: Amount.describe('Earnings of its payout address in the project, as attested by validators.'),
        works_from: Timestamp.nullable().describe(
          'The start of the first epoch whose committees can include the device; in the past if that epoch has started. Null while the subscription is not active, or the device is not bound to its owner.',
        ),
      }),
    ),
  })
  .meta({ id: 'DeviceWork' })

export const getDeviceWork = defineRoute(
  {
    method: 'get',
    path: '/v1/devices/{node_id}/work',
    operationId: 'getDeviceWork',
    tag: 'Devices',
    summary: 'List the subscriptions of a device, with the start of their work',
    description: `Its newest ${shownMax} open subscriptions, also after the device was unbound: its collateral stays bonded.`,
    params: DeviceParams,
    cache: { maxAgeSeconds: 0 },
    errors: ['not_found'],
    responses: ok('As of the newest indexed block.', DeviceWork, {
      node_id: bondedExample.node_id,
      subscriptions: [
        {
          ...pickShown(bondedExample),
          slug: 'hello',
          earned: '0',
          works_from: example.time,
        },
      ],
    }),
  },
  async (c, { params: { node_id } }) => {
    const now = await c.var.services.clock.now()
    const { devices } = c.var.services
    const lists = c.var.services.store(SubscriptionLists)
    const [rows, device] = await Promise.all([lists.listOfDevice(node_id, shownMax), devices.find(node_id)])
    if (rows.length === 0 && device === null) throw unbound(node_id)
    return json({ node_id, subscriptions: rows.map((row) => workView(row, now, c.var.services.params)) })
  },
)

function workView(row: DeviceSubscription, now: number, params: FixedParams) {
  const view = subscriptionView(row, now)
  const isWorking = view.status === 'active' && view.device_bound && view.started_at !== null
  return {
    ...pickShown(view),
    slug: row.slug,
    earned: row.earned ?? '0',
    works_from: isWorking ? firstEpochStart(view.started_at ?? 0, row.epochSecs, params) : null,
  }
}

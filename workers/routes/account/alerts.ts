import * as z from 'zod'
import { isOlderVersion } from '../../../protocol/identity/index.ts'
import { example } from '../../examples.ts'
import { json } from '../../http/answer.ts'
import { Bytes32, NodeId, Timestamp } from '../../http/formats.ts'
import { callerOf } from '../../middleware/authenticate.ts'
import { defineRoute, ok } from '../../route.ts'
import type { OpenSlash } from '../../stores/slashes.ts'
import type { WatchedSubscription } from '../../stores/subscription-lists.ts'
import { SubscriptionLists } from '../../stores/subscription-lists.ts'
import { workDaySecs, workSince } from '../../stores/work-days.ts'
import { nodectlVersionMin } from '../../version.ts'
import { counted } from '../../why/project-causes.ts'
import { subscriptionExample, subscriptionView } from '../subscriptions/schema.ts'

const types = [
  'offline',
  'missed_leases',
  'proof_failure',
  'slashing',
  'low_collateral',
  'jailed',
  'project_paused',
  'update_required',
] as const

const Alert = z
  .strictObject({
    id: z.string().describe('The same for as long as the alert lasts.'),
    type: z.enum(types),
    severity: z.enum(['warning', 'critical']),
    message: z.string(),
    project_id: Bytes32.optional(),
    node_id: NodeId.optional(),
    subscription_id: Bytes32.optional(),
    created_at: Timestamp,
  })
  .meta({ id: 'Alert' })

type Alert = z.output<typeof Alert>

/** As many as the largest page has. */
const subscriptionsMax = 200
const slashesMax = 50

export const listAlerts = defineRoute(
  {
    method: 'get',
    path: '/v1/me/alerts',
    operationId: 'listAlerts',
    tag: 'Account',
    summary: 'List what keeps your devices from earning',
    description: `Follows from the present state of your newest ${subscriptionsMax} open subscriptions and ${slashesMax} open slashes: an alert goes when its reason does. Critical ones come first, then the newest.`,
    auth: { session: true },
    responses: ok('All alerts.', z.strictObject({ items: z.array(Alert) }).meta({ id: 'AlertList' }), {
      items: [
        {
          id: `jailed:${subscriptionExample.subscription_id}`,
          type: 'jailed',
          severity: 'critical',
          message: 'A slash left too little collateral. Add some to work again.',
          project_id: subscriptionExample.project_id,
          node_id: subscriptionExample.node_id,
          subscription_id: subscriptionExample.subscription_id,
          created_at: example.time,
        },
      ],
    }),
  },
  async (c) => {
    const { clock, slashes } = c.var.services
    const lists = c.var.services.store(SubscriptionLists)
    const caller = callerOf(c)
    const now = await clock.now()
    const [watched, open] = await Promise.all([
      lists.listWatched(caller, subscriptionsMax),
      slashes.open(caller, slashesMax),
    ])
    const alerts = [...open.map(ofSlash), ...watched.flatMap((one) => ofSubscription(one, now))]
    const unique = [...new Map(alerts.map((alert) => [alert.id, alert])).values()]
    const isWarning = ({ severity }: Alert) => Number(severity === 'warning')
    return json({
      items: unique.sort((a, b) => isWarning(a) - isWarning(b) || b.created_at - a.created_at),
    })
  },
)

const offenceWords: Readonly<Record<OpenSlash['kind'], string>> = {
  equivocation: 'two different votes in one round',
  invalid_result: 'a vote for a wrong result',
  missed_sla: 'no vote in time',
}

const ofSlash = ({ evidenceHash, kind, projectId, subscriptionId, nodeId, createdAt }: OpenSlash): Alert => ({
  id: `slashing:${evidenceHash}`,
  type: 'slashing',
  severity: 'critical',
  message: `A slash may take collateral: ${offenceWords[kind]}. You can dispute it until it is executed.`,
  project_id: projectId,
  node_id: nodeId,
  subscription_id: subscriptionId,
  created_at: createdAt,
})

/** The alerts of a subscription that should work, but lacks something. */
function ofSubscription(row: WatchedSubscription, now: number): Alert[] {
  const { project_id, node_id, subscription_id, status, collateral_health, ...view } = subscriptionView(
    row,
    now,
  )
  const since = view.started_at ?? view.created_at
  const of = { project_id, node_id, subscription_id }
  const alert = (
    type: Alert['type'],
    severity: Alert['severity'],
    message: string,
    createdAt: number | null,
    about: Partial<typeof of> = of,
    name: string = type,
  ): Alert => ({
    ...{ id: `${name}:${about.subscription_id ?? node_id}`, type, severity, message },
    ...{ ...about, created_at: createdAt ?? since },
  })
  const device = { node_id }
  if (status === 'jailed')
    return [
      alert(
        'jailed',
        'critical',
        'A slash left too little collateral. Add some to work again.',
        lastLow(row),
      ),
    ]
  if (status !== 'active') return []
  const { answered, asked } = workSince([row.days], Math.floor(now / workDaySecs) - 1)
  return [
    ...(collateral_health === 'healthy'
      ? []
      : [
          alert(
            'low_collateral',
            collateral_health,
            'The collateral is at the minimum of the project or only a little above it. Add some.',
            since,
          ),
        ]),
    ...(row.listingStatus === 'paused'
      ? [alert('project_paused', 'warning', 'The project is paused and gives no work.', row.reviewedAt)]
      : []),
    ...(row.listingStatus === 'underfunded'
      ? [
          alert(
            'project_paused',
            'warning',
            'The vault of the project could not pay an epoch. Validators run its tasks until it is funded.',
            since,
          ),
        ]
      : []),
    ...(asked > answered
      ? [
          alert(
            'missed_leases',
            'warning',
            `Since yesterday, the device missed ${asked - answered} of the ${counted(asked, 'task')} that it was drawn for.`,
            row.lastProofAt,
          ),
        ]
      : []),
    ...deviceAlerts(),
  ]

  function deviceAlerts(): Alert[] {
    if (!view.device_bound)
      return [
        alert(
          'offline',
          'critical',
          'The device is not bound to your wallet, so it gets no work. Bind it again.',
          row.unboundAt ?? row.boundAt,
          device,
          'unbound',
        ),
      ]
    if (row.bannedAt !== null)
      return [
        alert(
          'offline',
          'critical',
          row.banReason === null
            ? 'An operator banned the device.'
            : `An operator banned the device: ${row.banReason}`,
          row.bannedAt,
          device,
          'banned',
        ),
      ]
    return [
      ...(row.linkState === 'offline'
        ? [alert('offline', 'warning', 'The device is offline.', row.linkStateAt ?? row.boundAt, device)]
        : []),
      ...(row.voteFaultAt === null
        ? []
        : [alert('proof_failure', 'critical', 'The device cast invalid votes.', row.voteFaultAt, device)]),
      ...(row.benchmarkFaultAt === null
        ? []
        : [
            alert(
              'proof_failure',
              'critical',
              'The benchmark of the device gives other receipts than the network.',
              row.benchmarkFaultAt,
              device,
              'benchmark',
            ),
          ]),
      ...(row.minerVersion !== null && isOlderVersion(row.minerVersion, nodectlVersionMin)
        ? [
            alert(
              'update_required',
              'critical',
              `The device runs version ${row.minerVersion}; the hub needs ${nodectlVersionMin} or newer.`,
              row.profileUpdatedAt,
              device,
            ),
          ]
        : []),
    ]
  }
}

/** When a slash last took collateral. */
const lastLow = ({ chain }: WatchedSubscription): number | null =>
  (chain as { slash_lows?: { at: number }[] } | null)?.slash_lows?.at(-1)?.at ?? null

import * as z from 'zod'
import { isAmount } from '../../../protocol/encoding/index.ts'
import { defaultNetworkParams, deriveSubscriptionId } from '../../../protocol/identity/index.ts'
import type { ProjectManifest } from '../../../protocol/manifest/index.ts'
import { GaslessPayload } from '../../actions/gasless-schema.ts'
import { preparePayload } from '../../actions/prepare.ts'
import { CompatibilityView, compatibilityExample, compatibilityView, profileOf } from '../../compatibility.ts'
import type { HubContext } from '../../context.ts'
import { ApiError, invalidField } from '../../errors.ts'
import { json } from '../../http/answer.ts'
import { Bytes32, PathNodeId } from '../../http/formats.ts'
import { sessionOf } from '../../middleware/authenticate.ts'
import { defineRoute, reply } from '../../route.ts'
import type { Device } from '../../stores/devices.ts'
import type { ProjectRecord } from '../../stores/projects.ts'
import { openSubscriptionsMax } from '../../stores/subscriptions.ts'
import { requireSubscription } from './access.ts'
import { bondAction, bondExample } from './bond.ts'
import { SubscriptionView, standingAt, subscriptionExample, subscriptionView } from './schema.ts'

const SubscriptionInput = z
  .strictObject({
    project_id: Bytes32,
    node_id: PathNodeId,
    collateral: z.string().describe('Amount of the bond, in base units, in decimal.'),
  })
  .meta({ id: 'SubscriptionInput' })

const Created = z
  .strictObject({ subscription: SubscriptionView, bond: GaslessPayload, compatibility: CompatibilityView })
  .meta({ id: 'CreatedSubscription' })

export const createSubscription = defineRoute(
  {
    method: 'post',
    path: '/v1/subscriptions',
    operationId: 'createSubscription',
    tag: 'Subscriptions',
    summary: 'Subscribe a device to a project',
    description:
      'Answers with the bond to sign. The subscription has no obligations before the bond. The device is eligible from the next epoch after the bond.',
    auth: { session: true },
    idempotent: true,
    stores: 'records',
    json: {
      schema: SubscriptionInput,
      example: {
        project_id: subscriptionExample.project_id,
        node_id: subscriptionExample.node_id,
        collateral: '6000000000000000000',
      },
    },
    errors: ['not_found', 'not_owner', 'incompatible', 'insufficient_collateral', 'already_exists'],
    responses: reply(
      201,
      'The subscription, which waits for its collateral.',
      Created,
      {
        subscription: subscriptionExample,
        bond: bondExample,
        compatibility: compatibilityExample,
      },
      { Location: 'The subscription.' },
    ),
  },
  async (c, { json: { project_id, node_id, collateral } }) => {
    const { subscriptions, clock } = c.var.services
    const now = await clock.now()
    const owner = sessionOf(c).address
    const record = await requireListed(c, project_id)
    if (!isAmount(collateral))
      throw invalidField('collateral', 'must be a decimal number of base units, below 2^256')
    const device = await requireOwnDevice(c, node_id, owner)
    const compatibility = requireCompatible(record, device)
    requireEnough(collateral, record.project.minCollateral)
    const subscriptionId = deriveSubscriptionId(project_id, owner, device.publicKey)
    const known = await subscriptions.find(subscriptionId)
    const isOpen = known !== null && standingAt(known, now).status !== 'closed'
    // An earlier try began it: what is left to do is to answer.
    const isBegun = isOpen && c.var.operation.isRetry && known.nodeId === node_id
    if (isOpen && !isBegun) throw alreadyOpen(subscriptionId)

    // Before the record: a chain that does not answer must not leave one that a second try finds in its way.
    const subscription = { projectId: project_id, nodeKey: device.publicKey }
    const bond = await preparePayload(c, bondAction(owner, subscription, collateral))
    if (!isBegun) {
      const { reputation_initial: reputation } = defaultNetworkParams
      const fresh = { ...subscription, subscriptionId, owner, nodeId: node_id, reputation }
      const created = await subscriptions.create(fresh, now)
      if (created === 'exists') throw alreadyOpen(subscriptionId)
      if (created === 'full')
        throw new ApiError(
          'conflict',
          `A wallet can have at most ${openSubscriptionsMax} open subscriptions. Withdraw from some, or use another wallet.`,
        )
    }
    const view = subscriptionView(await requireSubscription(c, subscriptionId), now)
    return json({ subscription: view, bond, compatibility }, 201, {
      Location: `/v1/subscriptions/${subscriptionId}`,
    })
  },
)

async function requireListed(c: HubContext, projectId: string): Promise<ProjectRecord> {
  const record = await c.var.services.projects.findRecord(projectId)
  if (record?.project.listingStatus !== 'listed')
    throw new ApiError('not_found', `The project ${projectId} does not exist or is not listed.`)
  return record
}

async function requireOwnDevice(c: HubContext, nodeId: string, owner: string): Promise<Device> {
  const device = await c.var.services.devices.find(nodeId)
  if (device?.owner !== owner)
    throw new ApiError(
      'not_owner',
      `The device ${nodeId} is not bound to your wallet; POST /v1/devices/bind binds it.`,
    )
  return device
}

function requireCompatible({ project, current }: ProjectRecord, device: Device) {
  const { scheduling } = JSON.parse(current.manifest) as ProjectManifest
  const view = compatibilityView(profileOf(device), scheduling.requirements, project.avgDailyReward)
  if (!view.compatible)
    throw new ApiError('incompatible', `The device does not meet: ${view.missing.join(', ')}.`, {
      details: { ...view },
    })
  return view
}

function requireEnough(collateral: string, minCollateral: string): void {
  if (BigInt(collateral) < BigInt(minCollateral))
    throw new ApiError(
      'insufficient_collateral',
      `The project requires at least ${minCollateral} base units of collateral.`,
      { details: { min_collateral: minCollateral } },
    )
}

const alreadyOpen = (subscriptionId: string): ApiError =>
  new ApiError('already_exists', 'This device is subscribed to this project already.', {
    details: { subscription_id: subscriptionId },
  })

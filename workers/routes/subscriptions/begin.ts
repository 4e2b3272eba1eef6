import * as z from 'zod'
import { isAmount } from '../../../protocol/encoding/index.ts'
import { defaultNetworkParams, deriveSubscriptionId } from '../../../protocol/identity/index.ts'
import type { RequestedAction } from '../../actions/action-calls.ts'
import { preparePayload } from '../../actions/prepare.ts'
import { compatibilityView, profileOf } from '../../compatibility.ts'
import type { HubContext } from '../../context.ts'
import { ApiError, invalidField } from '../../errors.ts'
import { Bytes32, PathNodeId } from '../../http/formats.ts'
import { sessionOf } from '../../middleware/authenticate.ts'
import type { DeviceRow } from '../../stores/devices.ts'
import { NewSubscriptionStore } from '../../stores/new-subscriptions.ts'
import type { ProjectOffer } from '../../stores/projects.ts'
import { openSubscriptionsMax } from '../../stores/subscriptions.ts'
import { standingAt } from './schema.ts'

export const SubscriptionInput = z
  .strictObject({
    project_id: Bytes32,
    node_id: PathNodeId,
    collateral: z.string().describe('Amount of the bond, in base units, in decimal.'),
  })
  .meta({ id: 'SubscriptionInput' })

type Input = z.output<typeof SubscriptionInput>

export interface Begun {
  subscriptionId: string
  projectId: string
  nodeId: string
  nodeKey: string
  collateral: string
  compatibility: ReturnType<typeof compatibilityView>
}

/**
 * Begins subscriptions of the caller's devices.
 * @param actionOf - The bond of those that began. @returns What became of each, and the payload of that bond.
 */
export async function beginSubscriptions(
  c: HubContext,
  inputs: readonly Input[],
  actionOf: (begun: readonly Begun[]) => RequestedAction,
) {
  const { clock, projects, devices } = c.var.services
  const newSubscriptions = c.var.services.store(NewSubscriptionStore)
  const owner = sessionOf(c).address
  const now = await clock.now()
  const [offers, bound] = await Promise.all([
    projects.offers(inputs.map(({ project_id }) => project_id)),
    devices.findAll(inputs.map(({ node_id }) => node_id)),
  ])
  const judged = inputs.map((input) =>
    judge(owner, input, offers.get(input.project_id), bound.get(input.node_id)),
  )
  const known = await newSubscriptions.findAll(
    judged.flatMap((one) => ('code' in one ? [] : one.subscriptionId)),
  )
  const named = new Set<string>()
  const fresh: Begun[] = []
  const outcomes = judged.map((one) => {
    if ('code' in one) return one
    const before = known.get(one.subscriptionId)
    const isOpen = before !== undefined && standingAt(before, now).status !== 'closed'
    // An earlier try began it: what is left to do is to answer.
    const isBegun = isOpen && c.var.operation.isRetry && before.nodeId === one.nodeId
    if (named.has(one.subscriptionId) || (isOpen && !isBegun)) return alreadyOpen(one.subscriptionId)
    named.add(one.subscriptionId)
    if (!isBegun) fresh.push(one)
    return one
  })
  const begun = outcomes.flatMap((one) => ('code' in one ? [] : one))
  const prepare = (those: readonly Begun[]) =>
    those.length === 0 ? null : preparePayload(c, actionOf(those))
  // Before the records: a chain that does not answer must not leave some that a second try finds in its way.
  const prepared = await prepare(begun)
  const { reputation_initial: reputation } = defaultNetworkParams
  const { created, isFull } = await newSubscriptions.create(
    fresh.map(({ collateral: _, compatibility: __, ...row }) => ({ ...row, owner, reputation })),
    now,
  )
  const lost = new Set(fresh.map(({ subscriptionId }) => subscriptionId).filter((id) => !created.has(id)))
  return {
    bond: lost.size === 0 ? prepared : await prepare(begun.filter((one) => !lost.has(one.subscriptionId))),
    outcomes: outcomes.map((one) => {
      if ('code' in one || !lost.has(one.subscriptionId)) return one
      return isFull ? full() : alreadyOpen(one.subscriptionId)
    }),
  }
}

/** Whether a device of the owner may work for a project with this collateral. */
function judge(
  owner: string,
  { project_id: projectId, node_id: nodeId, collateral }: Input,
  offer: ProjectOffer | undefined,
  device: DeviceRow | undefined,
): Begun | ApiError {
  if (offer?.listingStatus !== 'listed')
    return new ApiError('not_found', `The project ${projectId} does not exist or is not listed.`)
  if (!isAmount(collateral))
    return invalidField('collateral', 'must be a decimal number of base units, below 2^256')
  if (device?.owner !== owner)
    return new ApiError(
      'not_owner',
      `The device ${nodeId} is not bound to your wallet; POST /v1/devices/bind binds it.`,
    )
  const compatibility = compatibilityView(profileOf(device), offer.requirements, offer.avgDailyReward)
  if (!compatibility.compatible)
    return new ApiError(
      'incompatible',
      `The device does not meet these requirements: ${compatibility.missing.join(', ')}.`,
      {
        details: { ...compatibility },
      },
    )
  if (BigInt(collateral) < BigInt(offer.minCollateral))
    return new ApiError(
      'insufficient_collateral',
      `The project requires at least ${offer.minCollateral} base units of collateral.`,
      { details: { min_collateral: offer.minCollateral } },
    )
  const { publicKey: nodeKey } = device
  const subscriptionId = deriveSubscriptionId(projectId, owner, nodeKey)
  return { subscriptionId, projectId, nodeId, nodeKey, collateral, compatibility }
}

const alreadyOpen = (subscriptionId: string): ApiError =>
  new ApiError('already_exists', 'This device is subscribed to this project already.', {
    details: { subscription_id: subscriptionId },
  })

const full = (): ApiError =>
  new ApiError(
    'conflict',
    `A wallet can have at most ${openSubscriptionsMax} open subscriptions. Withdraw from some, or use another wallet.`,
  )

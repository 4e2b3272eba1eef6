import { type Action, type ActionContracts, actions, permittedAmount } from '../../protocol/actions/index.ts'
import { deriveSubscriptionId } from '../../protocol/identity/index.ts'
import type { TypedMessage } from '../../protocol/signatures/index.ts'
import { type AmountToken, amountText } from './contract-errors.ts'

export interface EffectFacts {
  token: AmountToken
  contracts: ActionContracts
  /** Collateral of the subscription before the action, in base units; null if unknown. */
  collateral: bigint | null
}

/** The subscription that an action is about; null for one about a project or several subscriptions. */
export function subscriptionOf(action: Action, message: TypedMessage): string | null {
  if (action !== 'bond') return message.subscriptionId === undefined ? null : String(message.subscriptionId)
  const { projectId, owner, nodeKey } = message
  return deriveSubscriptionId(String(projectId), String(owner), String(nodeKey))
}

function batchItems({ owner, projectIds, nodeKeys, amounts }: TypedMessage) {
  const keys = nodeKeys as readonly string[]
  const each = amounts as readonly string[]
  return (projectIds as readonly string[]).map((projectId, i) => ({
    projectId,
    subscriptionId: deriveSubscriptionId(projectId, String(owner), keys[i] ?? ''),
    amount: each[i] ?? '0',
  }))
}

/** The effects of an action, as sentences for the wallet that signs it. */
export function effectsOf(action: Action, message: TypedMessage, facts: EffectFacts): string[] {
  const { token, contracts, collateral } = facts
  const { owner, projectId } = message
  const subscription = () => subscriptionOf(action, message)
  const held = collateral === null ? 'the collateral' : `${amountText(collateral, token)} of collateral`
  switch (action) {
    case 'register_project':
      return [
        `Registers the project "${message.slug}" of ${message.developer} with its first version.`,
        `Names ${message.worker} as its worker module and ${message.manifestHash} as its manifest.`,
      ]
    case 'publish_version':
      return [
        `Publishes version ${message.version} of project ${projectId} with the manifest ${message.manifestHash}.`,
        'The version takes effect at the start of an epoch.',
      ]
    case 'bond': {
      const amount = amountText(String(message.amount ?? 0), token)
      return [
        `Moves ${amount} from ${owner} to the collateral of subscription ${subscription()} to project ${projectId}.`,
        `Allows the staking contract ${contracts.staking} to take ${amount}, by the permit.`,
      ]
    }
    case 'bond_batch': {
      const sum = amountText(permittedAmount(actions[action], message) ?? 0n, token)
      const items = batchItems(message)
      return [
        `Moves ${sum} from ${owner} to the collateral of ${items.length} subscriptions: all of it, or nothing.`,
        ...items.map(
          ({ amount, ...item }) =>
            `Adds ${amountText(amount, token)} to subscription ${item.subscriptionId} to project ${item.projectId}.`,
        ),
        `Allows the staking contract ${contracts.staking} to take ${sum}, by the permit.`,
      ]
    }
    case 'set_payout':
      return [
        `Pays later rewards of subscription ${subscription()} to ${message.payout}${message.payout === owner ? ', its owner' : ''}.`,
        'Epochs that are settled already keep their address.',
      ]
    case 'unbond':
      return [
        `Starts the unbonding of subscription ${subscription()}: its device gets no new work.`,
        `Locks ${held} until the unbonding ends.`,
      ]
    case 'withdraw':
      return [`Moves ${held} back to ${owner}.`, `Closes subscription ${subscription()}.`]
  }
}

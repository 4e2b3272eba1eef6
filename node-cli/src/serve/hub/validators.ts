import type { Profile } from '../../../../protocol/identity/index.ts'
import type { FactStore } from '../store/facts.ts'
import type { Sender, SenderStore } from '../store/senders.ts'
import type { HubClient } from './hub-client.ts'
import { readNetwork } from './network.ts'
import { readValidators } from './validator-list.ts'

const factName = 'senders_from'

/** Where the senders that are kept come from. */
export interface SenderSource {
  readonly client: HubClient
  /** The network that the node belongs to. */
  readonly profile: Profile
  readonly senders: SenderStore
  readonly facts: FactStore
}

/** What the hub said of the senders. */
export interface Refreshed {
  /** Whether they are others than before. */
  readonly isChanged: boolean
  /** One line for each validator that is not called, because of its address. */
  readonly problems: readonly string[]
}

/**
 * Asks the hub for the validators and its own key, and keeps them for as long as it does not answer. What it answers is
 * taken as a whole or not at all.
 *
 * @throws {@link HubError}, and those who are kept stay.
 */
export async function refreshSenders(source: SenderSource): Promise<Refreshed> {
  const { client, profile, senders, facts } = source
  const { coordinatorKey } = await readNetwork(client, profile)
  const { validators, problems } = await client.call({ method: 'GET', target: '/v1/validators' }, (answer) =>
    readValidators(answer, profile, client.isLocal),
  )
  const fresh: Sender[] = validators
    // The coordinator sends work and never votes, also where somebody registered its key.
    .filter(({ publicKey }) => publicKey !== coordinatorKey)
    .map(({ publicKey, url }) => ({ publicKey, role: 'validator', url }))
  if (coordinatorKey !== null) fresh.push({ publicKey: coordinatorKey, role: 'coordinator', url: null })
  const isChanged = describe(fresh) !== describe(senders.all())
  if (isChanged) senders.replace(fresh)
  const from = networkOf(source)
  if (facts.get(factName) !== from) facts.set(factName, from)
  return { isChanged, problems }
}

/** Forgets the senders of another network: whoever ran there says nothing here. */
export function dropForeignSenders(source: SenderSource): void {
  if (source.senders.all().length > 0 && source.facts.get(factName) !== networkOf(source))
    source.senders.replace([])
}

const networkOf = ({ client, profile }: SenderSource): string =>
  JSON.stringify({ hub: client.origin, network: profile.network, chain_id: profile.chain_id })

/** The same text for the same senders, in whatever order. */
const describe = (senders: readonly Sender[]): string =>
  senders
    .map(({ publicKey, role, url }) => JSON.stringify([publicKey, role, url]))
    .sort()
    .join('\n')

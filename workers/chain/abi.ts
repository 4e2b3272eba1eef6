import { type Abi, type AbiEvent, toEventSelector } from 'viem'
import {
  contractErrorsAbi,
  projectRegistryAbi,
  projectVaultAbi,
  stakingAbi,
  vaultFactoryAbi,
} from '../../contracts/generated/contracts.ts'

/** The events the hub applies, by the contract that emits them; it has no use for those of roles and domains. */
const applied: Record<Emitter, { abi: Abi; events: readonly string[] }> = {
  project_registry: {
    abi: projectRegistryAbi,
    events: ['ProjectRegistered', 'VersionPublished', 'ListingStatusSet'],
  },
  staking: {
    abi: stakingAbi,
    events: [
      'Bonded',
      'Unbonding',
      'Withdrawn',
      'PayoutSet',
      'SlashProposed',
      'SlashDisputed',
      'SlashUpheld',
      'SlashCancelled',
      'SlashExecuted',
    ],
  },
  vault_factory: { abi: vaultFactoryAbi, events: ['VaultCreated'] },
  vault: {
    abi: projectVaultAbi,
    events: [
      'VaultFunded',
      'EpochPosted',
      'EpochVetoed',
      'Claimed',
      'FeesPaid',
      'WithdrawalRequested',
      'FundsWithdrawn',
      'TermsSet',
    ],
  },
}

/** `vault` is any vault that the factory opened; the others are one contract each. */
export type Emitter = 'project_registry' | 'staking' | 'vault_factory' | 'vault'

const eventsOf = ({ abi, events }: (typeof applied)[Emitter]): AbiEvent[] =>
  events.map((name) => {
    const event = abi.find((item) => item.type === 'event' && item.name === name)
    if (event?.type !== 'event') throw new Error(`no contract declares the event ${name}`)
    return event
  })

/** The events by their first topic, each with who alone may say it. */
export const contractEvents: ReadonlyMap<string, { event: AbiEvent; emitter: Emitter }> = new Map(
  (Object.keys(applied) as Emitter[]).flatMap((emitter) =>
    eventsOf(applied[emitter]).map((event) => [toEventSelector(event), { event, emitter }] as const),
  ),
)

export const eventTopics: readonly string[] = [...contractEvents.keys()]

/** The errors of every contract, in one list: a revert may pass through a contract that does not declare it. */
export const contractErrors: Abi = contractErrorsAbi

import type { Abi, AbiEvent } from 'viem'
import { contractErrorsAbi } from '../../contracts/generated/errors.ts'
import {
  projectRegistryEvents,
  projectVaultEvents,
  stakingEvents,
  vaultFactoryEvents,
} from '../../contracts/generated/events.ts'

/** `vault` is any vault that the factory opened; the others are one contract each. */
export type Emitter = 'project_registry' | 'staking' | 'vault_factory' | 'vault'

/** The events the hub applies, by the contract that emits them; it has no use for those of roles and domains. */
const applied: Record<Emitter, readonly { topic: string; abi: AbiEvent }[]> = {
  project_registry: [
    projectRegistryEvents.ProjectRegistered,
    projectRegistryEvents.VersionPublished,
    projectRegistryEvents.ListingStatusSet,
  ],
  staking: [
    stakingEvents.Bonded,
    stakingEvents.Unbonding,
    stakingEvents.Withdrawn,
    stakingEvents.PayoutSet,
    stakingEvents.SlashProposed,
    stakingEvents.SlashDisputed,
    stakingEvents.SlashUpheld,
    stakingEvents.SlashCancelled,
    stakingEvents.SlashVoided,
    stakingEvents.SlashExecuted,
  ],
  // Staking has events of the same form, which say nothing of the posting of epochs: the address tells them apart.
  vault_factory: [vaultFactoryEvents.VaultCreated, vaultFactoryEvents.Paused, vaultFactoryEvents.Unpaused],
  vault: [
    projectVaultEvents.VaultFunded,
    projectVaultEvents.EpochPosted,
    projectVaultEvents.EpochVetoed,
    projectVaultEvents.EpochReopened,
    projectVaultEvents.Claimed,
    projectVaultEvents.FeesPaid,
    projectVaultEvents.WithdrawalRequested,
    projectVaultEvents.FundsWithdrawn,
    projectVaultEvents.TermsSet,
  ],
}

/** The events by their first topic, each with who alone may say it. */
export const contractEvents: ReadonlyMap<string, { event: AbiEvent; emitter: Emitter }> = new Map(
  (Object.keys(applied) as Emitter[]).flatMap((emitter) =>
    applied[emitter].map(({ topic, abi }) => [topic, { event: abi, emitter }] as const),
  ),
)

export const eventTopics: readonly string[] = [...contractEvents.keys()]

/** The errors of every contract, in one list: a revert may pass through a contract that does not declare it. */
export const contractErrors: Abi = contractErrorsAbi

import { encodeFunctionData, type Hex } from 'viem'
import { projectVaultAbi, vaultFactoryAbi } from '../../contracts/generated/contracts.ts'
import { type ChainState, unreservedFunds, vaultTerms } from '../chain/projections.ts'
import type { Env } from '../env.ts'
import { services } from '../services.ts'
import { recordEpochFigures } from '../settlement/epoch-figures.ts'
import type { HubAction } from '../stores/hub-actions.ts'
import type { HubActionRules, KnownStates, Progress, Wait } from './hub-action-rules.ts'

/** The vault and the epoch in the name of an epoch. */
function readSubject(subject: string): { vault: Hex; epoch: bigint } {
  const [vault, epoch = '0'] = subject.split(':')
  return { vault: vault as Hex, epoch: BigInt(epoch) }
}

const vaultCall = (subject: string, call: (epoch: bigint) => Hex): { to: string; data: Hex } => {
  const { vault, epoch } = readSubject(subject)
  return { to: vault, data: call(epoch) }
}

const isVetoed = (epoch: ChainState | null): boolean => epoch?.vetoed === true && epoch.reopened !== true

const isPosted = (epoch: ChainState | null, { merkle_root, receipt_hash }: HubAction['wanted']): boolean =>
  epoch?.vetoed === false && epoch.merkle_root === merkle_root && epoch.receipt_hash === receipt_hash

/** The clock of the chain may be behind that of the hub. */
const clockMarginSeconds = 60

/** When no veto can come any more. */
const standsFrom = (epoch: ChainState | null): number => Number(epoch?.release_at) + clockMarginSeconds

/**
 * The vault of a project is told what an epoch pays. It is done with when the challenge period is over: until then an
 * arbiter may take it back, and once the epoch is reopened the same root is posted again. Wanted: `merkle_root`,
 * `receipt_hash`, the totals, `token` and `epoch_secs`.
 */
export const postEpochRules: HubActionRules = {
  signer: 'relayer',
  stateKind: 'epoch',
  isThere: (state, wanted, now) => isPosted(state, wanted) && standsFrom(state) <= now,
  dependsOn: ({ vault_factory }, subject) => [
    { kind: 'vault', id: readSubject(subject).vault },
    { kind: 'posting', id: vault_factory },
  ],
  waitsFor: ({ own, others: [vault = null, posting = null] }, { subject, wanted }) => {
    if (isVetoed(own)) return { reason: 'An arbiter vetoed the epoch, and has not reopened it.' }
    if (isPosted(own, wanted)) return { reason: 'The challenge period runs.', until: standsFrom(own) }
    if (posting?.paused === true) return { reason: 'An arbiter has paused the posting of epochs.' }
    return unpayable(vault, readSubject(subject).epoch, wanted)
  },
  call: (_, subject, { merkle_root, receipt_hash, miner = '0', developer = '0', treasury = '0' }) =>
    vaultCall(subject, (epoch) =>
      encodeFunctionData({
        abi: projectVaultAbi,
        functionName: 'postEpoch',
        args: [
          epoch,
          merkle_root as Hex,
          receipt_hash as Hex,
          { miner: BigInt(miner), developer: BigInt(developer), treasury: BigInt(treasury) },
        ],
      }),
    ),
  onProgress: notePosting,
  onDone: (env, { subject }) => recordEpochFigures(env, subject),
  next: ({ subject }) => ({ kind: 'pay_fees', subject, wanted: {} }),
}

/** Why a vault cannot pay an epoch, as far as the index tells; the rest is the vault's to refuse. */
function unpayable(vault: ChainState | null, epoch: bigint, wanted: HubAction['wanted']): Wait | null {
  const { gross = '0', token, epoch_secs: epochSecs = '0' } = wanted
  if (vault === null) return { reason: 'The vault is not opened yet.' }
  if (vault.token !== token)
    return { reason: `The vault pays ${vault.token}, and the epoch is paid in ${token}.` }
  const end = (Number(epoch) + 1) * Number(epochSecs)
  if (end <= Number(vault.created_at)) return { reason: 'The epoch had ended when the vault was opened.' }
  // As the vault judges it: an epoch is paid by the terms that held in its last second.
  const terms = vaultTerms(vault, end - 1)
  if (terms !== null && end > terms.from) {
    if (terms.epoch_secs !== Number(epochSecs))
      return { reason: `The vault's epochs last ${terms.epoch_secs} s, the project's ${epochSecs} s.` }
    if (BigInt(gross) > BigInt(terms.epoch_cap))
      return { reason: `The epoch comes to ${gross}, and the vault pays ${terms.epoch_cap} at most.` }
  }
  const free = unreservedFunds(vault)
  return BigInt(gross) > free ? { reason: `The vault has ${free} free of the ${gross} it needs.` } : null
}

/** The receipt says how posting comes on, and the project whether its vault can pay. */
async function notePosting(
  env: Env,
  { subject, wanted }: HubAction,
  progress: Progress,
  { others: [vault = null] }: KnownStates,
): Promise<void> {
  const { epochs } = services(env)
  const isWaiting = progress.status === 'waiting'
  const isUnderfunded = isWaiting && unpayable(vault, readSubject(subject).epoch, wanted) !== null
  await epochs.note(subject, {
    state: isUnderfunded ? 'underfunded' : progress.status === 'sent' ? 'submitted' : 'attested',
    settlement: progress.status === 'waiting' ? 'queued' : progress.status,
    error: progress.reason,
  })
  await keepFundingInStep(env, subject, vault)
}

const unpostedMax = 1_000

/** A project is underfunded while one of its epochs exceeds what its vault has free. */
async function keepFundingInStep(env: Env, subject: string, vault: ChainState | null): Promise<void> {
  const { epochs, projectFunding, clock } = services(env)
  const row = await epochs.findBySubject(subject)
  if (row === null) return
  const free = vault === null ? 0n : unreservedFunds(vault)
  const unposted = await epochs.unposted(row.projectId, unpostedMax)
  const isFunded = unposted.every(({ totals }) => BigInt(totals.gross) <= free)
  await projectFunding.setFunded(row.projectId, isFunded, await clock.now())
}

/** Developer and treasury are paid their part of a released epoch. */
export const payFeesRules: HubActionRules = {
  signer: 'relayer',
  stateKind: 'epoch',
  isThere: ({ fees }) => fees === '0',
  call: (_, subject) =>
    vaultCall(subject, (epoch) =>
      encodeFunctionData({ abi: projectVaultAbi, functionName: 'payFees', args: [epoch] }),
    ),
}

/** An epoch is vetoed, or reopened: the newest wish holds. Wanted: `vetoed`, `yes` or `no`. */
export const vetoRules: HubActionRules = {
  signer: 'arbiter',
  stateKind: 'epoch',
  isThere: (state, { vetoed }) => isVetoed(state) === (vetoed === 'yes'),
  call: (_, subject, { vetoed }) =>
    vaultCall(subject, (epoch) =>
      encodeFunctionData({
        abi: projectVaultAbi,
        functionName: vetoed === 'yes' ? 'veto' : 'reopen',
        args: [epoch],
      }),
    ),
}

/** Posting is paused in all vaults at once, or goes on. The subject is the factory. Wanted: `paused`, `yes` or `no`. */
export const postingPauseRules: HubActionRules = {
  signer: 'arbiter',
  stateKind: 'posting',
  isThere: (state, { paused }) => state.paused === (paused === 'yes'),
  call: ({ vault_factory }, _, { paused }) => ({
    to: vault_factory,
    data: encodeFunctionData({
      abi: vaultFactoryAbi,
      functionName: paused === 'yes' ? 'pause' : 'unpause',
    }),
  }),
}

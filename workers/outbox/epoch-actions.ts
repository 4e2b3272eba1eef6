import { encodeFunctionData, type Hex } from 'viem'
import { projectVaultFunctions, vaultFactoryFunctions } from '../../contracts/generated/functions.ts'
import { isPostingPaused, nextPauseAt } from '../chain/pauses.ts'
import type { ChainState, VaultTerms } from '../chain/projections.ts'
import { recordEpochFigures } from '../earnings/epoch-figures.ts'
import { type EpochCost, isPaying, type Shortfall, shortfallOf } from '../earnings/vault-standing.ts'
import type { Env } from '../env.ts'
import { services } from '../services.ts'
import type { EpochRow } from '../stores/epochs.ts'
import type { HubAction } from '../stores/hub-actions.ts'
import type { Call, HubActionRules, KnownStates, Progress, Wait } from './hub-action-rules.ts'

function readSubject(subject: string): { vault: Hex; epoch: bigint } {
  const [vault, epoch = '0'] = subject.split(':')
  return { vault: vault as Hex, epoch: BigInt(epoch) }
}

/**
 * Gas that a call of a vault may take: what the contracts take (`contracts/gas.md`), and several times as much for the vault's token, whose
 * code is anybody's.
 */
const vaultGasMax = 1_000_000

const vaultCall = (subject: string, call: (epoch: bigint) => Hex): Call => {
  const { vault, epoch } = readSubject(subject)
  return { to: vault, data: call(epoch), gasMax: vaultGasMax }
}

const isVetoed = (epoch: ChainState | null): boolean => epoch?.vetoed === true && epoch.reopened !== true

const isPosted = (epoch: ChainState | null, { merkle_root, receipt_hash }: HubAction['wanted']): boolean =>
  epoch?.vetoed === false && epoch.merkle_root === merkle_root && epoch.receipt_hash === receipt_hash

/** When an index that is late is looked at again; what it reads makes due what waits for it. */
const readSeconds = 60
/** The newest blocks may be replaced by others, which have a veto. */
const marginSeconds = 60

/** When the index has to have a block so that no veto can come any more. */
const standsFrom = (epoch: ChainState | null): number => Number(epoch?.release_at) + marginSeconds

/**
 * The vault of a project is told what an epoch pays. It is done when the challenge period is over: until then an arbiter may veto it, and once
 * it is reopened the same root is posted again. Wanted: `merkle_root`, `receipt_hash`, the totals, `token` and `epoch_secs`.
 */
export const postEpochRules: HubActionRules = {
  signer: 'relayer',
  stateKind: 'epoch',
  // By the index: a veto may be in a block that it does not have yet.
  isThere: (state, wanted, _, readUntil) => isPosted(state, wanted) && standsFrom(state) <= readUntil,
  dependsOn: ({ vault_factory }, subject) => [
    { kind: 'vault', id: readSubject(subject).vault },
    { kind: 'posting', id: vault_factory },
  ],
  waitsFor: ({ own, others: [vault = null, posting = null], isBehind }, action, now) => {
    const { wanted } = action
    // An event that is missing here may only not be indexed yet.
    if (isBehind)
      return {
        reason: 'The chain index has not reached the head of the chain yet.',
        until: now + readSeconds,
      }
    if (isVetoed(own)) return { reason: 'An arbiter vetoed the epoch, and has not reopened it.' }
    if (isPosted(own, wanted))
      return {
        reason: 'The challenge period has not ended, as far as the chain index goes.',
        until: Math.max(standsFrom(own), now + readSeconds),
      }
    if (posting !== null && isPostingPaused(posting, now))
      return { reason: 'An arbiter has paused the posting of epochs.', ...untilOf(posting) }
    const shortfall = shortfallOf(vault, costOf(action))
    return shortfall && unpayable(vault, shortfall, now)
  },
  call: (_, subject, { merkle_root, receipt_hash, miner = '0', developer = '0', treasury = '0' }) =>
    vaultCall(subject, (epoch) =>
      encodeFunctionData({
        abi: projectVaultFunctions,
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

/** The wait of an epoch for which the vault lacks something. New terms, which hold from a time on, may end it. */
const unpayable = (vault: ChainState | null, shortfall: Shortfall, now: number): Wait => {
  const { from } = (vault?.next_terms ?? {}) as Partial<VaultTerms>
  return { reason: shortfall.reason, ...(from !== undefined && from > now && { until: from }) }
}

const costOf = ({ subject, wanted }: HubAction): EpochCost => {
  const { gross = '0', token = '', epoch_secs: epochSecs = '0' } = wanted
  return { epoch: Number(readSubject(subject).epoch), gross, token, epochSecs: Number(epochSecs) }
}

/** The receipt says how posting comes on, and the project whether its vault can pay. */
async function notePosting(
  env: Env,
  action: HubAction,
  progress: Progress,
  { others: [vault = null], isBehind }: KnownStates,
): Promise<void> {
  const { epochs } = services(env)
  const isWaiting = progress.status === 'waiting'
  const isUnderfunded = isWaiting && !isBehind && shortfallOf(vault, costOf(action)) !== null
  await epochs.note(action.subject, {
    state: isUnderfunded ? 'underfunded' : progress.status === 'sent' ? 'submitted' : 'attested',
    settlement: progress.status === 'waiting' ? 'queued' : progress.status,
    error: progress.reason,
  })
  if (!isBehind) await keepFundingInStep(env, action, vault)
}

const unpostedMax = 1_000

/** A project is underfunded while its vault does not pay what it owes ([why](../../docs/decisions/0017-when-a-vault-pays-an-epoch.md)). */
async function keepFundingInStep(env: Env, action: HubAction, vault: ChainState | null): Promise<void> {
  const { epochs, projects, projectDecisions, clock } = services(env)
  const row = await epochs.findBySubject(action.subject)
  const record = row && (await projects.findRecord(row.projectId))
  if (row === null || record === null) return
  const now = await clock.now()
  const pays = (costs: readonly EpochCost[]) => isPaying(vault, costs, record.current.epochSecs, now)
  const cost = costOf(action)
  const isOpen = row.state !== 'settled' && row.state !== 'vetoed'
  // If the vault does not pay this epoch, that decides it, and the others need not be read.
  const isFunded =
    (!isOpen || pays([cost])) &&
    pays((await epochs.unposted(row.projectId, unpostedMax)).map((one) => costOfRow(one, cost.token)))
  await projectDecisions.setFunded(row.projectId, isFunded, now)
}

/** The cost of another epoch of a project, taken as one in `token`: whether the vault pays an epoch's token counts for that epoch alone. */
const costOfRow = ({ epoch, epochSecs, totals }: EpochRow, token: string): EpochCost => ({
  epoch,
  epochSecs,
  token,
  gross: totals.gross,
})

/** Developer and treasury are paid their part of a released epoch. A token may refuse one of them for ever. */
export const payFeesRules: HubActionRules = {
  signer: 'relayer',
  pauseSecondsMax: 86_400,
  restsAfter: 12,
  stateKind: 'epoch',
  isThere: ({ fees }) => fees === '0',
  call: (_, subject) =>
    vaultCall(subject, (epoch) =>
      encodeFunctionData({ abi: projectVaultFunctions, functionName: 'payFees', args: [epoch] }),
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
        abi: projectVaultFunctions,
        functionName: vetoed === 'yes' ? 'veto' : 'reopen',
        args: [epoch],
      }),
    ),
}

const untilOf = ({ paused_until: until }: ChainState): Pick<Wait, 'until'> =>
  until === undefined ? {} : { until: Number(until) }

/** Posting is paused in all vaults at once, or goes on. The subject is the factory. Wanted: `paused`, `yes` or `no`. */
export const postingPauseRules: HubActionRules = {
  signer: 'arbiter',
  stateKind: 'posting',
  isThere: (state, { paused }, now) => isPostingPaused(state, now) === (paused === 'yes'),
  waitsFor: ({ own }, { wanted }, now) => {
    const until = own === null || wanted.paused !== 'yes' ? null : nextPauseAt(own, now)
    return until === null
      ? null
      : { reason: 'The next pause begins a day after the last one at the soonest.', until }
  },
  call: ({ vault_factory }, _, { paused }) => ({
    to: vault_factory,
    data: encodeFunctionData({
      abi: vaultFactoryFunctions,
      functionName: paused === 'yes' ? 'pause' : 'unpause',
    }),
  }),
}

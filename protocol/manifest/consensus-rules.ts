import type { MemberChecker } from '../encoding/index.ts'
import { isAddress, isAmount, isBytes32, isIntegerFrom, isObject, isSetOf } from '../encoding/index.ts'
import type { NetworkParams } from '../identity/index.ts'
import { epochLengths } from './project-manifest.ts'

/** The parameters of a network that bound what a manifest may ask for. */
export type ConsensusBounds = Pick<
  NetworkParams,
  | 'committee_max_backups'
  | 'committee_max_size'
  | 'committee_min_size'
  | 'dispute_window_secs_max'
  | 'dispute_window_secs_min'
  | 'min_collateral_floor'
  | 'slash_invalid_result_bp_max'
  | 'slash_missed_sla_bp_max'
  | 'treasury_bp_min'
>

const minCollateralMax = 10n ** 24n

/**
 * Checks the tier `consensus` of a manifest (section 6.1).
 * @param vault The vault of this project, undefined where it cannot be derived.
 */
export function checkConsensus(
  root: MemberChecker,
  bounds: ConsensusBounds,
  vault: string | undefined,
): void {
  const consensus = root.object('consensus', ['modules', 'work', 'economics'])
  const modules = consensus.object('modules', ['worker', 'verifier'])
  modules.check('worker', isBytes32, 'The address of a module.')
  modules.constant('verifier', null)
  checkWork(consensus, bounds)
  checkEconomics(consensus, bounds, vault)
}

function checkWork(consensus: MemberChecker, bounds: ConsensusBounds): void {
  const work = consensus.object('work', [
    'class',
    'verification',
    'execution',
    'functions',
    'task_source',
    'max_gas_limit',
    'committee',
    'round_secs',
    'lease_secs',
    'epoch_secs',
    'dispute_window_secs',
  ])
  work.constant('class', 'deterministic', 'unsupported')
  work.constant('verification', 'redundant-execution', 'unsupported')
  work.constant('execution', 'committee', 'unsupported')
  work.check(
    'functions',
    (value) => isSetOf(value, 1, 64, (name) => name !== ''),
    '1 to 64 different names of functions.',
  )
  checkTaskSource(work)
  work.integer('max_gas_limit', 1, 10 ** 10)
  const roundSecs = work.integer('round_secs', 10, 600)
  work.integer('lease_secs', 5, roundSecs ?? 600)
  const lengths: readonly unknown[] = epochLengths
  work.check('epoch_secs', (value) => lengths.includes(value), `One of ${epochLengths.join(', ')}.`)
  work.integer('dispute_window_secs', bounds.dispute_window_secs_min, bounds.dispute_window_secs_max)

  const committee = work.object('committee', [
    'size',
    'min_size',
    'backups',
    'selection',
    'weight_cap_multiple',
  ])
  const size = committee.integer('size', bounds.committee_min_size, bounds.committee_max_size)
  committee.integer('min_size', bounds.committee_min_size, size ?? bounds.committee_max_size)
  committee.integer('backups', 0, bounds.committee_max_backups)
  committee.constant('selection', 'collateral-reputation-sortition-v1')
  committee.integer('weight_cap_multiple', 1, 100)
}

/** Another kind is a feature this network lacks, so the members it may need are not judged. */
function checkTaskSource(work: MemberChecker): void {
  const source = work.check('task_source', isObject, 'An object.')
  if (source === undefined) return
  const kind = source.kind
  if (kind !== undefined && kind !== 'api')
    work.report('task_source.kind', 'unsupported', 'Tasks come from the API: "api".')
  else if (kind === 'api' && Object.keys(source).length > 1)
    work.report('task_source', 'unknown_key', 'Exactly {"kind": "api"}.')
  else if (kind === undefined) work.object('task_source', ['kind'])
}

function checkEconomics(consensus: MemberChecker, bounds: ConsensusBounds, vault: string | undefined): void {
  const economics = consensus.object('economics', [
    'reward_token',
    'vault',
    'reward_model',
    'reward_per_unit',
    'daily_emission',
    'fee_split_bp',
    'max_units_per_epoch',
    'max_recipients_per_epoch',
    'min_collateral',
    'slashing_bp',
  ])
  economics.check('reward_token', isAddress, 'An address in lower case.')
  economics.check(
    'vault',
    (value) => isAddress(value) && (vault === undefined || value === vault),
    vault === undefined ? 'An address in lower case.' : `The vault of this project is ${vault}.`,
  )
  economics.check(
    'reward_model',
    (value) => value === 'per-unit' || value === 'epoch-pool',
    'Either "per-unit" or "epoch-pool".',
    'unsupported',
  )
  const isPool = economics.value('reward_model') === 'epoch-pool'
  economics.check(
    'reward_per_unit',
    (value) => isAmount(value) && (value === '0') === isPool,
    isPool ? '"0" with the model "epoch-pool".' : 'An amount above 0, as a decimal string.',
  )
  economics.check(
    'daily_emission',
    (value) => isAmount(value) && value !== '0',
    'An amount above 0, as a decimal string.',
  )
  checkFeeSplit(economics, bounds.treasury_bp_min)
  economics.integer('max_units_per_epoch', 1, 10 ** 9)
  economics.integer('max_recipients_per_epoch', 1, 10_000)
  const floor = BigInt(bounds.min_collateral_floor)
  economics.check(
    'min_collateral',
    (value) => isAmount(value) && BigInt(value) >= floor && BigInt(value) <= minCollateralMax,
    `An amount from ${floor} to ${minCollateralMax}, as a decimal string.`,
  )
  const slashing = economics.object('slashing_bp', ['invalid_result', 'missed_sla'])
  slashing.integer('invalid_result', 0, bounds.slash_invalid_result_bp_max)
  slashing.integer('missed_sla', 0, bounds.slash_missed_sla_bp_max)
}

/** Keys, then ranges, then the sum, then the network's minimum: each is reported only when the one before holds. */
function checkFeeSplit(economics: MemberChecker, treasuryMin: number): void {
  const split = economics.object('fee_split_bp', ['developer', 'miner', 'treasury'])
  if (!split.isComplete) return
  const [miner, developer, treasury] = ['miner', 'developer', 'treasury'].map((key) => split.value(key))
  const isShare = isIntegerFrom(0, 5000)
  if (!isIntegerFrom(5000, 10_000)(miner) || !isShare(developer) || !isShare(treasury))
    split.report(null, 'invalid_value', 'miner 5000 to 10000, developer and treasury 0 to 5000.')
  else if (miner + developer + treasury !== 10_000)
    split.report(null, 'invalid_fee_split', 'The three shares give 10000 in sum.')
  else if (treasury < treasuryMin)
    split.report('treasury', 'invalid_value', `At least ${treasuryMin} on this network.`)
}

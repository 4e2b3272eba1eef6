import {
  basisPointsMax,
  foundValue,
  isAddress,
  isAmount,
  isBytes32,
  isIntegerIn,
  isObject,
  isOneOf,
  isSetOf,
  type MemberChecker,
} from '../encoding/index.ts'
import {
  economicsRanges,
  feeShareRanges,
  minCollateralMax,
  networkRanges,
  type ProjectRulesBounds,
  workRanges,
} from './manifest-limits.ts'
import {
  committeeSelection,
  epochLengths,
  isRewardModel,
  rewardModels,
  taskSourceKind,
  workKind,
} from './project-manifest.ts'

const moduleAddress = '0x and 64 hex digits in lower case'
const address = '0x and 40 hex digits in lower case'
const amount = 'in base units, as a decimal string without leading zeros'

/**
 * Checks the tier `consensus` of a manifest (section 6.1).
 * @param vault The vault of this project, undefined if it cannot be derived.
 */
export function checkProjectRules(
  root: MemberChecker,
  bounds: ProjectRulesBounds,
  vault: string | undefined,
): void {
  const consensus = root.object('consensus', ['modules', 'work', 'economics'])
  const modules = consensus.object('modules', ['worker', 'verifier'])
  modules.check('worker', isBytes32, `The address of a module, ${moduleAddress}.`)
  modules.constant('verifier', null)
  checkWork(consensus, bounds)
  checkEconomics(consensus, bounds, vault)
}

function checkWork(consensus: MemberChecker, bounds: ProjectRulesBounds): void {
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
  for (const [key, only] of Object.entries(workKind)) work.constant(key, only, 'unsupported')
  const { functions, lease_secs, round_secs } = workRanges
  work.check(
    'functions',
    (value) => isSetOf(value, functions.min, functions.max, (name) => name !== ''),
    `A list of ${functions.min} to ${functions.max} different names of functions that the module exports, none of them empty.`,
  )
  checkTaskSource(work)
  work.integer('max_gas_limit', workRanges.max_gas_limit)
  const roundSecs = work.integer('round_secs', round_secs)
  work.integer('lease_secs', { ...lease_secs, max: roundSecs ?? lease_secs.max }, ', not above round_secs')
  work.check('epoch_secs', isOneOf(epochLengths), `One of ${epochLengths.join(', ')}, in seconds.`)
  const { dispute_window_secs, committee_size, backups } = networkRanges(bounds)
  work.integer('dispute_window_secs', dispute_window_secs)

  const committee = work.object('committee', [
    'size',
    'min_size',
    'backups',
    'selection',
    'weight_cap_multiple',
  ])
  const size = committee.integer('size', committee_size)
  committee.integer('min_size', { ...committee_size, max: size ?? committee_size.max }, ', not above size')
  committee.integer('backups', backups)
  committee.constant('selection', committeeSelection)
  committee.integer('weight_cap_multiple', workRanges.weight_cap_multiple)
}

/** Another kind is a feature this network lacks, so the members it may need are not judged. */
function checkTaskSource(work: MemberChecker): void {
  const source = work.check('task_source', isObject, 'An object.')
  if (source === undefined) return
  const kind = source.kind
  if (kind !== undefined && kind !== taskSourceKind)
    work.report(
      'task_source.kind',
      'unsupported',
      `Found ${foundValue(kind)}. Write "${taskSourceKind}": tasks of this network come from the API.`,
    )
  else if (kind === taskSourceKind && Object.keys(source).length > 1)
    work.report(
      'task_source',
      'unknown_key',
      `Found ${Object.keys(source).length} members. Remove all but "kind": "${taskSourceKind}".`,
    )
  else if (kind === undefined) work.object('task_source', ['kind'])
}

function checkEconomics(
  consensus: MemberChecker,
  bounds: ProjectRulesBounds,
  vault: string | undefined,
): void {
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
  economics.check('reward_token', isAddress, `The address of a token, ${address}.`)
  economics.check(
    'vault',
    (value) => isAddress(value) && (vault === undefined || value === vault),
    vault === undefined
      ? `The address of the vault, ${address}.`
      : `${vault}: the vault address follows from developer and slug.`,
  )
  economics.check('reward_model', isRewardModel, `One of ${rewardModels.join(', ')}.`, 'unsupported')
  const isPool = economics.value('reward_model') === 'epoch-pool'
  economics.check(
    'reward_per_unit',
    (value) => isAmount(value) && (value === '0') === isPool,
    isPool
      ? '"0", since the model "epoch-pool" pays nothing for a unit, or choose "per-unit".'
      : `An amount above 0, ${amount}, or choose the model "epoch-pool".`,
  )
  economics.check(
    'daily_emission',
    (value) => isAmount(value) && value !== '0',
    `An amount above 0, ${amount}.`,
  )
  checkFeeSplit(economics, bounds.treasury_bp_min)
  economics.integers(economicsRanges)
  const floor = BigInt(bounds.min_collateral_floor)
  economics.check(
    'min_collateral',
    (value) => isAmount(value) && BigInt(value) >= floor && BigInt(value) <= minCollateralMax,
    `An amount from ${floor} to ${minCollateralMax}, ${amount}.`,
  )
  const slashing = economics.object('slashing_bp', ['invalid_result', 'missed_sla'])
  slashing.integers(networkRanges(bounds).slashing_bp)
}

/** Keys, then ranges, then the sum, then the network's minimum: each is reported only when the one before holds. */
function checkFeeSplit(economics: MemberChecker, treasuryMin: number): void {
  const split = economics.object('fee_split_bp', ['developer', 'miner', 'treasury'])
  if (!split.isComplete) return
  const [developer, miner, treasury] = [
    split.value('developer'),
    split.value('miner'),
    split.value('treasury'),
  ]
  const { developer: ofDeveloper, miner: ofMiner, treasury: ofTreasury } = feeShareRanges
  if (
    !isIntegerIn(ofDeveloper)(developer) ||
    !isIntegerIn(ofMiner)(miner) ||
    !isIntegerIn(ofTreasury)(treasury)
  )
    split.report(
      null,
      'invalid_value',
      `Found ${sharesFound(split)}. Write integers in basis points: ${shareRanges}.`,
    )
  else if (miner + developer + treasury !== basisPointsMax)
    split.report(
      null,
      'invalid_fee_split',
      `Found ${sharesFound(split)}, which add up to ${miner + developer + treasury}. Write shares that add up to ${basisPointsMax}.`,
    )
  else if (treasury < treasuryMin)
    split.report(
      'treasury',
      'invalid_value',
      `Found ${treasury}. Write ${treasuryMin} or more, the minimum of this network, and reduce another share by the same amount.`,
    )
}

const sharesFound = (split: MemberChecker): string =>
  Object.keys(feeShareRanges)
    .map((name) => `${name} ${foundValue(split.value(name))}`)
    .join(', ')

const shareRanges = Object.entries(feeShareRanges)
  .map(([name, { min, max }]) => `${name} ${min} to ${max}`)
  .join(', ')

import { type Attestation, countAttestations, createAttestation, epochStart } from '../committees/index.ts'
import {
  encodeCanonicalJson,
  FormatError,
  type Hex,
  hasExactKeys,
  hashCanonicalJson,
  hasShape,
  isAddress,
  isAmount,
  isAscending,
  isBytes32,
  isObject,
  isUnsigned,
  type Shape,
} from '../encoding/index.ts'
import { epochRoundId, type NetworkParams, type Profile, profileStrings } from '../identity/index.ts'
import {
  hashProjectRules,
  isRewardModel,
  type ProjectRules,
  type RewardModel,
  rewardModels,
} from '../manifest/index.ts'
import { type RoundVote, signVote, type VoteSignatures } from '../rounds/index.ts'
import type { Ed25519Verifier, SigningKey } from '../signatures/index.ts'
import { buildPayoutTree, type PayoutTree } from './merkle.ts'
import { capUnits, computeRewards, type MinerUnits, type RewardTotals } from './rewards.ts'

/** A recipient of an epoch. `amount` may be `"0"`; such a recipient is listed and has no leaf in the tree. */
export interface ComputeUnits extends MinerUnits {
  readonly amount: string
}

/** The receipt body that validators attest for one (project, epoch). Exactly these members are hashed. */
export interface EpochReceiptBody {
  readonly v: 2
  readonly chain_id: number
  readonly vault_address: string
  readonly project_id: string
  readonly consensus_hash: string
  /** The epoch. */
  readonly round: number
  readonly epoch_secs: number
  readonly reward_token: string
  readonly reward_model: RewardModel
  /** Ascending by miner. */
  readonly compute_units: readonly ComputeUnits[]
  readonly totals: RewardTotals
  /** The root of the tree of all payouts above 0 (section 22). */
  readonly merkle_root: string
}

/** The wire form. */
export interface EpochReceipt extends EpochReceiptBody {
  readonly receipt_hash: string
  /** In any order. */
  readonly attestations: readonly Attestation[]
}

/** States of an epoch of a project. */
export const epochStates = [
  'open',
  'closed',
  'attested',
  'submitted',
  'settled',
  'released',
  'vetoed',
  'underfunded',
] as const

/** States of the settlement of an epoch on chain. */
export const settlementStates = [
  'queued',
  'signed',
  'sent',
  'settled',
  'released',
  'vetoed',
  'reverted',
  'failed',
] as const

const bodyKeys = [
  'v',
  'chain_id',
  'vault_address',
  'project_id',
  'consensus_hash',
  'round',
  'epoch_secs',
  'reward_token',
  'reward_model',
  'compute_units',
  'totals',
  'merkle_root',
] as const

/** The inputs that an epoch receipt is built from. */
export interface EpochSettlement {
  readonly project_id: string
  readonly epoch: number
  /** The rules of the version that the epoch ran under. */
  readonly consensus: ProjectRules
  /** After both caps (section 21), ascending by miner. */
  readonly units: readonly MinerUnits[]
}

/** A receipt with the tree that its vault pays from. */
export interface BuiltEpochReceipt {
  readonly body: EpochReceiptBody
  readonly tree: PayoutTree
}

/**
 * Writes the receipt of an epoch (section 23).
 * @returns null when there are no units or every amount is 0: there is nothing to settle.
 * @throws {@link FormatError}
 */
export function buildEpochReceipt(profile: Profile, settlement: EpochSettlement): BuiltEpochReceipt | null {
  const { project_id, epoch, consensus, units } = settlement
  const { economics, work } = consensus
  const { shares, totals } = computeRewards(economics, work.epoch_secs, units)
  const computeUnits = shares.map(({ miner, units: own, amount }) => ({ miner, units: own, amount }))
  const tree = buildPayoutTree(project_id, epoch, computeUnits)
  if (tree === null) return null
  const body: EpochReceiptBody = {
    v: 2,
    chain_id: profile.chain_id,
    vault_address: economics.vault,
    project_id,
    consensus_hash: hashProjectRules(consensus),
    round: epoch,
    epoch_secs: work.epoch_secs,
    reward_token: economics.reward_token,
    reward_model: economics.reward_model,
    compute_units: computeUnits,
    totals,
    merkle_root: tree.root,
  }
  return { body, tree }
}

/** The hashed members of a receipt. */
export function epochReceiptBody(receipt: EpochReceiptBody): EpochReceiptBody {
  return Object.fromEntries(bodyKeys.map((key) => [key, receipt[key]])) as unknown as EpochReceiptBody
}

/** Hashes a receipt: `HC` of its body, without `receipt_hash` and attestations. Throws {@link CanonicalJsonError}. */
export function hashEpochReceipt(receipt: EpochReceiptBody): Hex {
  return hashCanonicalJson(epochReceiptBody(receipt))
}

/** The text of an attestation: `<prefix>-reward-v2:` + `receipt_hash`. */
export function epochReceiptText(profile: Profile, receiptHash: string): string {
  return profileStrings(profile).reward_v2 + receiptHash
}

/** Attests a receipt that the validator computed itself. Throws {@link FormatError}. */
export function attestEpochReceipt(profile: Profile, key: SigningKey, receiptHash: string): Attestation {
  return createAttestation(profile, key, epochReceiptText(profile, receiptHash))
}

/** The vote of a validator in one leader attempt. */
export interface EpochVote extends VoteSignatures {
  readonly kind: 'epoch'
  readonly round_id: string
  readonly receipt_hash: string
}

/** Signs the vote of a validator for an epoch's receipt. Throws {@link FormatError} for a malformed seed. */
export function createEpochVote(
  profile: Profile,
  key: SigningKey,
  receipt: EpochReceiptBody,
  attempt: number,
): EpochVote {
  const round = {
    kind: 'epoch',
    round_id: epochRoundId(receipt.project_id, receipt.round, attempt),
    receipt_hash: hashEpochReceipt(receipt),
  } as const satisfies RoundVote
  return { ...round, ...signVote(profile, key, round) }
}

/** When a leader attempt starts, in Unix seconds: epoch end + `settle` + attempt × `attempt_secs`. */
export function attemptStart(
  epoch: number,
  epochSecs: number,
  attempt: number,
  params: Pick<NetworkParams, 'settle' | 'attempt_secs'>,
): number {
  return epochStart(epoch + 1, epochSecs) + params.settle + attempt * params.attempt_secs
}

/** Longest time that validators take to make a round final after its deadline, in seconds (section 23). */
export const finalitySeconds = 360

/**
 * How long the receipt of an epoch waits for its open rounds: until `round_secs` and 360 s after its end, in Unix seconds. A
 * round that is final later is paid by nobody.
 */
export function receiptWaitsUntil(
  epoch: number,
  { epoch_secs, round_secs }: Pick<ProjectRules['work'], 'epoch_secs' | 'round_secs'>,
): number {
  return epochStart(epoch + 1, epoch_secs) + round_secs + finalitySeconds
}

/**
 * Reads the wire form: exactly its members, each of its format, units ascending by miner. Attestations are only a list here;
 * {@link countEpochAttestations} judges them.
 * @throws {@link FormatError} naming the member.
 */
export function parseEpochReceipt(value: unknown): EpochReceipt {
  const refuse = (field: string, expected: string): never => {
    throw new FormatError(field, expected)
  }
  const keys = [...bodyKeys, 'receipt_hash', 'attestations']
  if (!isObject(value) || !hasExactKeys(value, keys))
    return refuse('receipt', `an object with exactly ${keys.join(', ')}`)
  if (value.v !== 2) refuse('v', '2')
  for (const key of ['chain_id', 'round', 'epoch_secs'])
    if (!isUnsigned(value[key])) refuse(key, 'an integer')
  for (const key of ['vault_address', 'reward_token'])
    if (!isAddress(value[key])) refuse(key, 'an address in lower case')
  for (const key of ['project_id', 'consensus_hash', 'merkle_root', 'receipt_hash'])
    if (!isBytes32(value[key])) refuse(key, '32 bytes in lower-case hex')
  if (!isRewardModel(value.reward_model)) refuse('reward_model', rewardModels.join(' or '))
  if (!Array.isArray(value.compute_units) || !value.compute_units.every(isComputeUnits))
    return refuse('compute_units', 'a list of {miner, units, amount}')
  if (!isAscending(value.compute_units.map((one) => one.miner))) refuse('compute_units', 'ascending by miner')
  if (!hasShape(value.totals, totalsShape)) refuse('totals', '{units, gross, miner, developer, treasury}')
  if (!Array.isArray(value.attestations)) refuse('attestations', 'a list')
  return value as unknown as EpochReceipt
}

const computeUnitsShape: Shape = {
  miner: isAddress,
  units: (value) => isUnsigned(value) && value > 0,
  amount: isAmount,
}
const totalsShape: Shape = {
  units: isUnsigned,
  gross: isAmount,
  miner: isAmount,
  developer: isAmount,
  treasury: isAmount,
}
const isComputeUnits = (value: unknown): value is ComputeUnits => hasShape(value, computeUnitsShape)

/** How many of the current validators attested a receipt; a quorum is needed. */
export function countEpochAttestations(
  profile: Profile,
  receipt: EpochReceipt,
  validators: readonly string[],
  verify?: Ed25519Verifier,
): number {
  const text = epochReceiptText(profile, hashEpochReceipt(receipt))
  return countAttestations(profile, text, receipt.attestations, validators, verify)
}

/** A receipt that recomputes, or the first member that says anything else than the units give. */
export type RecomputedReceipt =
  | { readonly built: BuiltEpochReceipt }
  | { readonly differs: keyof EpochReceiptBody | 'receipt_hash' }

/**
 * Computes a receipt again from its units under the project's consensus: caps kept, amounts, totals, root and hash. The
 * units themselves only a validator with the final records can judge. Units that come to nothing have no receipt, so they
 * differ.
 */
export function recomputeEpochReceipt(
  profile: Profile,
  receipt: EpochReceipt,
  consensus: ProjectRules,
): RecomputedReceipt {
  const { max_recipients_per_epoch, max_units_per_epoch } = consensus.economics
  const units = receipt.compute_units.map(({ miner, units: own }) => ({ miner, units: own }))
  const built = buildEpochReceipt(profile, {
    project_id: receipt.project_id,
    epoch: receipt.round,
    consensus,
    units: capUnits(units, max_recipients_per_epoch, max_units_per_epoch),
  })
  if (built === null) return { differs: 'compute_units' }
  const differs = bodyKeys.find(
    (member) => encodeCanonicalJson(built.body[member]) !== encodeCanonicalJson(receipt[member]),
  )
  if (differs !== undefined) return { differs }
  return hashEpochReceipt(receipt) === receipt.receipt_hash ? { built } : { differs: 'receipt_hash' }
}

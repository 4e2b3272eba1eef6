import {
  encodeCanonicalJson,
  FormatError,
  type Hex,
  hashBytes,
  hashCanonicalJson,
  isAscending,
  type JsonValue,
  utf8,
} from '../encoding/index.ts'
import { type Profile, profileStrings } from '../identity/index.ts'

/** An event that a module emitted, in emission order. */
export interface ExecutionEvent {
  readonly name: string
  readonly data: JsonValue
}

/** The receipt of one run. Exactly these eight members are hashed. */
export interface ExecutionReceipt {
  readonly v: 1
  readonly module_address: string
  readonly function: string
  readonly input_hash: string
  readonly output_hash: string
  readonly events_hash: string
  readonly gas_used: number
  readonly success: boolean
}

/** The input, results and gas of a run. */
export interface ExecutionRun {
  readonly module_address: string
  readonly function: string
  readonly input: Uint8Array
  readonly output: Uint8Array
  readonly events: readonly ExecutionEvent[]
  readonly gas_used: number
  readonly success: boolean
}

/** Hashes raw input or output bytes: `input_hash`, `output_hash`. */
export const hashPayload = (bytes: Uint8Array): Hex => hashBytes(bytes)

/** Hashes the events of a run: `HC(events)`; no events give `H("[]")`. Throws {@link CanonicalJsonError}. */
export const hashEvents = (events: readonly ExecutionEvent[]): Hex => hashCanonicalJson(events)

/**
 * Writes the receipt of a run. A failed run has the hash of empty output whatever was written before the failure, so that
 * all members agree on it.
 * @throws {@link CanonicalJsonError} for event data without canonical form.
 */
export function createReceipt(run: ExecutionRun): ExecutionReceipt {
  return {
    v: 1,
    module_address: run.module_address,
    function: run.function,
    input_hash: hashPayload(run.input),
    output_hash: hashPayload(run.success ? run.output : new Uint8Array(0)),
    events_hash: hashEvents(run.events),
    gas_used: run.gas_used,
    success: run.success,
  }
}

/** Hashes a receipt: `HC` of its eight members. Other members of the object do not enter. Throws {@link CanonicalJsonError}. */
export const hashReceipt = (receipt: ExecutionReceipt): Hex => hashCanonicalJson(hashedMembers(receipt))

/** The eight members of a receipt that its hash covers (section 16), without others that the object may have. */
export const hashedMembers = (receipt: ExecutionReceipt): ExecutionReceipt => ({
  v: receipt.v,
  module_address: receipt.module_address,
  function: receipt.function,
  input_hash: receipt.input_hash,
  output_hash: receipt.output_hash,
  events_hash: receipt.events_hash,
  gas_used: receipt.gas_used,
  success: receipt.success,
})

/** The text of an execution signature: `<prefix>-receipt-v1:` + `receipt_hash`. The envelope's timestamp is not signed. */
export function receiptText(profile: Profile, receiptHash: string): string {
  return profileStrings(profile).receipt + receiptHash
}

/** How one module's store changed in a run. */
export interface StateTransition {
  readonly module_address: string
  readonly pre_root: string
  readonly pre_seq: number
  readonly post_root: string
  readonly post_seq: number
}

/**
 * The last state of a module's storage that a quorum signed, as the coordinator tells it to a validator that is to run a
 * direct round; `root` and `seq` are null if no quorum has signed one.
 */
export interface StateHead {
  readonly module_address: string
  readonly root: string | null
  readonly seq: number | null
}

/**
 * Hashes the state of an execution vote: `state_hash = HC(state)`.
 * @throws {@link FormatError} unless the transitions ascend by module address.
 */
export function hashState(state: readonly StateTransition[]): Hex {
  if (!isAscending(state.map((one) => one.module_address)))
    throw new FormatError('state', 'ascending by module_address')
  return hashCanonicalJson(state)
}

/**
 * Derives the address of an artifact: `H(text(canon(manifest without manifest_address)) ‖ wasm)`. Recompute it wherever an
 * artifact enters.
 * @throws {@link CanonicalJsonError} for a manifest without canonical form.
 */
export function deriveModuleAddress(artifactManifest: object, wasm: Uint8Array): Hex {
  return hashBytes(utf8(artifactManifestText(artifactManifest)), wasm)
}

/** The hashed text of an artifact manifest: its canonical form without `manifest_address`. Throws {@link CanonicalJsonError}. */
export function artifactManifestText(artifactManifest: object): string {
  const { manifest_address: _, ...hashed } = artifactManifest as Record<string, unknown>
  return encodeCanonicalJson(hashed)
}

/** Rewards for direct rounds of a module, as posted; the hash adds `v: 1`. */
export interface ModuleRewards {
  readonly chain_id: number
  readonly module_address: string
  readonly vault_address: string
  /** The epoch. */
  readonly round: number
  /** Ascending by miner. */
  readonly compute_units: readonly { readonly miner: string; readonly units: number }[]
}

/**
 * Hashes module rewards (v1): `HC` of `{v: 1, chain_id, module_address, vault_address, round, compute_units}`.
 * @throws {@link FormatError} unless the units ascend by miner.
 */
export function hashModuleRewards(rewards: ModuleRewards): Hex {
  if (!isAscending(rewards.compute_units.map((one) => one.miner)))
    throw new FormatError('compute_units', 'ascending by miner')
  return hashCanonicalJson({
    v: 1,
    chain_id: rewards.chain_id,
    module_address: rewards.module_address,
    vault_address: rewards.vault_address,
    round: rewards.round,
    compute_units: rewards.compute_units.map(({ miner, units }) => ({ miner, units })),
  })
}

/** The text of a module reward attestation: `<prefix>-reward-v1:` + `receipt_hash`. */
export function moduleRewardText(profile: Profile, receiptHash: string): string {
  return profileStrings(profile).reward_v1 + receiptHash
}

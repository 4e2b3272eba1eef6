import {
  encodeCanonicalJson,
  type Hex,
  hasExactKeys,
  hashBytes,
  isAscending,
  isBytes32,
  isObject,
  isUnsigned,
  utf8,
} from '../encoding/index.ts'
import { deriveNodeId, type NetworkParams, type Profile, profileStrings } from '../identity/index.ts'
import type { Ed25519Verifier, SigningKey } from '../signatures/index.ts'
import { type Attestation, createAttestation, isAttested } from './attestation.ts'
import { beaconTargetTime } from './beacon.ts'

/** A validator of a generation. */
export interface GenerationValidator {
  readonly public_key: string
  /** Derived from the key. */
  readonly node_id: string
}

/** The validators in force from a time on. Generations are numbered from 0 and chained by hash. */
export interface ValidatorGeneration {
  readonly v: 1
  readonly network: string
  readonly generation: number
  /** Unix seconds; 0 for generation 0. */
  readonly effective_at: number
  /** `generation_hash` of the one before; 32 zero bytes for generation 0. */
  readonly prev_hash: string
  /** Strictly ascending by key, from 1 to 1,024. */
  readonly validators: readonly GenerationValidator[]
}

/** A generation with everything that makes it one: the document, and who signed its hash. */
export interface SignedGeneration {
  readonly document: ValidatorGeneration
  readonly coordinator: Attestation
  /** By validators of the generation before; none for generation 0. */
  readonly signatures: readonly Attestation[]
}

/** The most validators of a generation. */
export const generationValidatorsMax = 1_024

/** `prev_hash` of generation 0. */
export const noGenerationHash: Hex = `0x${'00'.repeat(32)}`

const documentKeys = ['v', 'network', 'generation', 'effective_at', 'prev_hash', 'validators']
const validatorKeys = ['public_key', 'node_id']

/** Thrown when a value is not a generation of validators. */
export class GenerationError extends Error {
  override readonly name = 'GenerationError'
  readonly code = 'invalid_field'
  readonly field: string

  constructor(field: string, expected: string) {
    super(`The field "${field}" of a generation of validators must be ${expected}.`)
    this.field = field
  }
}

/** Hashes a generation: `H(text("<prefix>-validators-v1:") ‖ text(canon(document)))`. */
export function hashGeneration(profile: Profile, document: ValidatorGeneration): Hex {
  return hashBytes(utf8(profileStrings(profile).validators), utf8(encodeCanonicalJson(document)))
}

/** The text that the coordinator and validators sign for a generation: `<prefix>-validators-v1:` and its hash. */
export function generationText(profile: Profile, generationHash: string): string {
  return profileStrings(profile).validators + generationHash
}

/** Signs a generation as the coordinator or as a validator. Throws {@link FormatError} for a malformed seed. */
export function signGeneration(
  profile: Profile,
  key: SigningKey,
  document: ValidatorGeneration,
): Attestation {
  return createAttestation(profile, key, generationText(profile, hashGeneration(profile, document)))
}

/**
 * Reads the document of a generation, which has exactly its members.
 * @throws {@link GenerationError}
 */
export function parseGeneration(profile: Profile, value: unknown): ValidatorGeneration {
  if (!isObject(value) || !hasExactKeys(value, documentKeys))
    throw new GenerationError('generation', `an object of exactly ${documentKeys.join(', ')}`)
  const { generation, validators } = value
  const is = (field: string, holds: boolean, expected: string) => {
    if (!holds) throw new GenerationError(field, expected)
  }
  is('v', value.v === 1, '1')
  is('network', value.network === profile.network, profile.network)
  is('generation', isUnsigned(generation), 'an integer from 0')
  is('effective_at', isUnsigned(value.effective_at), 'Unix seconds')
  is('prev_hash', isBytes32(value.prev_hash), '32 bytes in lower-case hex')
  is(
    'validators',
    Array.isArray(validators) && validators.length >= 1 && validators.length <= generationValidatorsMax,
    `a list of 1 to ${generationValidatorsMax}`,
  )
  const list = validators as unknown[]
  for (const [i, one] of list.entries())
    is(
      `validators[${i}]`,
      isGenerationValidator(profile, one),
      'exactly a public_key and the node_id that derives from it',
    )
  const keys = generationKeys(value as unknown as ValidatorGeneration)
  is('validators', isAscending(keys), 'strictly ascending by public_key')
  if (generation === 0) {
    is('effective_at', value.effective_at === 0, '0 for generation 0')
    is('prev_hash', value.prev_hash === noGenerationHash, '32 zero bytes for generation 0')
  }
  return value as unknown as ValidatorGeneration
}

function isGenerationValidator(profile: Profile, value: unknown): value is GenerationValidator {
  return (
    isObject(value) &&
    hasExactKeys(value, validatorKeys) &&
    isBytes32(value.public_key) &&
    value.node_id === deriveNodeId(profile, value.public_key)
  )
}

/** The public keys of a generation, ascending. */
export function generationKeys(document: Pick<ValidatorGeneration, 'validators'>): string[] {
  return document.validators.map((one) => one.public_key)
}

/**
 * Whether a generation replaces what is in force: it takes effect no later than the one before it. It decides about
 * everything that is not final, also of epochs that run.
 */
export function isEmergencyGeneration(
  previous: Pick<ValidatorGeneration, 'effective_at'>,
  next: Pick<ValidatorGeneration, 'effective_at'>,
): boolean {
  return next.effective_at <= previous.effective_at
}

/**
 * The validators of the generation before, a quorum of whom a generation needs: all of them, and in an emergency those
 * that stay.
 */
export function generationSigners(previous: ValidatorGeneration, next: ValidatorGeneration): string[] {
  const keys = generationKeys(previous)
  if (!isEmergencyGeneration(previous, next)) return keys
  const staying = new Set(generationKeys(next))
  return keys.filter((key) => staying.has(key))
}

/** Why a generation does not extend a chain. */
export type GenerationProblem =
  | 'wrong_number'
  | 'wrong_prev_hash'
  | 'keeps_nobody'
  | 'bad_coordinator_signature'
  | 'no_quorum'

/**
 * Whether a document extends a chain, without a check of its signatures: its number and its previous hash must follow,
 * and an emergency generation keeps at least one validator. null when it does.
 * @param previous The last generation of the chain; null when the document has to be generation 0.
 */
export function findSuccessionProblem(
  profile: Profile,
  previous: ValidatorGeneration | null,
  document: ValidatorGeneration,
): GenerationProblem | null {
  if (document.generation !== (previous === null ? 0 : previous.generation + 1)) return 'wrong_number'
  const hash = previous === null ? noGenerationHash : hashGeneration(profile, previous)
  if (document.prev_hash !== hash) return 'wrong_prev_hash'
  if (previous !== null && generationSigners(previous, document).length === 0) return 'keeps_nobody'
  return null
}

/**
 * Why a signed generation does not extend a chain (section 13), or null when it does: it follows the one before, the
 * coordinator signed it, and so did a quorum of {@link generationSigners}. Generation 0 needs the coordinator alone.
 * @param previous The last generation of the chain; null when the chain starts here.
 * @param coordinator The coordinator's public key.
 */
export function findGenerationProblem(
  profile: Profile,
  previous: ValidatorGeneration | null,
  { document, coordinator: own, signatures }: SignedGeneration,
  coordinator: string,
  verify?: Ed25519Verifier,
): GenerationProblem | null {
  const problem = findSuccessionProblem(profile, previous, document)
  if (problem !== null) return problem
  const text = generationText(profile, hashGeneration(profile, document))
  if (!isAttested(profile, text, [own], [coordinator], verify)) return 'bad_coordinator_signature'
  if (previous === null) return null
  return isAttested(profile, text, signatures, generationSigners(previous, document), verify)
    ? null
    : 'no_quorum'
}

/**
 * The generation in force at a time: the highest-numbered one that is effective by then, so that an emergency generation
 * replaces those before it. null if no generation is effective yet.
 * @param chain Generations of one chain, in any order.
 * @param time Unix seconds.
 */
export function generationAt<Generation extends Pick<ValidatorGeneration, 'generation' | 'effective_at'>>(
  chain: readonly Generation[],
  time: number,
): Generation | null {
  return chain.reduce<Generation | null>(
    (highest, one) =>
      one.effective_at <= time && (highest === null || one.generation > highest.generation) ? one : highest,
    null,
  )
}

/** The generation whose validators count for an epoch: that in force when its beacon is taken (section 12). */
export function generationOfEpoch<
  Generation extends Pick<ValidatorGeneration, 'generation' | 'effective_at'>,
>(
  chain: readonly Generation[],
  epoch: number,
  epochSecs: number,
  params: Pick<NetworkParams, 'beacon_offset_secs'>,
): Generation | null {
  return generationAt(chain, beaconTargetTime(epoch, epochSecs, params))
}

/**
 * Reads a generation as the hub shows it: the members of the document, `hash`, `coordinator` and `signatures`. Other
 * members, also of validators, are left aside. Signatures are not verified here.
 * @throws {@link GenerationError} also when `hash` is not that of the document.
 */
export function parseSignedGeneration(profile: Profile, value: unknown): SignedGeneration {
  if (!isObject(value)) throw new GenerationError('generation', 'an object')
  const { v, network, generation, effective_at, prev_hash, validators } = value
  const document = parseGeneration(profile, {
    v,
    network,
    generation,
    effective_at,
    prev_hash,
    validators: Array.isArray(validators)
      ? validators.map((one) => (isObject(one) ? { public_key: one.public_key, node_id: one.node_id } : one))
      : validators,
  })
  if (value.hash !== hashGeneration(profile, document))
    throw new GenerationError('hash', 'the hash of the document')
  const { coordinator, signatures } = value
  if (!isObject(coordinator)) throw new GenerationError('coordinator', 'a signature')
  if (!Array.isArray(signatures) || signatures.length > generationValidatorsMax)
    throw new GenerationError('signatures', `a list of at most ${generationValidatorsMax}`)
  return {
    document,
    coordinator: coordinator as unknown as Attestation,
    signatures: signatures as readonly Attestation[],
  }
}

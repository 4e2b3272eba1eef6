import {
  concatBytes,
  type Hex,
  hashBytes,
  hashCanonicalJson,
  hexToBytes,
  isMatching,
  keccakBytes,
  raw20,
  raw32,
  utf8,
} from '../encoding/index.ts'
import { type Profile, profileStrings } from './profile.ts'

/** The shape of a slug. */
export const slugPattern = /^[a-z0-9][a-z0-9-]{1,46}[a-z0-9]$/

/** Thrown when a slug is not 3–48 of `a-z`, `0-9` and inner hyphens. */
export class SlugError extends Error {
  override readonly name = 'SlugError'
  readonly code = 'invalid_slug'
  readonly slug: string

  constructor(slug: string) {
    super('A slug has 3 to 48 characters of a-z, 0-9 and hyphens, with no hyphen at either end.')
    this.slug = slug
  }
}

/** Whether the value is a slug: `^[a-z0-9][a-z0-9-]{1,46}[a-z0-9]$`. */
export const isSlug = isMatching(slugPattern)

/**
 * Derives a project id: `H(text("<prefix>-project-v1:") ‖ raw20(developer) ‖ text(slug))`. Only the slug varies in
 * length and it comes last, so no two projects share a preimage.
 * @throws {@link SlugError}, and {@link FormatError} for a malformed developer.
 */
export function deriveProjectId(profile: Profile, developer: string, slug: string): Hex {
  if (!isSlug(slug)) throw new SlugError(slug)
  return hashBytes(utf8(profileStrings(profile).project), raw20(developer, 'developer'), utf8(slug))
}

/**
 * Derives a subscription id: `H(raw32(project_id) ‖ 12 zero bytes ‖ raw20(owner) ‖ raw32(node_key))`, which is
 * `H(abi.encode(bytes32, address, bytes32))`: the same on chain and in every deployment.
 * @throws {@link FormatError} for a malformed field.
 */
export function deriveSubscriptionId(projectId: string, owner: string, nodeKey: string): Hex {
  return hashBytes(
    raw32(projectId, 'project_id'),
    new Uint8Array(12),
    raw20(owner, 'owner'),
    raw32(nodeKey, 'node_key'),
  )
}

/** Hex digits of a node id, after its prefix. */
export const nodeIdDigits = 16

const nodeIdTail = new RegExp(`^[0-9a-f]{${nodeIdDigits}}$`)

/** Derives a node id: `<node_id_prefix>` + first 16 hex digits of `H(raw32(public_key))`. Throws {@link FormatError}. */
export function deriveNodeId(profile: Profile, publicKey: string): string {
  const known = nodeIdTails.get(publicKey)
  if (known !== undefined) return profile.node_id_prefix + known
  const tail = hashBytes(raw32(publicKey, 'public_key')).slice(2, 2 + nodeIdDigits)
  if (nodeIdTails.size >= nodeIdsKept) nodeIdTails.delete(nodeIdTails.keys().next().value!)
  nodeIdTails.set(publicKey, tail)
  return profile.node_id_prefix + tail
}

/** Digits of the latest keys: every draw and every vote asks for those of the same members. */
const nodeIdTails = new Map<string, string>()
const nodeIdsKept = 1_000

/** Whether the value has the shape of a node id of this profile. */
export function isNodeId(profile: Profile, value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.startsWith(profile.node_id_prefix) &&
    nodeIdTail.test(value.slice(profile.node_id_prefix.length))
  )
}

/**
 * Derives the address of a project's vault, CREATE2 of an EIP-1167 minimal proxy with the project id as salt: the last 20
 * bytes of `H(ff ‖ raw20(factory) ‖ raw32(project_id) ‖ H(creation code))`.
 * @throws {@link FormatError} for a malformed field.
 */
export function deriveVaultAddress(factory: string, implementation: string, projectId: string): Hex {
  const creationCode = concatBytes(
    hexToBytes('0x3d602d80600a3d3981f3363d3d373d3d3d363d73'),
    raw20(implementation, 'implementation'),
    hexToBytes('0x5af43d82803e903d91602b57fd5bf3'),
  )
  const hash = hashBytes(
    Uint8Array.of(0xff),
    raw20(factory, 'factory'),
    raw32(projectId, 'project_id'),
    keccakBytes(creationCode),
  )
  return `0x${hash.slice(-40)}`
}

/**
 * Derives a proof id: `H(text("<prefix>-proof-v1:") ‖ text(round_id) ‖ raw32(node_key))`.
 * @throws {@link FormatError} for a malformed node key.
 */
export function deriveProofId(profile: Profile, roundId: string, nodeKey: string): Hex {
  return hashBytes(utf8(profileStrings(profile).proof), utf8(roundId), raw32(nodeKey, 'node_key'))
}

/** The id of a committee round: `"task:" + HC(task)`. */
export function deriveTaskRoundId(task: object): `task:${Hex}` {
  return `task:${hashCanonicalJson(task)}`
}

/** The request that opens a direct round (section 16). */
export interface DirectRound {
  readonly module_address: string
  readonly function: string
  readonly input_hash: string
  readonly gas_limit: number
  /** Unix seconds. */
  readonly issued_at: number
  /** 32 hex digits, so that equal requests are different rounds. */
  readonly nonce: string
}

/**
 * The id of a direct round: `"exec:" + HC` of the six members and `v: 1`, which is added for hashing only. Other members
 * of the given object do not enter.
 */
export function deriveDirectRoundId(round: DirectRound): `exec:${Hex}` {
  return `exec:${hashCanonicalJson({
    function: round.function,
    gas_limit: round.gas_limit,
    input_hash: round.input_hash,
    issued_at: round.issued_at,
    module_address: round.module_address,
    nonce: round.nonce,
    v: 1,
  })}`
}

/** The id of an epoch's settlement round: `epoch:<project_id>:<epoch>:<attempt>`. */
export function epochRoundId(projectId: string, epoch: number, attempt: number): string {
  return `epoch:${projectId}:${epoch}:${attempt}`
}

/** The id of a module's reward round: `reward:<module_address>:<epoch>:<attempt>`. */
export function moduleRewardRoundId(moduleAddress: string, epoch: number, attempt: number): string {
  return `reward:${moduleAddress}:${epoch}:${attempt}`
}

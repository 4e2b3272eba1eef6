import { type Hex, isEvmSignature, type Problem } from '../encoding/index.ts'
import { deriveProjectId, type Profile } from '../identity/index.ts'
import { checkPersonalSignature, signPersonalMessage } from '../signatures/index.ts'
import { encodeManifest, hashManifest, hashProjectRules, type ProjectManifest } from './project-manifest.ts'

/** The envelope that a developer submits: a manifest with its signature. Stated hashes are optional and must fit. */
export interface ManifestEnvelope {
  readonly manifest: ProjectManifest
  readonly sig_type: 'eip191'
  /** 65 bytes over `personal(canon(manifest))`. */
  readonly signature: string
  readonly manifest_hash?: string | null
  readonly consensus_hash?: string | null
  readonly project_id?: string | null
}

/** The three values that follow from a manifest. */
export interface ManifestHashes {
  readonly manifest_hash: Hex
  readonly consensus_hash: Hex
  readonly project_id: Hex
}

/** Derives the hashes of a manifest that keeps the rules. Throws {@link CanonicalJsonError}, {@link SlugError}, {@link FormatError}. */
export function deriveManifestHashes(profile: Profile, manifest: ProjectManifest): ManifestHashes {
  return {
    manifest_hash: hashManifest(manifest),
    consensus_hash: hashProjectRules(manifest.consensus),
    project_id: deriveProjectId(profile, manifest.developer, manifest.slug),
  }
}

/** Signature and hashes of an accepted envelope, or the first check that failed. */
export type EnvelopeCheck =
  | ({ readonly ok: true; readonly signature: Hex } & ManifestHashes)
  | { readonly ok: false; readonly code: 'invalid_field'; readonly field: string }
  | { readonly ok: false; readonly code: 'invalid_manifest'; readonly problems: readonly Problem[] }
  | { readonly ok: false; readonly code: 'not_owner' | 'bad_signature' }

/** The caller that submits an envelope, and the known problems of its manifest. */
export interface EnvelopeContext {
  /** The problems that {@link findManifestProblems} found. */
  readonly problems?: readonly Problem[]
  /** The session's wallet, lower case; left out, the developer is not compared. */
  readonly caller?: string
}

/**
 * Checks an envelope in the order of section 6, after enrollment and before the state of the project: its form, else
 * `invalid_field`; no problems, and stated hashes equal the recomputed ones, else `invalid_manifest`; the developer is the
 * caller, else `not_owner`, and signed the canonical bytes, else `bad_signature`.
 */
export function checkManifestEnvelope(
  profile: Profile,
  envelope: ManifestEnvelope,
  context: EnvelopeContext = {},
): EnvelopeCheck {
  const { manifest, signature } = envelope
  if (envelope.sig_type !== 'eip191') return { ok: false, code: 'invalid_field', field: 'sig_type' }
  if (!isEvmSignature(signature)) return { ok: false, code: 'invalid_field', field: 'signature' }
  if (context.problems !== undefined && context.problems.length > 0)
    return { ok: false, code: 'invalid_manifest', problems: context.problems }

  const hashes = deriveManifestHashes(profile, manifest)
  const problems = findStatedHashProblems(envelope, hashes)
  if (problems.length > 0) return { ok: false, code: 'invalid_manifest', problems }
  if (context.caller !== undefined && context.caller !== manifest.developer)
    return { ok: false, code: 'not_owner' }
  const check = checkPersonalSignature(encodeManifest(manifest), signature, manifest.developer)
  return check.ok
    ? { ok: true, signature: check.normalized, ...hashes }
    : { ok: false, code: 'bad_signature' }
}

/** The stated hashes that differ from the recomputed ones, one problem at each name. */
function findStatedHashProblems(envelope: ManifestEnvelope, hashes: ManifestHashes): Problem[] {
  return (['consensus_hash', 'manifest_hash', 'project_id'] as const)
    .filter((name) => (envelope[name] ?? hashes[name]) !== hashes[name])
    .map((path) => ({ path, code: 'invalid_value', message: `The manifest gives ${hashes[path]}.` }))
}

/** Signs a manifest with a developer's key: `personal(canon(manifest))`. Throws {@link CanonicalJsonError}. */
export function signManifest(privateKey: string, manifest: object): Hex {
  return signPersonalMessage(privateKey, encodeManifest(manifest))
}

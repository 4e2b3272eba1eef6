import { encodeCanonicalJson } from '../../encoding/index.ts'
import { defaultNetworkParams } from '../../identity/index.ts'
import {
  changedTiers,
  checkManifestEnvelope,
  deriveManifestHashes,
  effectiveEpoch,
  encodeManifest,
  findManifestProblems,
  hashProjectRules,
  signManifest,
} from '../../manifest/index.ts'
import { hashPersonalMessage } from '../../signatures/index.ts'
import type { Json, VectorSet } from '../format.ts'
import type { TopicRunner } from '../runner.ts'

export const runManifest: TopicRunner = (input, { profile }) => {
  if (input.current !== undefined) return { tiers_changed: changedTiers(input.current, input.next) }
  if (input.published_at !== undefined) return { effective_epoch: effectiveEpoch(input) }
  if (input.envelope !== undefined) {
    const check = checkManifestEnvelope(profile, input.envelope)
    return check.ok ? { accepted: true, signature: check.signature } : { error: check.code }
  }
  const bytes = encodeManifest(input.manifest)
  return {
    canonical: encodeCanonicalJson(input.manifest),
    byte_length: bytes.length,
    ...deriveManifestHashes(profile, input.manifest),
    digest: hashPersonalMessage(bytes),
    signature: signManifest(input.signer_key, input.manifest),
  }
}

export const runConsensusHash: TopicRunner = (input) => ({
  consensus_hash: hashProjectRules(input.consensus),
})

/** The manifest and context of a case. A case without a manifest patches the manifest and context of the case `valid`. */
export function manifestToJudge(
  input: Json,
  set: Pick<VectorSet, 'cases'>,
): { manifest: Json; context: Json } {
  const base = input.manifest === undefined ? baseCase(set) : { manifest: undefined, context: {} }
  const manifest = input.manifest === undefined ? structuredClone(base.manifest) : repeat(input.manifest)
  for (const [path, value] of Object.entries(input.patch ?? {})) setPath(manifest, path, repeat(value))
  for (const path of input.remove ?? []) setPath(manifest, path, undefined)
  return { manifest, context: { ...base.context, ...input.context } }
}

export const runManifestValidation: TopicRunner = (input, set) => {
  const { manifest, context: all } = manifestToJudge(input, set)
  const { network, chain_id, params, ...context } = all
  const problems = findManifestProblems(manifest, {
    profile: { ...set.profile, network, chain_id },
    base_url: context.base_url,
    contracts: context.contracts ?? null,
    params: { ...defaultNetworkParams, ...params },
  })
  // The wording of messages is free.
  return { problems: problems.map(({ path, code }) => ({ path, code })) }
}

function baseCase({ cases }: Pick<VectorSet, 'cases'>): Json {
  return cases.find((one) => one.name === 'valid')?.input
}

function setPath(document: Json, path: string, value: Json): void {
  const steps = path.split('.')
  const last = steps.pop()!
  const parent = steps.reduce((object: Json, step) => object[step], document)
  if (value === undefined) delete parent[last]
  else parent[last] = value
}

/** Writes out `{"$repeat": [text, n]}`. */
function repeat(value: Json): Json {
  if (Array.isArray(value)) return value.map(repeat)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value.$repeat)) return value.$repeat[0].repeat(value.$repeat[1])
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, repeat(member)]))
}

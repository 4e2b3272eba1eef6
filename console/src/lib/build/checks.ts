/** Checks the text of a manifest by the rules that the hub has too. */
import {
  CanonicalJsonError,
  dottedPath,
  isObject,
  type JsonObject,
  type Problem,
  parseStrictJson,
  type UnencodableValue,
} from '../../../../protocol/encoding/index.ts'
import { deriveProjectId, deriveVaultAddress, isSlug } from '../../../../protocol/identity/index.ts'
import { findManifestProblems, type ManifestContext } from '../../../../protocol/manifest/index.ts'
import type { Descriptor } from '../hub.ts'

export interface Checked {
  /** Null if the text is not a JSON object, and so can neither be stored nor checked. */
  readonly manifest: JsonObject | null
  readonly problems: readonly Problem[]
}

export const contextOf = (
  { profile, hosts, chain }: Descriptor,
  params: Readonly<Record<string, unknown>>,
): ManifestContext => ({
  profile: profile as ManifestContext['profile'],
  base_url: hosts.api,
  contracts: chain.contracts,
  params: params as unknown as ManifestContext['params'],
})

export function checkText(text: string, context: ManifestContext): Checked {
  const unencodable: UnencodableValue[] = []
  try {
    const manifest = parseStrictJson(text, {
      onUnencodable: (code, _, path) => void unencodable.push({ code, path: dottedPath(path) }),
    })
    return {
      manifest: isObject(manifest) ? (manifest as JsonObject) : null,
      problems: findManifestProblems(manifest, { ...context, unencodable }),
    }
  } catch (error) {
    if (!(error instanceof CanonicalJsonError)) throw error
    return {
      manifest: null,
      problems: [{ path: error.path, code: error.code, message: messageOf(text, error) }],
    }
  }
}

/** The reader of the browser says where. */
function messageOf(text: string, error: Error): string {
  try {
    JSON.parse(text)
    return error.message
  } catch (reason) {
    return (reason as Error).message
  }
}

/** The address that the vault of a project will have; null if the slug is invalid or the network has no vaults. */
export function vaultOf(
  slug: unknown,
  developer: string,
  { profile, contracts }: ManifestContext,
): string | null {
  const { vault_factory, vault_implementation } = contracts ?? {}
  if (!isSlug(slug) || !vault_factory || !vault_implementation) return null
  return deriveVaultAddress(vault_factory, vault_implementation, deriveProjectId(profile, developer, slug))
}

/** The place of the deepest name of a path that the text contains; null if it contains none. */
export function placeOf(text: string, path: string): readonly [start: number, end: number] | null {
  let start = 0
  let found = null
  for (const part of path
    .replaceAll(/\[\d+\]/g, '')
    .split('.')
    .filter(Boolean)) {
    const key = JSON.stringify(part)
    const at = text.indexOf(key, start)
    if (at < 0) return found
    start = at + key.length
    found = [at, start] as const
  }
  return found
}

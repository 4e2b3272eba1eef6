import type { UnencodableValue } from '../encoding/index.ts'
import {
  isAddress,
  isBytes32,
  isObject,
  isSetOf,
  MemberChecker,
  type Problem,
  ProblemList,
  unencodableValues,
  zeroAddress,
} from '../encoding/index.ts'
import type { Profile } from '../identity/index.ts'
import { deriveProjectId, deriveVaultAddress, isSlug } from '../identity/index.ts'
import { checkConsensus } from './consensus-rules.ts'
import { checkListing } from './listing-rules.ts'
import { type ConsensusBounds, manifestBytesMax, slaRanges } from './manifest-limits.ts'
import { deviceClasses, encodeManifest, engines } from './project-manifest.ts'

/** The deployment that a manifest is written for. */
export interface ManifestContext {
  /** Its names, with `network` and `chain_id`. */
  readonly profile: Profile
  /** The deployment's own address; only a local one lets a manifest name `http:` addresses and private hosts. */
  readonly base_url: string
  /** Where vaults come from; null or absent members when the deployment has none yet. */
  readonly contracts: {
    readonly vault_factory?: string | null
    readonly vault_implementation?: string | null
  } | null
  readonly params: ConsensusBounds
  /**
   * What the strict reader met in the text (option `onUnencodable`). It sees `1.0` and `1e3`, which a parsed value no
   * longer shows.
   */
  readonly unencodable?: readonly UnencodableValue[]
}

/**
 * Finds what is wrong with a manifest (section 6.1), ordered by path then code, and {@link problemsMax} things at most;
 * none means that it keeps the rules.
 *
 * A value that has no canonical form is reported beside what its own rule says. Only a manifest without any other problem
 * is measured: its canonical form has at most 65,536 bytes.
 */
export function findManifestProblems(manifest: unknown, context: ManifestContext): Problem[] {
  if (!isObject(manifest))
    return [{ path: '', code: 'invalid_manifest', message: 'A manifest is an object.' }]
  const problems = new ProblemList()
  checkRoot(problems, manifest, context)
  checkEncoding(problems, manifest, context)
  if (problems.isEmpty && encodeManifest(manifest).length > manifestBytesMax)
    problems.add({
      path: '',
      code: 'too_large',
      message: `The canonical form has at most ${manifestBytesMax} bytes.`,
    })
  return problems.sorted()
}

function checkEncoding(problems: ProblemList, manifest: object, { unencodable = [] }: ManifestContext): void {
  for (const found of [unencodable, unencodableValues(manifest)])
    for (const value of found) {
      if (problems.isFull) return
      problems.add(unencodableProblem(value))
    }
}

const unencodableProblem = ({ path, code }: UnencodableValue): Problem => ({
  path,
  code: code === 'float' ? 'invalid_manifest' : code,
  message:
    code === 'invalid_string'
      ? 'A string without lone surrogates.'
      : 'An integer of magnitude at most 2^53 - 1; larger quantities are decimal strings.',
})

function checkRoot(problems: ProblemList, manifest: Record<string, unknown>, context: ManifestContext): void {
  const root = new MemberChecker(problems, manifest, '', [
    'v',
    'network',
    'chain_id',
    'developer',
    'slug',
    'version',
    'previous',
    'consensus',
    'scheduling',
    'listing',
  ])
  root.constant('v', 1)
  root.constant('network', context.profile.network)
  root.constant('chain_id', context.profile.chain_id)
  const developer = root.check(
    'developer',
    (value): value is string => isAddress(value) && value !== zeroAddress,
    'An address in lower case, not zero.',
  )
  const slug = root.check('slug', isSlug, '3 to 48 characters of a-z, 0-9 and inner hyphens.', 'invalid_slug')
  root.integer('version', { min: 1, max: Number.MAX_SAFE_INTEGER })
  const isFirst = root.value('version') === 1
  root.check(
    'previous',
    (value) => (isFirst ? value === null : isBytes32(value)),
    isFirst ? 'null in version 1.' : 'The manifest_hash of the version before.',
  )

  const vault =
    developer !== undefined && slug !== undefined ? expectedVault(context, developer, slug) : undefined
  checkConsensus(root, context.params, vault)
  checkScheduling(root)
  checkListing(root, context.base_url)
}

/** The vault that the deployment gives a project, when it has a factory. */
function expectedVault(context: ManifestContext, developer: string, slug: string): string | undefined {
  const { vault_factory: factory, vault_implementation: implementation } = context.contracts ?? {}
  if (!factory || !implementation) return undefined
  return deriveVaultAddress(factory, implementation, deriveProjectId(context.profile, developer, slug))
}

function checkScheduling(root: MemberChecker): void {
  const scheduling = root.object('scheduling', ['public_tasks', 'requirements', 'sla'])
  scheduling.check('public_tasks', (value) => typeof value === 'boolean', 'true or false.')
  const requirements = scheduling.object('requirements', [
    'device_classes',
    'cpu_cores',
    'ram_mb',
    'storage_mb',
    'min_benchmark',
    'gpu',
    'engines',
    'attestation',
  ])
  const isSubset = (allowed: readonly string[]) => (value: unknown) =>
    isSetOf(value, 1, allowed.length, (item) => allowed.includes(item))
  requirements.check('device_classes', isSubset(deviceClasses), `Some of ${deviceClasses.join(', ')}.`)
  requirements.check('engines', isSubset(engines), `Some of ${engines.join(', ')}.`)
  for (const key of ['cpu_cores', 'ram_mb', 'storage_mb', 'min_benchmark'])
    requirements.integer(key, { min: 0, max: Number.MAX_SAFE_INTEGER })
  requirements.constant('gpu', null, 'unsupported')
  requirements.check(
    'attestation',
    (value) => Array.isArray(value) && value.length === 0,
    'An empty list.',
    'unsupported',
  )
  const sla = scheduling.object('sla', ['max_latency_ms', 'min_uptime_bp'])
  sla.integers(slaRanges)
}

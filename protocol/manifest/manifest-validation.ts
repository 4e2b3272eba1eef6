import {
  foundValue,
  fullWords,
  isAddress,
  isBytes32,
  isObject,
  isSetOf,
  MemberChecker,
  type Problem,
  ProblemList,
  type UnencodableValue,
  unencodableValues,
  zeroAddress,
} from '../encoding/index.ts'
import { deriveProjectId, deriveVaultAddress, isSlug, type Profile } from '../identity/index.ts'
import { checkListing } from './listing-rules.ts'
import { manifestBytesMax, type ProjectRulesBounds, slaRanges } from './manifest-limits.ts'
import { deviceClasses, encodeManifest, engines } from './project-manifest.ts'
import { checkProjectRules } from './project-rules.ts'

/** The deployment that a manifest is written for. */
export interface ManifestContext {
  /** Its names, with `network` and `chain_id`. */
  readonly profile: Profile
  /** The deployment's own address; only a local one lets a manifest name `http:` addresses and private hosts. */
  readonly base_url: string
  /** The contracts that vault addresses follow from; null or absent members if the deployment has none yet. */
  readonly contracts: {
    readonly vault_factory?: string | null
    readonly vault_implementation?: string | null
  } | null
  readonly params: ProjectRulesBounds
  /**
   * The values that the strict reader reported (option `onUnencodable`). It sees `1.0` and `1e3`, which a parsed value no
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
    return [
      { path: '', code: 'invalid_manifest', message: `Found ${foundValue(manifest)}. Write an object.` },
    ]
  const problems = new ProblemList()
  checkRoot(problems, manifest, context)
  checkEncoding(problems, manifest, context)
  const bytes = problems.isEmpty ? encodeManifest(manifest).length : 0
  if (bytes > manifestBytesMax)
    problems.add({
      path: '',
      code: 'too_large',
      message: `Found ${bytes} bytes in the canonical form. Shorten the texts and lists of the listing until it has at most ${manifestBytesMax}.`,
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
  message: unencodableMessages[code],
})

const unencodableMessages = {
  invalid_string: 'Found half a character, a lone surrogate. Write text without it.',
  float: 'Found a number with a fraction, an exponent or a negative zero. Write an integer.',
  unsafe_integer:
    'Found a number of magnitude above 2^53 - 1. Write a smaller integer, or a decimal string where the member is an amount.',
} as const satisfies Record<UnencodableValue['code'], string>

function checkRoot(problems: ProblemList, manifest: Record<string, unknown>, context: ManifestContext): void {
  const keys = [
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
  ]
  const root = new MemberChecker(problems, manifest, '', keys, keys, fullWords)
  root.constant('v', 1)
  root.constant('network', context.profile.network)
  root.constant('chain_id', context.profile.chain_id)
  const developer = root.check(
    'developer',
    (value): value is string => isAddress(value) && value !== zeroAddress,
    'The address of the wallet that signs, 0x and 40 hex digits in lower case, not zero.',
  )
  const slug = root.check('slug', isSlug, '3 to 48 characters of a-z, 0-9 and inner hyphens.', 'invalid_slug')
  root.integer('version', { min: 1, max: Number.MAX_SAFE_INTEGER })
  const isFirst = root.value('version') === 1
  root.check(
    'previous',
    (value) => (isFirst ? value === null : isBytes32(value)),
    isFirst
      ? 'null, because version 1 has no previous version.'
      : 'The manifest_hash of the previous version, 0x and 64 hex digits in lower case.',
  )

  const vault =
    developer !== undefined && slug !== undefined ? expectedVault(context, developer, slug) : undefined
  checkProjectRules(root, context.params, vault)
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
  scheduling.check('public_tasks', (value) => typeof value === 'boolean', 'true or false, without quotes.')
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
  requirements.check(
    'device_classes',
    isSubset(deviceClasses),
    `A list of one or more of ${deviceClasses.join(', ')}, each once.`,
  )
  requirements.check(
    'engines',
    isSubset(engines),
    `A list of one or more of ${engines.join(', ')}, each once.`,
  )
  for (const key of ['cpu_cores', 'ram_mb', 'storage_mb', 'min_benchmark'])
    requirements.integer(key, { min: 0, max: Number.MAX_SAFE_INTEGER })
  requirements.constant('gpu', null, 'unsupported')
  requirements.check(
    'attestation',
    (value) => Array.isArray(value) && value.length === 0,
    'An empty list: this network has no attestation yet.',
    'unsupported',
  )
  const sla = scheduling.object('sla', ['max_latency_ms', 'min_uptime_bp'])
  sla.integers(slaRanges)
}

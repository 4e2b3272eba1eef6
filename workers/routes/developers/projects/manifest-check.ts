import {
  foundValue,
  isAddress,
  isBytes32,
  isObject,
  type Problem,
  ProblemList,
  type UnencodableValue,
} from '../../../../protocol/encoding/index.ts'
import {
  checkManifestEnvelope,
  findManifestProblems,
  type ManifestEnvelope,
  type ManifestHashes,
  type ProjectManifest,
} from '../../../../protocol/manifest/index.ts'
import { readToken } from '../../../chain/token.ts'
import type { HubContext } from '../../../context.ts'
import { ApiError, invalidField } from '../../../errors.ts'
import { walletOf } from '../../../middleware/authenticate.ts'
import type { Developer } from '../../../stores/developers.ts'
import type { Module } from '../../../stores/modules.ts'
import type { Token } from '../../../stores/schema/index.ts'
import { findKnownModule } from '../../modules/known.ts'

/** A signed manifest as it was posted, and the values in it that have no canonical form. */
interface SubmittedManifest {
  envelope: Omit<ManifestEnvelope, 'manifest'> & { manifest?: unknown }
  unencodable: readonly UnencodableValue[]
}

/** A manifest that keeps every rule, signed by its developer. */
export interface AcceptedManifest {
  manifest: ProjectManifest
  hashes: ManifestHashes
  signature: string
  token: Token
}

/** @throws {@link ApiError} 403 `not_enrolled`, `not_verified`. */
export async function requireVerifiedDeveloper(c: HubContext): Promise<Developer> {
  const developer = await c.var.services.developers.find(walletOf(c))
  if (developer?.enrollment !== 'active')
    throw new ApiError(
      'not_enrolled',
      'Projects are for developers with an active enrollment; POST /v1/developers/me/enrollment asks for one.',
    )
  if (developer.verification !== 'verified')
    throw new ApiError(
      'not_verified',
      'Projects are for verified developers; POST /v1/developers/me/verification asks for verification.',
    )
  return developer
}

/**
 * Everything wrong with a manifest: the rules of its own, then what it names and this network does not have. @throws {@link ApiError} 503
 * `unavailable`.
 */
export async function findProblems(
  c: HubContext,
  manifest: unknown,
  unencodable: readonly UnencodableValue[],
): Promise<{ problems: Problem[]; token: Token | null }> {
  const { settings } = c.var
  const own = findManifestProblems(manifest, {
    profile: settings.PROFILE,
    base_url: settings.BASE_URL.href,
    contracts: settings.CHAIN_CONTRACTS ?? null,
    params: c.var.services.params,
    unencodable,
  })
  const { worker, functions, rewardToken } = namedBy(manifest)
  const [module, token] = await Promise.all([
    isBytes32(worker) ? findKnownModule(c, worker) : null,
    rewardToken === undefined ? null : readToken(c, rewardToken),
  ])
  const problems = new ProblemList(own)
  if (isBytes32(worker))
    for (const problem of workerProblems(module?.record ?? null, functions)) problems.add(problem)
  if (rewardToken !== undefined && token === null) problems.add(noToken)
  return { problems: problems.sorted(), token }
}

const noToken: Problem = {
  path: 'consensus.economics.reward_token',
  code: 'invalid_value',
  message: 'Found an address at which the chain of this network has no token. Correct it.',
}

/** Changes that a version may not make: a vault pays in one token for ever. */
export function findFixedProblems(inForce: ProjectManifest, next: ProjectManifest): Problem[] {
  const { reward_token } = inForce.consensus.economics
  if (next.consensus.economics.reward_token === reward_token) return []
  return [
    {
      path: 'consensus.economics.reward_token',
      code: 'invalid_value',
      message: `Found another token. Write ${reward_token}, as in earlier versions: the token of a vault cannot change.`,
    },
  ]
}

function namedBy(manifest: unknown) {
  const member = (value: unknown, ...path: string[]): unknown =>
    path.reduce((inner, name) => (isObject(inner) ? inner[name] : undefined), value)
  const functions = member(manifest, 'consensus', 'work', 'functions')
  const rewardToken = member(manifest, 'consensus', 'economics', 'reward_token')
  return {
    worker: member(manifest, 'consensus', 'modules', 'worker'),
    functions: Array.isArray(functions) ? (functions as unknown[]) : [],
    rewardToken: isAddress(rewardToken) ? rewardToken : undefined,
  }
}

function workerProblems(module: Module | null, functions: readonly unknown[]): Problem[] {
  const problem = (path: string, message: string): Problem => ({ path, code: 'invalid_value', message })
  const path = 'consensus.modules.worker'
  if (module === null)
    return [
      problem(
        path,
        'Found an address of an unknown module. Upload the module first, or correct the address.',
      ),
    ]
  if (!module.stateless)
    return [
      problem(
        path,
        'Found a module that imports storage or calls of other modules. Name a stateless one, which imports neither.',
      ),
    ]
  const allowed = oneOf(module.functions)
  return functions.flatMap((name, index) =>
    typeof name !== 'string' || module.functions.includes(name)
      ? []
      : [problem(`consensus.work.functions[${index}]`, `Found ${foundValue(name)}. Write ${allowed}.`)],
  )
}

/** Names that are shown of a long list; the module's record has all of them. */
const shownNamesMax = 10

const oneOf = (names: readonly string[]): string => {
  const shown = names.slice(0, shownNamesMax).join(', ')
  return names.length > shownNamesMax
    ? `one of the ${names.length} functions of the module: ${shown}, …`
    : `one of ${shown}`
}

/**
 * Checks a submitted manifest up to its signature; what the project's record says comes after. @throws {@link ApiError} 422
 * `invalid_manifest`, 403 `not_owner`, 422 `bad_signature`, in this order.
 */
export async function acceptManifest(
  c: HubContext,
  { envelope, unencodable }: SubmittedManifest,
): Promise<AcceptedManifest> {
  const { problems, token } = await findProblems(c, envelope.manifest, unencodable)
  const manifest = envelope.manifest as ProjectManifest
  const check = checkManifestEnvelope(
    c.var.settings.PROFILE,
    { ...envelope, manifest },
    { problems, caller: walletOf(c) },
  )
  if (!check.ok)
    switch (check.code) {
      case 'invalid_field':
        throw invalidField(check.field, 'has an invalid format')
      case 'invalid_manifest':
        throw invalidManifest(check.problems)
      case 'not_owner':
        throw new ApiError(
          'not_owner',
          `The manifest names the developer ${manifest.developer}, not the calling wallet.`,
        )
      case 'bad_signature':
        throw new ApiError(
          'bad_signature',
          'The signature is not the developer’s over the canonical manifest.',
          { status: 422 },
        )
    }
  if (token === null) throw new Error('a manifest without problems names a token')
  const { ok: _, signature, ...hashes } = check
  return { manifest, hashes, signature, token }
}

export function invalidManifest(problems: readonly Problem[]): ApiError {
  const [first] = problems
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : ''
  return new ApiError('invalid_manifest', `${first?.path || 'manifest'}: ${first?.message}${more}`, {
    details: { problems },
  })
}

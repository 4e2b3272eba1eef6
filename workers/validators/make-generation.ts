import {
  findSuccessionProblem,
  generationText,
  generationValidatorsMax,
  hashGeneration,
  noGenerationHash,
  parseGeneration,
  type ValidatorGeneration,
} from '../../protocol/committees/index.ts'
import type { Profile } from '../../protocol/identity/index.ts'
import type { Coordinator } from '../coordinator.ts'
import { ApiError, unavailable } from '../errors.ts'
import type { Services } from '../services.ts'
import type { Node } from '../stores/nodes.ts'
import type { GenerationDecision, NewGeneration, PendingGeneration } from '../stores/pending-generations.ts'
import type { Generation } from '../stores/validators.ts'
import { effectiveFrom } from './lapse.ts'

type Sources = Pick<Services, 'clock' | 'coordinator' | 'nodes' | 'pendingGenerations' | 'validators'>

/** The changes that operators want, as node ids. */
export interface GenerationChange {
  approve: readonly string[]
  revoke: readonly string[]
  /** Replaces what is in force for everything that is not final, and ends the keys that are revoked. */
  emergency: boolean
}

type By = Pick<GenerationDecision, 'operator' | 'reason'>

/** Rounds, receipts and evidence of epochs may be open this long after their end: an emergency generation is for those too. */
const openSecs = 86_400

/** Sets generation 0 from validators that have registered. @throws {@link ApiError} 409 `invalid_state` once there is one. */
export async function beginGenerations(
  sources: Sources,
  profile: Profile,
  nodeIds: readonly string[],
  by: By,
): Promise<NewGeneration> {
  const coordinator = requireCoordinator(sources)
  const nodes = await requireValidators(sources, nodeIds)
  const first = { generation: 0, effective_at: 0, prev_hash: noGenerationHash }
  const made = hashed(profile, { ...members(profile, nodes), ...first })
  const signature = coordinator.attest(generationText(profile, made.hash))
  const decision = { ...by, approve: nodeIds, revoke: [], endedAt: null }
  if (!(await sources.pendingGenerations.begin(made, signature, decision, await sources.clock.now())))
    throw refused('The network has its generation 0 already, and it can be set only once.')
  return made
}

/**
 * Makes the next generation, which waits for its quorum from then on.
 * @throws {@link ApiError} 404 `not_found` for a node that has not registered; 409 `invalid_state` where it cannot be made.
 */
export async function makeGeneration(
  sources: Sources,
  profile: Profile,
  change: GenerationChange,
  by: By,
): Promise<NewGeneration> {
  requireCoordinator(sources)
  const { clock, pendingGenerations, validators } = sources
  const { approve, revoke, emergency } = change
  const [last, nodes, now] = await Promise.all([
    validators.last(),
    requireValidators(sources, approve),
    clock.now(),
  ])
  if (last === null)
    throw refused('The network has no generation 0 yet. Set it from registered validators first.')
  const leaving = new Set(revoke)
  const both = approve.find((nodeId) => leaving.has(nodeId))
  if (both !== undefined) throw refused(`The request both approves and revokes the node ${both}.`)
  const here = new Set(last.document.validators.map(({ node_id }) => node_id))
  const stranger = revoke.find((nodeId) => !here.has(nodeId))
  if (stranger !== undefined)
    throw refused(`The node ${stranger} is not a validator of generation ${last.document.generation}.`)
  const coming = nodes.filter(({ nodeId }) => !here.has(nodeId))
  const staying = last.validators.filter(({ nodeId }) => !leaving.has(nodeId))
  if (coming.length === 0 && revoke.length === 0 && !emergency)
    throw refused('Nothing would change: these nodes are validators of the last generation.')
  if (staying.length + coming.length === 0) throw refused('A generation needs at least one validator.')
  if (staying.length + coming.length > generationValidatorsMax)
    throw refused(`A generation has at most ${generationValidatorsMax} validators.`)
  const document = {
    ...members(profile, [...staying, ...coming]),
    generation: last.document.generation + 1,
    effective_at: emergency ? await replacedFrom(sources, last, now) : effectiveFrom(last.document, now),
    prev_hash: last.hash,
  }
  const made = hashed(profile, document)
  const problem = findSuccessionProblem(profile, last.document, made.document)
  if (problem !== null)
    throw refused(
      `The generation keeps none of the present validators, so nobody could sign it (${problem}).`,
    )
  const decision = { ...by, approve, revoke, endedAt: emergency ? now : null }
  if (!(await pendingGenerations.propose(made, decision, emergency, now)))
    throw new ApiError(
      'invalid_state',
      'Another generation was made before this one, or waits for its quorum. Read it, and try again once it has its quorum.',
      { details: { generation: document.generation } },
    )
  return made
}

const refused = (message: string): ApiError => new ApiError('invalid_state', message)

function requireCoordinator({ coordinator }: Sources): Coordinator {
  if (coordinator !== null) return coordinator
  throw unavailable('The coordinator', new Error('the hub has no COORDINATOR_SEED to sign generations with'))
}

/** @throws {@link ApiError} 404 `not_found`, or 409 `invalid_state` for what can be no validator any more. */
async function requireValidators({ nodes }: Sources, nodeIds: readonly string[]): Promise<Node[]> {
  const found = await nodes.findAll(nodeIds)
  return nodeIds.map((nodeId) => {
    const node = found.find((one) => one.nodeId === nodeId)
    if (node === undefined) throw new ApiError('not_found', `No node ${nodeId} is registered.`)
    if (node.role !== 'validator') throw refused(`The node ${nodeId} is registered as a ${node.role}.`)
    if (node.revokedAt !== null)
      throw refused(`The key of ${nodeId} was revoked at ${node.revokedAt}. The validator needs another key.`)
    return node
  })
}

/** When an emergency generation takes effect: with the generation that the oldest open epoch has. */
async function replacedFrom({ validators }: Sources, last: Generation, now: number): Promise<number> {
  const oldest = await validators.at(now - openSecs)
  const { effective_at } = last.document
  return Math.min(effective_at, oldest?.document.effective_at ?? effective_at)
}

const members = (profile: Profile, nodes: readonly { nodeId: string; publicKey: string }[]) => ({
  v: 1 as const,
  network: profile.network,
  validators: nodes
    .map(({ nodeId, publicKey }) => ({ public_key: publicKey, node_id: nodeId }))
    .sort((a, b) => (a.public_key < b.public_key ? -1 : 1)),
})

function hashed(profile: Profile, document: ValidatorGeneration): NewGeneration {
  const parsed = parseGeneration(profile, document)
  return { document: parsed, hash: hashGeneration(profile, parsed) }
}

/** Makes a lapsed generation again, for a later time, to be signed again. @returns False if it is not the one that waits any more. */
export async function renewGeneration(
  { pendingGenerations }: Pick<Sources, 'pendingGenerations'>,
  profile: Profile,
  last: Generation,
  lapsed: PendingGeneration,
  now: number,
): Promise<boolean> {
  const effective_at = effectiveFrom(last.document, now, lapsed.renewals + 1)
  const made = hashed(profile, { ...lapsed.document, effective_at })
  return pendingGenerations.renew(lapsed, made, now)
}

import {
  type Attestation,
  findSuccessionProblem,
  type GenerationProblem,
  generationSigners,
  hashGeneration,
  isEmergencyGeneration,
  signGeneration,
  type ValidatorGeneration,
} from '../../../../protocol/committees/index.ts'
import { nodeSigner } from '../../node-signer.ts'
import type { Uses } from '../part.ts'
import type { GenerationFollower } from './follower.ts'

export type SigningProblem =
  | GenerationProblem
  | 'no_generation'
  | 'not_the_coordinator'
  | 'not_a_signer'
  | 'too_late'
  | 'signed_another'

export class GenerationRefused extends Error {
  override readonly name = 'GenerationRefused'
  readonly reason: SigningProblem

  constructor(reason: SigningProblem, message: string) {
    super(message)
    this.reason = reason
  }
}

export type GenerationSignerParts = Uses<
  'clock' | 'generations' | 'identity' | 'log' | 'params' | 'profile' | 'seed',
  'generations' | 'votes'
> & { readonly generationFollower: Pick<GenerationFollower, 'now'> | null }

/**
 * Signs the next generation of validators as a validator of the one before it. It signs another document of the same number
 * only once the documents that it signed have lapsed: their time has passed, and the coordinator has signed none of them,
 * else the chain would have it. An emergency generation replaces any signed document, and only another one replaces it.
 *
 * @param caller - The key that asks.
 * @throws {@link GenerationRefused}, {@link VoteWithheld}
 */
export async function signNextGeneration(
  node: GenerationSignerParts,
  document: ValidatorGeneration,
  caller: string,
): Promise<Attestation> {
  const { generations, generationFollower, store, profile, seed, clock, log } = node
  const hash = hashGeneration(profile, document)
  const { generation, effective_at } = document
  const given = () => store.generations.signed(generations.network, generation)
  // An earlier signature is returned again, even once it is a part of the chain: the answer may have been lost.
  const before = given().find((one) => one.hash === hash)
  if (before !== undefined) return before.signature
  // The hub may show it already, with the signatures of others.
  await generationFollower?.now()
  const previous = generations.newestDocument
  if (previous === null || generations.coordinator === null)
    throw new GenerationRefused('no_generation', 'This node knows no generation of validators yet.')
  const problem = findSuccessionProblem(profile, previous, document)
  if (problem !== null)
    throw new GenerationRefused(
      problem,
      `Generation ${generation} does not extend the chain of this node, whose newest generation is ${previous.generation} (${problem}).`,
    )
  if (caller !== generations.coordinator)
    throw new GenerationRefused(
      'not_the_coordinator',
      `Only the coordinator that began the chain, ${generations.coordinator}, has generations signed.`,
    )
  if (!generationSigners(previous, document).includes(node.identity.publicKey))
    throw new GenerationRefused(
      'not_a_signer',
      `This node is not one of the validators of generation ${previous.generation} that sign generation ${generation}.`,
    )
  const isEmergency = isEmergencyGeneration(previous, document)
  const now = clock.now()
  if (!isEmergency && effective_at <= now)
    throw new GenerationRefused(
      'too_late',
      `Generation ${generation} would take effect at ${effective_at}, and the time of this node is ${now}: epochs that run would change their validators.`,
    )
  const standing = given().find(
    (one) => one.effectiveAt > now || isEmergencyGeneration(previous, { effective_at: one.effectiveAt }),
  )
  if (standing !== undefined && !isEmergency)
    throw new GenerationRefused(
      'signed_another',
      `This node signed another document of generation ${generation}, ${standing.hash}, which has not lapsed.`,
    )
  // An emergency takes effect in the past; a copy of the data directory may sign it.
  if (!isEmergency) store.votes.checkAllowed(effective_at - node.params().snapshot_lead_secs)
  const signature = signGeneration(profile, nodeSigner(seed), document)
  store.generations.keepSigned(
    generations.network,
    generation,
    { hash, signature, effectiveAt: effective_at },
    now,
  )
  log.info('next generation of validators signed', { generation, hash, is_emergency: isEmergency })
  return signature
}

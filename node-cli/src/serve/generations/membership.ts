import type { NodeIdentity } from '../node-key.ts'
import { NotYet, refusal } from '../validator/refusal.ts'
import type { GenerationFollower } from './follower.ts'
import type { Generation, Generations } from './generations.ts'

export interface KnownValidators {
  readonly generations: Generations
  /** Asks the hub for generations that this node lacks; null without a hub. */
  readonly generationFollower: Pick<GenerationFollower, 'ask'> | null
}

export interface TimedEpoch {
  readonly epoch: number
  readonly epochSecs: number
}

/** The generation whose validators count for an epoch. @throws {@link NotYet} where this node does not know it. */
export function generationOf(
  { generations, generationFollower }: KnownValidators,
  { epoch, epochSecs }: TimedEpoch,
): Generation {
  const found = generations.ofEpoch(epoch, epochSecs)
  if (found !== null) return found
  void generationFollower?.ask()
  throw new NotYet(`this node knows no generation of validators for the epoch ${epoch}`)
}

/** @throws {@link Refusal} where this node does not validate for an epoch; {@link NotYet} */
export async function requireMembership(
  node: KnownValidators & { readonly identity: NodeIdentity },
  epoch: TimedEpoch,
): Promise<void> {
  // The hub that asks for a vote has validators: a network that had none has begun.
  if (node.generations.newest === null) await node.generationFollower?.ask()
  const { generation, effective_at, keys } = generationOf(node, epoch)
  if (keys.includes(node.identity.publicKey)) return
  // An emergency generation counts for epochs that run.
  void node.generationFollower?.ask()
  throw refusal(
    'epoch',
    `${epoch.epoch} belongs to generation ${generation} of the validators, effective from ${effective_at}, and this node is not one of its ${keys.length}.`,
    'other_generation',
  )
}

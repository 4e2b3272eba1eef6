/** The generations of validators that a hub shows, checked against the rules of the protocol. */
import {
  findGenerationProblem,
  parseSignedGeneration,
  type ValidatorGeneration,
} from '../../../protocol/committees/index.ts'
import type { Profile } from '../../../protocol/identity/index.ts'

/** Adds to `chain`, the oldest first, each that is signed by the coordinator and a quorum of the one before. @throws for one that is not. */
export function addGenerations(
  chain: ValidatorGeneration[],
  profile: Profile,
  shown: readonly unknown[],
  coordinator: string | null,
): void {
  if (coordinator === null) throw new Error('the hub names no coordinator')
  const all = shown.map((one) => parseSignedGeneration(profile, one))
  for (const one of all.sort((a, b) => a.document.generation - b.document.generation)) {
    const problem = findGenerationProblem(profile, chain.at(-1) ?? null, one, coordinator)
    if (problem !== null) throw new Error(`generation ${one.document.generation}: ${problem}`)
    chain.push(one.document)
  }
}

export const keysOf = (generation: ValidatorGeneration | null): string[] =>
  generation?.validators.map((one) => one.public_key) ?? []

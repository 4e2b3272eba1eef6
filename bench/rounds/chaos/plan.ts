import { type Draws, draws } from '../../draws.ts'
import type { Habits } from '../simulator/miner.ts'
import type { ValidatorMode } from '../simulator/validators.ts'

/** What happens while the tasks of one turn are on their way. */
export interface TurnPlan {
  /** By miner. Those that lie are fewer than a quorum of any committee. */
  readonly habits: readonly Habits[]
  readonly validators: readonly ValidatorMode[]
  /** Milliseconds after which the hub is killed; null when it is not. */
  readonly kill: number | null
  /** When a miner loses its socket, and which. */
  readonly cuts: readonly { readonly ms: number; readonly miner: number }[]
  /** When the chain is reorganised, and the share of the depth that it may have. */
  readonly reorganisations: readonly { readonly ms: number; readonly share: number }[]
  /** Share of the questions to the chain that fail. */
  readonly chainFaults: number
  /** Whether the chain answers nothing at all for a while. */
  readonly chainAway: boolean
}

/** Within which the faults of a turn begin. */
export const faultsWithinMs = 6_000

/** Two liars are fewer than a quorum of three. */
const liarsMax = 2

const waysToLie: readonly Habits[] = [{ lies: 100 }, { lies: 50 }, { liesAlone: 100 }, { votesTwice: 60 }]
const waysToFail: readonly Habits[] = [
  {},
  {},
  {},
  { silent: 40 },
  { declines: 40 },
  { forgets: 30 },
  { cuts: 50 },
  { repeats: 100 },
  { votesInvalid: 5 },
]

export function planTurn(seed: number, miners: number): TurnPlan {
  const random = draws(seed)
  const liars = new Set(Array.from({ length: random.below(liarsMax + 1) }, () => random.below(miners)))
  return {
    habits: Array.from({ length: miners }, (_, index) =>
      liars.has(index) ? random.pick(waysToLie) : random.pick(waysToFail),
    ),
    validators: validatorsOf(random),
    kill: random.percent(50) ? random.below(faultsWithinMs) : null,
    cuts: Array.from({ length: random.below(6) }, () => ({
      ms: random.below(faultsWithinMs),
      miner: random.below(miners),
    })),
    reorganisations: random.percent(30)
      ? [{ ms: random.below(faultsWithinMs), share: random.below(100) / 100 }]
      : [],
    chainFaults: random.below(4) * 0.04,
    chainAway: random.percent(20),
  }
}

/** At most one lies, and now and then so many are silent that there is no quorum until they are back. */
function validatorsOf(random: Draws): ValidatorMode[] {
  if (random.percent(50)) return ['honest', 'honest', 'honest', 'honest']
  if (random.percent(30)) return ['silent', 'silent', 'honest', 'honest']
  return random.pick<ValidatorMode[]>([
    ['lies', 'honest', 'honest', 'honest'],
    ['honest', 'silent', 'honest', 'honest'],
  ])
}

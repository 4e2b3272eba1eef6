import { type Draws, draws } from '../harness/draws.ts'
import type { Ending } from '../network/end-node.ts'

/** One process ends, and comes back after a while. */
export interface Restart {
  readonly who: 'hub' | 'validator' | 'miner'
  /** From 0 to 1: which of the nodes that are up then. */
  readonly which: number
  readonly signal: Ending
  readonly afterMs: number
  readonly downMs: number
}

export type ValidatorChange = 'join' | 'leave' | 'replace'

/** Tasks, faults and changes of one epoch. */
export interface EpochPlan {
  /** Tasks in the middle of the epoch, given at once. */
  readonly tasks: number
  /** Milliseconds before the end of the epoch at which tasks are given; none where time leaps over the end. */
  readonly beforeEndMs: readonly number[]
  /** While nobody works. */
  readonly atRest: Restart | null
  /** While tasks are worked on. */
  readonly atWork: Restart | null
  /** While the epoch ends. */
  readonly atEnd: Restart | null
  /** How long logs come after the headers of their blocks; 0 for not at all. */
  readonly logsLagMs: number
  readonly validators: ValidatorChange | null
  readonly miners: 'join' | 'leave' | null
  /** Whether members claim what is released. */
  readonly claims: boolean
}

/** Validators change in every seventh epoch. */
const validatorChanges: readonly ValidatorChange[] = ['join', 'leave', 'replace']
const validatorsEach = 7
const minersEach = 11
const claimsEach = 8

/** The plan of a week, which the seed fixes. */
export function planWeek(seed: number, epochs: number): EpochPlan[] {
  const random = draws(seed)
  return Array.from({ length: epochs }, (_, index) => planEpoch(random, index))
}

function planEpoch(random: Draws, index: number): EpochPlan {
  const endsNaturally = random.percent(18)
  const restart = (share: number, roles: readonly Restart['who'][]): Restart | null =>
    random.percent(share)
      ? {
          who: random.pick(roles),
          which: random.below(1_000) / 1_000,
          signal: random.percent(50) ? 'SIGTERM' : 'SIGKILL',
          afterMs: random.below(3_000),
          downMs: random.below(4_000),
        }
      : null
  const [beforeEnd, atEnd] = [
    Array.from({ length: 1 + random.below(3) }, () => random.below(5_000)).sort((a, b) => b - a),
    restart(30, ['validator', 'validator', 'hub']),
  ]
  return {
    // Nobody works in some epochs, and nothing is posted of them.
    tasks: random.percent(6) ? 0 : 1 + random.below(3),
    beforeEndMs: endsNaturally ? beforeEnd : [],
    atRest: restart(18, ['miner', 'miner', 'miner', 'validator', 'validator', 'hub']),
    atWork: restart(25, ['validator', 'validator', 'validator', 'validator', 'hub', 'miner']),
    atEnd: endsNaturally ? atEnd : null,
    logsLagMs: random.percent(30) ? 1_000 + random.below(4_000) : 0,
    validators:
      index % validatorsEach === 1
        ? (validatorChanges[Math.floor(index / validatorsEach) % validatorChanges.length] ?? null)
        : null,
    miners: index % minersEach === 3 ? (Math.floor(index / minersEach) % 2 === 0 ? 'join' : 'leave') : null,
    claims: index % claimsEach === claimsEach - 1,
  }
}

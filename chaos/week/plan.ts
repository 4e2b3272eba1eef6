import { type Draws, draws } from '../harness/draws.ts'

export type EpochPlan = ReturnType<typeof planEpoch>
export type Restart = NonNullable<EpochPlan['atRest']>

const validatorChanges = ['join', 'leave', 'replace'] as const
const validatorsEach = 7
const minerChanges = ['join', 'leave'] as const
const minersEach = 11
const claimsEach = 8

export function planWeek(seed: number, epochs: number) {
  const random = draws(seed)
  return Array.from({ length: epochs }, (_, index) => planEpoch(random, index))
}

function planEpoch(random: Draws, index: number) {
  const endsNaturally = random.percent(18)
  const restart = (share: number, roles: readonly ('hub' | 'validator' | 'miner')[]) =>
    random.percent(share)
      ? {
          who: random.pick(roles),
          /** From 0 to 1: which of the nodes that are up then. */
          which: random.below(1_000) / 1_000,
          signal: random.percent(50) ? ('SIGTERM' as const) : ('SIGKILL' as const),
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
    /** Milliseconds before the end of the epoch at which tasks are given; none where time leaps over the end. */
    beforeEndMs: endsNaturally ? beforeEnd : [],
    atRest: restart(18, ['miner', 'miner', 'miner', 'validator', 'validator', 'hub']),
    atWork: restart(25, ['validator', 'validator', 'validator', 'validator', 'hub', 'miner']),
    atEnd: endsNaturally ? atEnd : null,
    /** How long logs come after the headers of their blocks; 0 for not at all. */
    logsLagMs: random.percent(30) ? 1_000 + random.below(4_000) : 0,
    validators:
      index % validatorsEach === 1
        ? validatorChanges[Math.floor(index / validatorsEach) % validatorChanges.length]!
        : null,
    miners: index % minersEach === 3 ? minerChanges[Math.floor(index / minersEach) % 2]! : null,
    /** Whether members claim what is released. */
    claims: index % claimsEach === claimsEach - 1,
  }
}

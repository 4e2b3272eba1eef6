import { quorum } from '../../protocol/committees/index.ts'
import { type FrameVersion, frameVersions } from '../../protocol/link/index.ts'
import type { Conduct } from '../harness/conduct.ts'
import { draws } from '../harness/draws.ts'
import { epochSecs, membersMax } from './people.ts'
import { noFaults, type PlatformFaults } from './platform/faults.ts'
import type { ValidatorConduct } from './validators.ts'

export interface MemberPlan {
  readonly slots: number
  readonly skewSecs: number
  readonly runMs: number
  /** Its conduct in successive offers; after the last one, the first again. */
  readonly conducts: readonly Conduct[]
}

export interface ValidatorPlan {
  /** Whether it keeps a link to the hub. Validators without one are called by HTTP. */
  readonly isLinked: boolean
  readonly skewSecs: number
  readonly conductAt: (elapsedSecs: number) => ValidatorConduct
}

export type Incident =
  /** The hub is away for `secs`, and comes back as a later or earlier build, which knows frames up to version `frames`. */
  | {
      readonly kind: 'deploy'
      readonly atSecs: number
      readonly closeCode: number
      readonly secs: number
      readonly frames: FrameVersion
    }
  | {
      readonly kind: 'cut_off' | 'killed' | 'stopped'
      readonly atSecs: number
      readonly member: number
      readonly secs: number
    }
  /** The links of a member, or the rounds that are open, cannot be reached. */
  | { readonly kind: 'link_down'; readonly atSecs: number; readonly member: number; readonly secs: number }
  | { readonly kind: 'rounds_down'; readonly atSecs: number; readonly secs: number }
  | { readonly kind: 'silent_chain'; readonly atSecs: number; readonly secs: number }
  | { readonly kind: 'reorganisation'; readonly atSecs: number; readonly secs: number }
  | { readonly kind: 'hub_clock'; readonly atSecs: number; readonly secs: number }
  /** The next epoch has other parameters, which the hub has announced. From this time on nodes are updated, one after the other, within `secs` seconds. */
  | { readonly kind: 'parameters'; readonly atSecs: number; readonly secs: number }

/** The scenario of a seed. */
export interface Plan {
  readonly seed: number
  /** Seconds after the start of an epoch. */
  readonly startsAtSecs: number
  readonly members: readonly MemberPlan[]
  readonly validators: readonly ValidatorPlan[]
  /** Milliseconds that an honest validator takes to answer at least. */
  readonly answerMs: number
  /** How long after its epoch began, or the simulation did, each set is attested. */
  readonly attestedAfterSecs: number
  /** When tasks are submitted. */
  readonly tasks: readonly {
    readonly atSecs: number
    readonly hasKey: boolean
    readonly underfunded: boolean
  }[]
  readonly incidents: readonly Incident[]
  readonly faults: PlatformFaults
  readonly databaseFaults: number
  /** From here on nothing goes wrong any more. */
  readonly faultsEndSecs: number
}

const faultsEndSecs = 240
/** Conducts of simulated members. */
const conducts: readonly Conduct[] = [
  ...(['honest', 'lies', 'lies_alone', 'equivocates', 'votes_invalid'] as const),
  ...(['silent', 'declines', 'forgets', 'votes_late', 'repeats'] as const),
  ...(['cut_before_vote', 'cut_after_vote', 'killed_before_vote', 'killed_after_vote'] as const),
]
const incidentKinds = [
  ...(['deploy', 'deploy', 'deploy'] as const),
  ...(['cut_off', 'killed', 'stopped'] as const),
  ...(['link_down', 'link_down', 'rounds_down'] as const),
  ...(['silent_chain', 'reorganisation', 'hub_clock', 'parameters'] as const),
]

export function planOf(seed: number): Plan {
  const { below, percent, pick } = draws(seed ^ 0x5eed)
  const memberCount = percent(10) ? 1 + below(3) : 3 + below(membersMax - 2)
  const shareOfFaults = pick([0, 10, 30, 60])
  const conductOf = (): Conduct => (percent(shareOfFaults) ? pick(conducts) : 'honest')
  const validatorCount = pick([4, 4, 4, 5, 7])
  const spare = validatorCount - quorum(validatorCount)
  const bad = below(spare + 1)
  const isCalm = percent(20)
  const permille = (most: number) => (isCalm || percent(40) ? 0 : 1 + below(most))
  const incidentCount = isCalm ? 0 : below(6)
  const incident = (): Incident => {
    const [atSecs, secs] = [below(faultsEndSecs), 1 + below(90)]
    const kind = pick(incidentKinds)
    switch (kind) {
      case 'deploy':
        return {
          ...{ kind, atSecs, closeCode: pick([1012, 1006]), secs: percent(50) ? 0 : secs },
          frames: frameVersions[atSecs % frameVersions.length]!,
        }
      case 'hub_clock':
        return { kind, atSecs, secs: below(7) - 3 }
      case 'rounds_down':
      case 'silent_chain':
      case 'reorganisation':
      case 'parameters':
        return { kind, atSecs, secs }
      default:
        return { kind, atSecs, member: below(memberCount), secs }
    }
  }
  const plan = {
    seed,
    startsAtSecs: percent(25) ? epochSecs - 1 - below(90) : 60 + below(600),
    members: Array.from({ length: memberCount }, () => ({
      slots: 1 + below(4),
      skewSecs: percent(20) ? below(3) - 1 : 0,
      runMs: pick([20, 200, 2_000, 8_000]),
      conducts: Array.from({ length: 8 }, conductOf),
    })),
    validators: Array.from({ length: validatorCount }, (_, index) => {
      const conduct: ValidatorConduct = index < bad ? pick(['hung', 'away', 'lies', 'slow']) : 'honest'
      // All of them may be away for a while: the round waits for them.
      const awayFrom = percent(20) ? below(faultsEndSecs) : Number.POSITIVE_INFINITY
      const awayUntil = Math.min(awayFrom + below(100), faultsEndSecs)
      return {
        skewSecs: percent(20) ? below(21) - 10 : 0,
        conductAt: (secs: number) => (secs >= awayFrom && secs < awayUntil ? 'away' : conduct),
      }
    }),
    answerMs: pick([5, 5, 50, 300]),
    attestedAfterSecs: percent(70) ? 0 : below(200),
    tasks: Array.from({ length: 1 + below(5) }, () => ({
      atSecs: below(90),
      hasKey: percent(50),
      underfunded: percent(5),
    })),
    incidents: Array.from({ length: incidentCount }, incident),
    faults: {
      ...noFaults,
      callLost: permille(60),
      answerLost: permille(60),
      crash: permille(60),
      evicted: permille(100),
      alarmLate: permille(200),
      alarmTwice: permille(200),
    },
    databaseFaults: permille(150),
    faultsEndSecs,
  }
  const linkedShare = pick([0, 60, 100, 100])
  const validators = plan.validators.map((one) => ({ ...one, isLinked: percent(linkedShare) }))
  const isChanging = plan.incidents.some(({ kind }) => kind === 'parameters')
  // Tasks begin before the change and after it.
  const startsAtSecs = isChanging ? epochSecs - 1 - below(120) : plan.startsAtSecs
  return { ...plan, validators, startsAtSecs }
}

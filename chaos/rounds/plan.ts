import { quorum } from '../../protocol/committees/index.ts'
import { type Conduct, isLie } from '../harness/conduct.ts'
import { type Draws, draws } from '../harness/draws.ts'
import type { ValidatorMode } from './simulator/validators.ts'

/** One task, and what everybody does about it. */
export interface ScenarioPlan {
  readonly seed: number
  readonly project: number
  /** Milliseconds of its turn after which it is given. */
  readonly startMs: number
  /** Whether it is given only while the devices have their connections, as nearly all tasks are. */
  readonly isPatient: boolean
  /** By position in the draw; members that are not here are honest. */
  readonly members: ReadonlyMap<number, Conduct>
  /** By number, for each time that a validator is asked; the last mode stays. */
  readonly validators: readonly (readonly ValidatorMode[])[]
}

export type TurnPlan = ReturnType<typeof planTurn>
export type ValidatorChange = ReturnType<typeof changeOf>

/** Committees of the projects. The last one asks for more members than there are, so validators run its tasks. */
export const committees = [
  { size: 3, min_size: 3, backups: 3 },
  { size: 5, min_size: 3, backups: 3 },
  { size: 3, min_size: 3, backups: 0 },
  { size: 7, min_size: 3, backups: 1 },
  { size: 9, min_size: 9, backups: 0 },
] as const
/** Devices that work for every project. */
export const minerCount = 8
/** Within which the faults of a turn begin. */
export const faultsWithinMs = 8_000
const startsWithinMs = 8_000
const validatorCount = 4
/** Keys that join in the course of a network. */
export const spareValidators = 24
const skewMax = 2

const projectShares = [30, 30, 15, 21, 4]
const conductShares: readonly (readonly [Conduct, number])[] = [
  ['lies', 3],
  ['lies_alone', 2],
  ['equivocates', 2],
  ['votes_invalid', 1],
  ['silent', 2],
  ['declines', 2],
  ['forgets', 1],
  ['votes_late', 2],
  ['repeats', 3],
  ['sends_unknown', 3],
  ['cut_before_accept', 2],
  ['cut_before_vote', 2],
  ['cut_after_vote', 2],
  ['killed_before_accept', 2],
  ['killed_before_vote', 2],
  ['killed_after_vote', 2],
]

export function planScenario(seed: number): ScenarioPlan {
  const random = draws(seed)
  const project = shared(random, [...projectShares.entries()])
  return {
    seed,
    project,
    startMs: random.below(startsWithinMs),
    isPatient: random.percent(75),
    members: random.percent(60) ? membersOf(random, project) : new Map(),
    validators: validatorsOf(random),
  }
}

/**
 * One to three members that are not as they should be. Liars are fewer than a quorum of the smallest committee that may be
 * drawn, since slashes leave a set with fewer members than there are devices.
 */
function membersOf(random: Draws, project: number): Map<number, Conduct> {
  const { size, min_size, backups } = committees[project] as (typeof committees)[number]
  const asked = size + Math.min(1, backups)
  const members = new Map<number, Conduct>()
  for (let count = 1 + random.below(3); count > 0; count -= 1) {
    const conduct = shared(random, conductShares)
    const liars = [...members.values()].filter(isLie).length
    const position = random.below(asked)
    if (isLie(conduct) && liars + 1 >= quorum(min_size)) continue
    members.set(position, conduct)
  }
  return members
}

/** At most one validator lies. If two are silent, there is no quorum until one of them answers again, or never. */
function validatorsOf(random: Draws): ValidatorMode[][] {
  const all = Array.from({ length: validatorCount }, (): ValidatorMode[] => ['honest'])
  const set = (count: number, modes: ValidatorMode[]) => {
    const first = random.below(validatorCount)
    for (let i = 0; i < count; i += 1) all[(first + i) % validatorCount] = modes
    return all
  }
  return shared(random, [
    [() => all, 80],
    [() => set(1, ['lies']), 7],
    [() => set(1, ['silent']), 6],
    [() => set(2, ['silent', 'silent', 'honest']), 6],
    [() => set(2, ['silent']), 1],
  ] as const)()
}

/** A choice, by the shares of all. */
function shared<T>(random: Draws, choices: readonly (readonly [T, number])[]): T {
  let left = random.below(choices.reduce((sum, [, share]) => sum + share, 0))
  for (const [choice, share] of choices) {
    if (left < share) return choice
    left -= share
  }
  throw new Error('shares are whole numbers of at least 1')
}

/** The faults of one turn, which meet all of its tasks. */
export function planTurn(seed: number) {
  // Another stream than that of the scenario with the same seed.
  const random = draws(seed + 2 ** 31)
  const times = <T>(count: number, one: () => T): T[] => Array.from({ length: count }, one)
  const ms = () => random.below(faultsWithinMs)
  const miner = () => random.below(minerCount)
  return {
    /** Milliseconds after which the hub is killed. */
    kill: ms(),
    /** When a miner loses its socket, and which. */
    cuts: times(random.below(7), () => ({ ms: ms(), miner: miner() })),
    /** When the chain answers nothing, and for how long. */
    outages: times(1 + random.below(5), () => ({ ms: ms(), forMs: 300 + random.below(2_000) })),
    /** When the chain is reorganised, and the share of the depth that it may have. */
    reorganisations: random.percent(30) ? [{ ms: ms(), share: random.below(100) / 100 }] : [],
    /** Share of the questions to the chain that fail. */
    chainFaults: random.below(4) * 0.1,
    /** How long after its header a block has no logs, or only some; null if logs come with their blocks. */
    logsLagMs: random.percent(30) ? 1_000 + random.below(4_000) : null,
    validators: random.percent(55) ? changeOf(random) : null,
    /** When the process of a validator ends, and for how long; the validator as a share of the present ones. */
    restarts: times(random.below(3), () => ({
      ms: ms(),
      forMs: 200 + random.below(2_500),
      which: random.below(100) / 100,
    })),
    /** Seconds before the end of an epoch at which the turn begins; null if it begins whenever it is. */
    epochEnd: random.percent(45) ? 4 + random.below(random.percent(60) ? 14 : 90) : null,
    /** When developers fund their vaults, and which: events that the hub indexes. */
    funding: times(random.below(4), () => ({ ms: ms(), project: random.below(committees.length) })),
    /** Seconds that the clock of each miner and of each validator is ahead. */
    skews: {
      miners: times(minerCount, () => skewOf(random)),
      validators: times(validatorCount + spareValidators, () => skewOf(random)),
    },
    /** The miner that is not there for the whole turn, and how it went. */
    away: random.percent(30) ? { miner: miner(), how: random.pick(['killed', 'stopped'] as const) } : null,
    /** A miner that takes one task at a time. */
    busy: random.percent(20) ? miner() : null,
  }
}

const skewOf = ({ below }: Draws): number => below(2 * skewMax + 1) - skewMax

/** A change of the validators by the operator while tasks are on their way. */
const changeOf = (random: Draws) => ({
  ms: random.below(faultsWithinMs),
  /** One joins, one leaves, one takes the place of another, or of one whose key is ended at once. */
  kind: shared(random, [
    ['joins', 35],
    ['leaves', 25],
    ['replaced', 25],
    ['ended', 15],
  ] as const),
  /** Which of the present validators it is about, as a share of them. */
  which: random.below(100) / 100,
  /** For how long half of the validators do not sign the generation, in milliseconds. */
  withheldMs: random.percent(40) ? random.below(faultsWithinMs) : 0,
})

import { type Plan, planOf } from './plan.ts'
import { noFaults } from './platform/faults.ts'
import { playPlan } from './scenario.ts'

interface Finality {
  /** Milliseconds from the first question to validators to the final record, by round. */
  readonly ms: ReadonlyMap<string, number>
  /** Requests to validators for each task. */
  readonly requests: number
}

/** Runs tasks one after the other without any other fault. @throws A `Difference` where one of them does not end well. */
export async function finalityOf(given: {
  readonly seed: number
  readonly tasks: number
  readonly validators: number
  readonly hung: number
  /** How many of them keep no link; those that hang come first. */
  readonly unlinked: number
  readonly answerMs: number
}): Promise<Finality> {
  const { world } = await playPlan(calmPlan(given))
  const ms = [...world.validators.askedMs].map(
    ([roundId, askedMs]) => [roundId, world.records.endedMs.get(roundId)! - askedMs] as const,
  )
  return {
    ms: new Map(ms),
    requests: world.validators.requests / given.tasks,
  }
}

/** Five honest members, and nothing goes wrong but that some validators never answer. */
export function calmPlan({
  seed,
  tasks,
  validators,
  hung,
  unlinked,
  answerMs,
}: Parameters<typeof finalityOf>[0]): Plan {
  return {
    ...planOf(seed),
    startsAtSecs: 60,
    members: Array.from({ length: 5 }, () => ({
      ...{ slots: 4, skewSecs: 0, runMs: 200, conducts: ['honest'] as const },
    })),
    validators: Array.from({ length: validators }, (_, index) => ({
      isLinked: index >= unlinked,
      skewSecs: 0,
      conductAt: () => (index < hung ? 'hung' : 'honest'),
    })),
    answerMs,
    attestedAfterSecs: 0,
    tasks: Array.from({ length: tasks }, (_, index) => ({
      ...{ atSecs: 20 * index, hasKey: false, underfunded: false },
    })),
    incidents: [],
    faults: noFaults,
    databaseFaults: 0,
    faultsEndSecs: 20 * tasks,
  }
}

import type { ScenarioKind } from '../harness/kind.ts'
import './platform/register.ts'
import { addFigures, type Figures, sumFaults } from '../harness/figures.ts'

/** Rounds from the submission of a task to its final result, in one process and on virtual time. */
export const simulate: ScenarioKind = {
  atOnce: 1,
  perNetwork: 1_000,
  networksAtOnce: 2,
  start: async () => {
    // The hub's objects find their runtime only now.
    const { runScenario } = await import('./scenario.ts')
    let figures: Figures = {}
    return {
      runTurn: async ([seed = 0]) => {
        const { world, tasks } = await runScenario(seed)
        const { records, time, platform, validators } = world
        figures = addFigures(figures, {
          tasks: tasks.length,
          rounds: records.rounds.size,
          virtual_seconds: Math.round(world.elapsedSecs()),
          events: time.events,
          validator_requests: validators.requests,
          faults: sumFaults(platform.met),
        })
        return figures
      },
      finish: async () => figures,
      stop: async () => {},
    }
  },
}

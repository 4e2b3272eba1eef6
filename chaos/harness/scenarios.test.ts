import { describe, expect, test } from 'vitest'
import { Difference } from './difference.ts'
import type { Figures } from './figures.ts'
import type { ScenarioKind } from './kind.ts'
import { type NetworkTask, runNetwork, runScenarios } from './scenarios.ts'

const seedsFrom = (first: number, length: number) => Array.from({ length }, (_, index) => first + index)

/** A kind whose networks count their scenarios, and find a difference in one seed. */
function countingKind(wrongSeed?: number) {
  const turns: number[][] = []
  let stopped = 0
  const kind: ScenarioKind = {
    atOnce: 3,
    perNetwork: 7,
    networksAtOnce: 2,
    async start() {
      let figures: Figures = {}
      return {
        async runTurn(seeds) {
          turns.push([...seeds])
          if (wrongSeed !== undefined && seeds.includes(wrongSeed)) throw new Difference('too little')
          figures = { paid: BigInt(turns.length), faults: { lost: seeds.length } }
          return figures
        },
        finish: async () => figures,
        stop: async () => {
          stopped += 1
        },
      }
    },
  }
  return { kind, turns, stopped: () => stopped }
}

describe('the scenarios of a network', () => {
  test('run in batches of a fixed size, one batch after the other', async () => {
    const { kind, turns, stopped } = countingKind()
    const told: number[] = []
    const onTurn = ({ scenarios }: { scenarios: number }) => told.push(scenarios)
    const result = await runNetwork(kind, { seeds: seedsFrom(5, 7), say: () => {}, onTurn })
    expect(turns).toEqual([[5, 6, 7], [8, 9, 10], [11]])
    expect([told, result.scenarios, stopped()]).toEqual([[3, 6, 7], 7, 1])
  })

  test('stop at the first difference, and the error names their seeds', async () => {
    const { kind, turns, stopped } = countingKind(9)
    await expect(runNetwork(kind, { seeds: seedsFrom(5, 7), say: () => {} })).rejects.toThrow(
      new Difference('Seeds 8 to 10: too little'),
    )
    expect([turns.length, stopped()]).toEqual([2, 1])
  })
})

describe('the networks of a run', () => {
  const run = (runInProcess: Parameters<typeof runScenarios>[1]['runInProcess']) =>
    runScenarios(countingKind().kind, {
      kind: 'counting',
      scenarios: 16,
      firstSeed: 5,
      say: () => {},
      onResult: () => {},
      runInProcess,
    })

  test('share the seeds, and the run adds up their figures', async () => {
    const tasks: NetworkTask[] = []
    const result = await run(async (task, onMessage) => {
      tasks.push(task)
      const figures = { paid: 2n, faults: { lost: task.length, [`from_${task.first}`]: 1 } }
      onMessage({ result: { scenarios: task.length, figures } })
    })
    expect(tasks.map(({ first, length }) => [first, length])).toEqual([
      [5, 7],
      [12, 7],
      [19, 2],
    ])
    expect(result).toEqual({
      scenarios: 16,
      figures: { paid: 6n, faults: { lost: 16, from_5: 1, from_12: 1, from_19: 1 } },
    })
  })

  test('fail together if one of them reports a difference', async () => {
    const ended = run(async ({ first }, onMessage) => {
      if (first === 12) onMessage({ difference: 'too much' })
      else onMessage({ result: { scenarios: 7, figures: {} } })
    })
    await expect(ended).rejects.toThrow(new Difference('too much'))
  })
})

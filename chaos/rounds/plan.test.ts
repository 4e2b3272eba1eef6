import { describe, expect, test } from 'vitest'
import { quorum } from '../../protocol/committees/index.ts'
import { conducts, isLie } from '../harness/conduct.ts'
import { committees, planScenario, planTurn } from './plan.ts'

const turns = Array.from({ length: 500 }, (_, seed) => planTurn(seed))
const plans = Array.from({ length: 500 }, (_, seed) => planScenario(seed))

describe('the scenario of a seed', () => {
  test('is always the same, and differs from that of another seed', () => {
    expect(planScenario(4711)).toEqual(planScenario(4711))
    expect(planTurn(4711)).toEqual(planTurn(4711))
    expect(planScenario(4711)).not.toEqual({ ...planScenario(4712), seed: 4711 })
  })

  test('covers every conduct of a member and every project within five hundred seeds', () => {
    const seen = plans.flatMap(({ members }) => [...members.values()])
    expect(new Set(seen)).toEqual(new Set(conducts.filter((conduct) => conduct !== 'honest')))
    expect(new Set(plans.map(({ project }) => project)).size).toBe(committees.length)
  })

  test('has fewer liars than a quorum, and at most one lying validator', () => {
    for (const { members, project, validators } of plans) {
      const liars = [...members.values()].filter(isLie)
      // Slashes leave a set with fewer members than there are devices.
      expect(liars.length).toBeLessThan(quorum(committees[project]!.min_size))
      expect(validators.filter((modes) => modes.includes('lies')).length).toBeLessThan(2)
    }
  })
})

describe('the turn of a seed', () => {
  test('covers every change of validators, ends of epochs, late logs and restarts within five hundred seeds', () => {
    const kinds = turns.flatMap(({ validators }) => validators?.kind ?? [])
    expect(new Set(kinds)).toEqual(new Set(['joins', 'leaves', 'replaced', 'ended']))
    expect(turns.some(({ validators }) => (validators?.withheldMs ?? 0) > 0)).toBe(true)
    expect(turns.some(({ epochEnd }) => epochEnd !== null)).toBe(true)
    expect(turns.some(({ logsLagMs }) => logsLagMs !== null)).toBe(true)
    expect(turns.some(({ restarts }) => restarts.length > 0)).toBe(true)
  })

  test('has clocks that are up to two seconds ahead or behind', () => {
    const skews = turns.flatMap((turn) => [...turn.skews.miners, ...turn.skews.validators])
    expect(new Set(skews)).toEqual(new Set([-2, -1, 0, 1, 2]))
  })
})

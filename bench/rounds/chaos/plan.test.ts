import { describe, expect, test } from 'vitest'
import { quorum } from '../../../protocol/consensus/index.ts'
import { conducts, isLie } from '../simulator/conduct.ts'
import { committees, planScenario, planTurn } from './plan.ts'

const plans = Array.from({ length: 500 }, (_, seed) => planScenario(seed))

describe('the scenario of a seed', () => {
  test('is always the same, and another one for another seed', () => {
    expect(planScenario(4711)).toEqual(planScenario(4711))
    expect(planTurn(4711)).toEqual(planTurn(4711))
    expect(planScenario(4711)).not.toEqual({ ...planScenario(4712), seed: 4711 })
  })

  test('has everything that a member may do, and every project, among five hundred', () => {
    const seen = plans.flatMap(({ members }) => [...members.values()])
    expect(new Set(seen)).toEqual(new Set(conducts.filter((conduct) => conduct !== 'honest')))
    expect(new Set(plans.map(({ project }) => project)).size).toBe(committees.length)
  })

  test('has fewer liars than a quorum, and one validator that lies at most', () => {
    for (const { members, project, validators } of plans) {
      const liars = [...members.values()].filter(isLie)
      expect(liars.length).toBeLessThan(quorum(committees[project]!.size))
      expect(validators.filter((modes) => modes.includes('lies')).length).toBeLessThan(2)
    }
  })
})

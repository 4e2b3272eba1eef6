import { describe, expect, test } from 'vitest'
import { planScenario } from './plan.ts'

describe('the scenario of a seed', () => {
  test('is always the same, and differs from that of another seed', () => {
    expect(planScenario(4711)).toEqual(planScenario(4711))
    expect(planScenario(4711)).not.toEqual({ ...planScenario(4712), seed: 4711 })
  })

  test('covers each kind of attesters, funding, receipts, vetoes, claims and evidence within five hundred seeds', () => {
    const plans = Array.from({ length: 500 }, (_, seed) => planScenario(seed))
    const distinct = (values: readonly unknown[]) => [...new Set(values)].map(String).sort()
    const evidence = plans.flatMap((plan) => plan.evidence)
    const epochs = plans.flatMap((plan) => plan.epochs)
    expect(distinct(plans.flatMap(({ attesters }) => attesters))).toHaveLength(5)
    expect(distinct(plans.map(({ funding }) => funding))).toHaveLength(4)
    expect(distinct(epochs.flatMap(({ receipts }) => receipts.flat()))).toHaveLength(9)
    expect(distinct(epochs.map(({ veto }) => veto))).toEqual(['none', 'reopened', 'stands'])
    expect(distinct(epochs.flatMap(({ claims }) => claims))).toHaveLength(5)
    expect(distinct(evidence.map(({ flaw }) => flaw))).toHaveLength(11)
    expect(distinct(evidence.map(({ early }) => early))).toHaveLength(2)
    expect(distinct(evidence.map(({ dispute, decision }) => `${dispute} ${decision}`))).toHaveLength(12)
  })
})

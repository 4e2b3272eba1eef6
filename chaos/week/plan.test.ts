import { describe, expect, test } from 'vitest'
import { planWeek } from './plan.ts'

const week = planWeek(22, 168)

describe('the week of a seed', () => {
  test('is always the same, and differs from that of another seed', () => {
    expect(planWeek(22, 168)).toEqual(week)
    expect(planWeek(22, 24)).toEqual(week.slice(0, 24))
    expect(planWeek(23, 168)).not.toEqual(week)
  })

  test('contains every fault, every change, and epochs that end while tasks run', () => {
    const restarts = week
      .flatMap(({ atRest, atWork, atEnd }) => [atRest, atWork, atEnd])
      .filter((one) => one !== null)
    expect(new Set(restarts.map(({ who, signal }) => `${who} ${signal}`)).size).toBe(6)
    expect(new Set(week.map(({ validators }) => validators))).toEqual(
      new Set([null, 'join', 'leave', 'replace']),
    )
    expect(new Set(week.map(({ miners }) => miners))).toEqual(new Set([null, 'join', 'leave']))
    expect(week.some(({ logsLagMs }) => logsLagMs > 0)).toBe(true)
    expect(week.some(({ tasks, beforeEndMs }) => tasks === 0 && beforeEndMs.length === 0)).toBe(true)
    expect(week.filter(({ beforeEndMs }) => beforeEndMs.length > 0).length).toBeGreaterThan(20)
    expect(week.some(({ atEnd }) => atEnd?.who === 'hub')).toBe(true)
  })

  test('leaves a quorum of validators and enough devices for a committee', () => {
    const counted = (kind: 'validators' | 'miners', first: number): number[] => {
      let count = first
      return week.map((plan) => {
        if (plan[kind] === 'join') count += 1
        if (plan[kind] === 'leave') count -= 1
        return count
      })
    }
    expect(Math.min(...counted('validators', 4))).toBe(4)
    expect(Math.min(...counted('miners', 5))).toBe(5)
  })
})

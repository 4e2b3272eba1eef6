import { describe, expect, test } from 'vitest'
import { hashText } from '../../protocol/encoding/index.ts'
import { delayOf, isAwaited, scheduleSets } from './schedule.ts'

const hourly = { epochSecs: 3_600 }
const start = 500 * 3_600

describe('the sets that are due', () => {
  test('are the set of the running epoch and, in its last 300 s, that of the next epoch', () => {
    const early = { due: [{ epoch: 500, version: hourly }], nextAt: start + 3_300 }
    expect(scheduleSets(start, () => hourly, 0)).toEqual(early)
    expect(scheduleSets(start + 3_299, () => hourly, 0)).toEqual(early)
    const late = {
      due: [
        { epoch: 500, version: hourly },
        { epoch: 501, version: hourly },
      ],
      nextAt: start + 3_600,
    }
    expect(scheduleSets(start + 3_300, () => hourly, 0)).toEqual(late)
    expect(scheduleSets(start + 3_599, () => hourly, 0)).toEqual(late)
  })

  test('of many projects become due at different times within the first 200 of these 300 s', () => {
    const projects = Array.from({ length: 10_000 }, (_, i) => delayOf(hashText(`project ${i}`)))
    const counts = Map.groupBy(projects, (delay) => delay)
    expect([counts.size, Math.min(...counts.keys()), Math.max(...counts.keys())]).toEqual([200, 0, 199])
    expect(Math.max(...[...counts.values()].map(({ length }) => length))).toBeLessThan(100)
    const at = (time: number) => scheduleSets(time, () => hourly, 150)
    expect([at(start + 3_449).due.length, at(start).nextAt]).toEqual([1, start + 3_450])
    expect([at(start + 3_450).due.length, at(start + 3_450).nextAt]).toEqual([2, start + 3_750])
    expect(at(start + 3_600).due).toEqual([{ epoch: 501, version: hourly }])
  })

  test('change to longer epochs at the boundary where the new version starts', () => {
    const longer = { epochSecs: 7_200 }
    const boundary = 502 * 3_600
    const versionAt = (time: number) => (time >= boundary ? longer : hourly)
    expect(scheduleSets(boundary - 10, versionAt, 0).due).toEqual([
      { epoch: 501, version: hourly },
      { epoch: 251, version: longer },
    ])
    expect(scheduleSets(boundary, versionAt, 0).due).toEqual([{ epoch: 251, version: longer }])
  })

  test('are expected from then on until their epoch ends', () => {
    const at = (time: number) => isAwaited(500, 3_600, time)
    expect([at(start - 301), at(start - 300), at(start + 3_599), at(start + 3_600)]).toEqual([
      false,
      true,
      true,
      false,
    ])
  })
})

import { describe, expect, test } from 'vitest'
import { isAwaited, scheduleSets } from './schedule.ts'

const hourly = { epochSecs: 3_600 }
const start = 500 * 3_600

describe('the sets that are due', () => {
  test('are that of the running epoch, and from 300 s before it that of the next', () => {
    const early = { due: [{ epoch: 500, version: hourly }], nextAt: start + 3_300 }
    expect(scheduleSets(start, () => hourly)).toEqual(early)
    expect(scheduleSets(start + 3_299, () => hourly)).toEqual(early)
    const late = {
      due: [
        { epoch: 500, version: hourly },
        { epoch: 501, version: hourly },
      ],
      nextAt: start + 3_600,
    }
    expect(scheduleSets(start + 3_300, () => hourly)).toEqual(late)
    expect(scheduleSets(start + 3_599, () => hourly)).toEqual(late)
  })

  test('follow a version that makes epochs longer, at the boundary where it begins', () => {
    const longer = { epochSecs: 7_200 }
    const boundary = 502 * 3_600
    const versionAt = (time: number) => (time >= boundary ? longer : hourly)
    expect(scheduleSets(boundary - 10, versionAt).due).toEqual([
      { epoch: 501, version: hourly },
      { epoch: 251, version: longer },
    ])
    expect(scheduleSets(boundary, versionAt).due).toEqual([{ epoch: 251, version: longer }])
  })

  test('are awaited from then on until their epoch has ended', () => {
    const at = (time: number) => isAwaited(500, 3_600, time)
    expect([at(start - 301), at(start - 300), at(start + 3_599), at(start + 3_600)]).toEqual([
      false,
      true,
      true,
      false,
    ])
  })
})

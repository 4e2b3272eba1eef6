import { describe, expect, test } from 'vitest'
import {
  announcedAt,
  defaultNetworkParams,
  makeSchedule,
  type ParamsSchedule,
  phaseAt,
  phaseHash,
} from '../../../../protocol/identity/index.ts'
import { longestEpochSecs } from '../../../../protocol/manifest/index.ts'
import { compareParams } from './network-params.ts'

const from = 1_800_000_000
const first = makeSchedule(defaultNetworkParams, [])
const changing = makeSchedule(defaultNetworkParams, [{ from, params: { audit_bp: 2_000 } }])
const later = makeSchedule(defaultNetworkParams, [{ from: from + 86_400, params: { audit_bp: 2_000 } }])

/** The parameters that a hub with a schedule shows at a time. */
const saidBy = (schedule: ParamsSchedule, time: number) => ({
  time,
  params_hash: phaseHash(phaseAt(schedule, time)),
  next_params: announcedAt(schedule, time),
})

describe('the parameters of a hub and a node', () => {
  test.each([
    ['before the change', from - 1],
    ['from its first second on', from],
  ])('are the same if both know the change: %s', (_, time) => {
    expect(compareParams(changing, saidBy(changing, time))).toEqual({
      ...{ refusal: null, warning: null, endsAt: null },
    })
  })

  test('differ from the first second of a change that the node does not know, and it works until then', () => {
    const before = compareParams(first, saidBy(changing, from - 1))
    expect(before).toMatchObject({ refusal: null, endsAt: from + longestEpochSecs })
    expect(before.warning).toContain('change at 2027-01-15T08:00:00Z')
    expect(before.warning).toContain('this version of nodectl does not know')
    expect(compareParams(first, saidBy(changing, from)).refusal).toContain('update nodectl')
  })

  test('show that the hub is behind if only the node knows the change', () => {
    const before = compareParams(changing, saidBy(first, from - 1))
    expect(before).toMatchObject({ refusal: null, endsAt: null })
    expect(before.warning).toContain('which the hub does not announce')
    expect(compareParams(changing, saidBy(first, from)).refusal).toContain('its operator has to install')
  })

  test('differ if both know different changes: the earlier one decides who is behind', () => {
    expect(compareParams(later, saidBy(changing, from - 1)).endsAt).toBe(from + longestEpochSecs)
    expect(compareParams(changing, saidBy(later, from - 1)).warning).toContain('does not announce')
  })

  test('are compared without changes if an earlier hub announces none', () => {
    const { next_params: _, ...said } = saidBy(first, from)
    expect(compareParams(first, said)).toEqual({ refusal: null, warning: null, endsAt: null })
  })
})

import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { networkParamsOf } from './chain-profiles.ts'
import { defaultNetworkParams, hashNetworkParams, type ParamsChange } from './network-params.ts'
import {
  announcedAt,
  isSoonAfterChange,
  makeSchedule,
  nextPhase,
  paramsAt,
  paramsScheduleOf,
  phaseAt,
  phaseHash,
} from './params-schedule.ts'

const changes: readonly ParamsChange[] = [
  { from: 7_200, params: { audit_bp: 2_000 } },
  { from: 360_000, params: { gas_per_unit: 500_000 } },
]
const schedule = makeSchedule(defaultNetworkParams, changes)

test.each([
  [0, { audit_bp: 1_000, gas_per_unit: 1_000_000 }],
  [7_199, { audit_bp: 1_000, gas_per_unit: 1_000_000 }],
  [7_200, { audit_bp: 2_000, gas_per_unit: 1_000_000 }],
  [359_999, { audit_bp: 2_000, gas_per_unit: 1_000_000 }],
  [360_000, { audit_bp: 2_000, gas_per_unit: 500_000 }],
])(
  'at %i the latest change in force applies, and parameters that it does not name are unchanged',
  (time, expected) => {
    expect(paramsAt(schedule, time)).toEqual({ ...defaultNetworkParams, ...expected })
  },
)

test('a change is announced with its time and the hash of all parameters until it takes effect', () => {
  const hash = hashNetworkParams({ ...defaultNetworkParams, audit_bp: 2_000 })
  expect(announcedAt(schedule, 7_199)).toEqual({ from: 7_200, params_hash: hash })
  expect(phaseHash(phaseAt(schedule, 7_200))).toBe(hash)
  expect(announcedAt(schedule, 7_200)?.from).toBe(360_000)
  expect(announcedAt(schedule, 360_000)).toBe(null)
})

test('no network of this build has scheduled changes of its parameters', () => {
  for (const chainId of [31_337, 11_155_111, 84_532, 1, 4_242])
    expect(paramsScheduleOf(chainId)).toEqual([{ from: 0, params: networkParamsOf(chainId) }])
})

test('a change counts as recent for two of the longest epochs', () => {
  const at = (time: number) => isSoonAfterChange(schedule, time, 86_400)
  expect([0, 7_199, 7_200, 179_999, 180_000, 359_999, 360_000].map(at)).toEqual([
    ...[false, false, true, true, false, false, true],
  ])
})

describe('every schedule', () => {
  const anyChanges = fc.uniqueArray(fc.integer({ min: 1, max: 1_000 }), { maxLength: 6 }).chain((hours) =>
    fc.tuple(
      ...hours
        .toSorted((a, b) => a - b)
        .map((hour) =>
          fc.record({
            from: fc.constant(hour * 3_600),
            params: fc.record(
              { audit_bp: fc.nat(10_000), settle: fc.nat(300), weight_unit_wei: fc.constantFrom('1', '7') },
              { requiredKeys: [] },
            ),
          }),
        ),
    ),
  )
  const anyTime = fc.integer({ min: 0, max: 4_000_000 })

  test('has all parameters, with the changes so far applied in order', () => {
    fc.assert(
      fc.property(anyChanges, anyTime, (given, time) => {
        const expected = given
          .filter(({ from }) => from <= time)
          .reduce((params, change) => Object.assign(params, change.params), { ...defaultNetworkParams })
        const found = makeSchedule(defaultNetworkParams, given)
        expect(paramsAt(found, time)).toEqual(expected)
        expect(phaseHash(phaseAt(found, time))).toBe(hashNetworkParams(expected))
      }),
    )
  })

  test('applies the next parameters from their start, and changes nothing before', () => {
    fc.assert(
      fc.property(anyChanges, anyTime, anyTime, (given, time, other) => {
        const found = makeSchedule(defaultNetworkParams, given)
        const next = nextPhase(found, time)
        if (next !== null) expect(phaseAt(found, next.from)).toBe(next)
        const until = next?.from ?? Number.POSITIVE_INFINITY
        if (other >= time && other < until) expect(phaseAt(found, other)).toBe(phaseAt(found, time))
      }),
    )
  })
})

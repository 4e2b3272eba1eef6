import { expect, test } from 'vitest'
import { chainProfiles, defaultNetworkParams, networkParamsOf, paramsScheduleOf } from '../identity/index.ts'
import {
  describeParamsProblems,
  readParamsChanges,
  readParamsSchedule,
  scheduleProblems,
} from './params-changes.ts'

const localChain = 31_337
const from = 1_800_000_000
const problemsOf = (given: unknown, chainId = localChain) => {
  const read = readParamsChanges(chainId, given)
  return 'problems' in read ? describeParamsProblems(read.problems) : null
}

test('well-formed changes apply on top of the initial parameters of the chain', () => {
  const changes = [
    { from, params: { audit_bp: 2_000 } },
    { from: from + 90_000, params: { weight_unit_wei: '5', settle: 60 } },
  ]
  const first = networkParamsOf(11_155_111)
  const second = { ...first, audit_bp: 2_000 }
  expect(readParamsChanges(11_155_111, changes)).toEqual({
    schedule: [
      { from: 0, params: first },
      { from, params: second },
      { from: from + 90_000, params: { ...second, weight_unit_wei: '5', settle: 60 } },
    ],
  })
})

test('without a setting, the changes of the build apply', () => {
  expect(readParamsSchedule(localChain, undefined)).toEqual({
    schedule: [{ from: 0, params: defaultNetworkParams }],
  })
})

test.each([
  [{}, /^must be a list of at most 100 changes$/],
  [[7], /^\[0\] must be an object with exactly from and params/],
  [[{ from, params: { audit_bp: 1 }, note: '' }], /^\[0\] must be an object with exactly/],
  [[{ from: from + 1, params: { audit_bp: 1 } }], /^\[0\]\.from must be Unix seconds at a multiple of 3600/],
  [[{ from: '0', params: { audit_bp: 1 } }], /^\[0\]\.from must be Unix seconds/],
  [[{ from, params: {} }], /^\[0\]\.params must name what changes/],
  [
    [{ from, params: { gas: 1 } }],
    /^\[0\]\.params\.gas is not a parameter of the network; what may change is acc/,
  ],
  [
    [{ from, params: { unbonding_secs: 1 } }],
    /^\[0\]\.params\.unbonding_secs is fixed for the life of a net/,
  ],
  [[{ from, params: { max_skew: 1 } }], /^\[0\]\.params\.max_skew is fixed/],
  [[{ from, params: { audit_bp: 10_001 } }], /^\[0\]\.params\.audit_bp must be an integer from 0 to 10000$/],
  [[{ from, params: { gas_per_unit: 0 } }], /gas_per_unit must be an integer from 1 to/],
  [[{ from, params: { accept_secs: 1.5 } }], /accept_secs must be an integer from 1 to 600/],
  [[{ from, params: { weight_unit_wei: 5 } }], /weight_unit_wei must be an amount in wei above 0/],
  [[{ from, params: { weight_unit_wei: '0' } }], /weight_unit_wei must be an amount in wei above 0/],
  [
    [{ from, params: { settle: 371 } }],
    /^\[0\]\.params contradict others: settle is 371, and must be at most 370/,
  ],
])('%j is refused, and the problem names the member', (given, problem) => {
  expect(problemsOf(given)).toMatch(problem)
})

test('changes ascend, with gaps so long that no epoch is prepared under one and begins under another', () => {
  const after = (secs: number, chainId?: number) =>
    problemsOf(
      [
        { from, params: { audit_bp: 1 } },
        { from: from + secs, params: { audit_bp: 2 } },
      ],
      chainId,
    )
  expect(after(-3_600)).toMatch(
    /^\[1\]\.from is 1799996400, and must be at least 1800087360: the longest epoch/,
  )
  expect(after(86_400)).toMatch(/^\[1\]\.from/)
  expect(after(90_000)).toBe(null)
  expect(after(90_000, 84_532)).toBe(null)
})

test('a unit of weight is at most the lowest collateral, of which every node thus has a weight', () => {
  const floor = BigInt(defaultNetworkParams.min_collateral_floor)
  const unit = (wei: bigint) => problemsOf([{ from, params: { weight_unit_wei: String(wei) } }])
  expect(unit(floor)).toBe(null)
  expect(unit(floor + 1n)).toBe(
    `[0].params.weight_unit_wei is ${floor + 1n}, and must be at most ${floor}, the min_collateral_floor: a node with that collateral would have no weight in a draw`,
  )
  expect(
    problemsOf([
      { from, params: { weight_unit_wei: String(floor + 1n) } },
      { from: from + 90_000, params: { weight_unit_wei: '1' } },
    ])?.split('; '),
  ).toHaveLength(1)
})

test('all problems are reported at once', () => {
  const given = [
    { from: 5, params: { audit_bp: -1 } },
    { from, params: { treasury_bp_min: 5 } },
  ]
  expect(problemsOf(given)?.split('; ')).toHaveLength(3 + 1)
})

test('the changes of this build for each chain are also valid as a setting', () => {
  for (const { chainId, changes = [] } of chainProfiles) {
    expect(scheduleProblems(paramsScheduleOf(chainId), chainId)).toEqual([])
    expect(readParamsChanges(chainId, changes)).toEqual({ schedule: paramsScheduleOf(chainId) })
  }
})

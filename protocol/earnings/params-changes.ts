import { isAmount, isObject } from '../encoding/index.ts'
import {
  chainTimeProblems,
  defaultNetworkParams,
  type EpochParamName,
  epochParamNames,
  makeSchedule,
  type NetworkParams,
  networkParamsOf,
  type ParamsChange,
  type ParamsSchedule,
  paramsScheduleOf,
} from '../identity/index.ts'
import { longestEpochSecs, shortestEpochSecs } from '../manifest/index.ts'
import { settlementTimeProblems } from './settlement-times.ts'

export interface ParamsProblem {
  /** Such as `[0].params.audit_bp`. */
  readonly member: string
  readonly message: string
}

/** More than a network has in its life. */
const changesMax = 100

type IntegerName = Exclude<EpochParamName, 'weight_unit_wei'>

/** The range of each parameter, independent of the other parameters. */
const ranges: Readonly<Record<IntegerName, readonly [min: number, max: number]>> = {
  accept_secs: [1, 600],
  activation_delay_secs: [0, Number.MAX_SAFE_INTEGER],
  attempt_secs: [1, longestEpochSecs],
  audit_bp: [0, 10_000],
  gas_per_unit: [1, Number.MAX_SAFE_INTEGER],
  settle: [0, longestEpochSecs],
  slash_equivocation_bp: [0, 10_000],
}

/**
 * Reads changes of parameters that a setting gives instead of those that the build knows for the chain.
 * @returns The schedule with them, or everything that speaks against it, each with its member.
 */
export function readParamsChanges(
  chainId: number,
  given: unknown,
): { readonly schedule: ParamsSchedule } | { readonly problems: readonly ParamsProblem[] } {
  if (!Array.isArray(given) || given.length > changesMax)
    return { problems: [{ member: '', message: `must be a list of at most ${changesMax} changes` }] }
  const wrong = given.flatMap((change, index) => changeProblems(change, `[${index}]`))
  if (wrong.length > 0) return { problems: wrong }
  const schedule = makeSchedule(networkParamsOf(chainId), given as ParamsChange[])
  const problems = scheduleProblems(schedule, chainId)
  return problems.length > 0 ? { problems } : { schedule }
}

/** The schedule of a network: with the changes of a setting, or else with those of the build. */
export const readParamsSchedule = (chainId: number, given: unknown): ReturnType<typeof readParamsChanges> =>
  given === undefined ? { schedule: paramsScheduleOf(chainId) } : readParamsChanges(chainId, given)

/** The problems of changes, in one line. */
export const describeParamsProblems = (problems: readonly ParamsProblem[]): string =>
  problems.map(({ member, message }) => `${member} ${message}`.trim()).join('; ')

/** The problems of a schedule of well-formed changes: they come too close together, or times contradict each other. */
export function scheduleProblems(schedule: ParamsSchedule, chainId: number): ParamsProblem[] {
  const [{ params: first }, ...changes] = schedule
  const gap = longestEpochSecs + first.beacon_offset_secs
  const early = changes.flatMap(({ from }, index): ParamsProblem[] => {
    const before = changes[index - 1]?.from
    if (before === undefined || from >= before + gap) return []
    const message = `is ${from}, and must be at least ${before + gap}: the longest epoch and beacon_offset_secs after the change before it, so that no epoch is prepared under one and begins under another`
    return [{ member: `[${index}].from`, message }]
  })
  const floor = first.min_collateral_floor
  const heavy = changes.flatMap(({ params: { weight_unit_wei: unit } }, index): ParamsProblem[] => {
    if (BigInt(unit) <= BigInt(floor)) return []
    const message = `is ${unit}, and must be at most ${floor}, the min_collateral_floor: a node with that collateral would have no weight in a draw`
    return [{ member: `[${index}].params.weight_unit_wei`, message }]
  })
  const contradicting = changes.flatMap(({ params }, index) =>
    [...settlementTimeProblems(params), ...chainTimeProblems(params, chainId)].map((message) => ({
      member: `[${index}].params`,
      message: `contradict others: ${message}`,
    })),
  )
  return [...early, ...heavy, ...contradicting]
}

function changeProblems(change: unknown, member: string): ParamsProblem[] {
  if (
    !isObject(change) ||
    Object.keys(change).toSorted().join() !== 'from,params' ||
    !isObject(change.params)
  )
    return [{ member, message: 'must be an object with exactly from and params, and params an object' }]
  const { from, params } = change
  const isBoundary =
    Number.isSafeInteger(from) && (from as number) > 0 && (from as number) % shortestEpochSecs === 0
  const names = Object.keys(params)
  return [
    ...(isBoundary
      ? []
      : [
          {
            member: `${member}.from`,
            message: `must be Unix seconds at a multiple of ${shortestEpochSecs}, where epochs begin`,
          },
        ]),
    ...(names.length > 0 ? [] : [{ member: `${member}.params`, message: 'must name what changes' }]),
    ...names.flatMap((name) => valueProblems(name, params[name], `${member}.params.${name}`)),
  ]
}

function valueProblems(name: string, value: unknown, member: string): ParamsProblem[] {
  if (!isEpochParam(name)) {
    const message = Object.hasOwn(defaultNetworkParams, name)
      ? `is fixed for the life of a network; what may change is ${epochParamNames.join(', ')}`
      : `is not a parameter of the network; what may change is ${epochParamNames.join(', ')}`
    return [{ member, message }]
  }
  if (name === 'weight_unit_wei')
    return isAmount(value) && value !== '0'
      ? []
      : [{ member, message: 'must be an amount in wei above 0, as decimal text' }]
  const [min, max] = ranges[name]
  const isIn = Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max
  return isIn ? [] : [{ member, message: `must be an integer from ${min} to ${max}` }]
}

const isEpochParam = (name: string): name is EpochParamName & keyof NetworkParams =>
  (epochParamNames as readonly string[]).includes(name)

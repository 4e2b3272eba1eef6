import {
  hasCharacters,
  hasExactKeys,
  isAddress,
  isAmount,
  isBytes32,
  isListOf,
  isObject,
  MemberChecker,
  type Problem,
  sortProblems,
} from '../encoding/index.ts'

/** What a user keeps with the hub. PUT replaces the whole object. */
export interface Preferences {
  /** Project ids, at most 200. */
  readonly watchlist: readonly string[]
  /** At most 20 of at most 100 characters. */
  readonly recent_searches: readonly string[]
  /** At most 20, labels of at most 64 characters. */
  readonly saved_addresses: readonly { readonly address: string; readonly label: string }[]
  readonly earnings_goal: {
    readonly token: string
    /** Base units, a decimal string. */
    readonly amount: string
    readonly period: 'day' | 'week' | 'month'
  } | null
  readonly notifications: Readonly<Record<string, boolean>>
  /** At most 32 characters. */
  readonly display_name: string | null
}

/** What is read before anything was saved, and where a saved object left a member out. */
export const emptyPreferences: Preferences = {
  watchlist: [],
  recent_searches: [],
  saved_addresses: [],
  earnings_goal: null,
  notifications: {},
  display_name: null,
}

const periods: readonly unknown[] = ['day', 'week', 'month']

/** Finds everything wrong with submitted preferences (section 26), ordered by path; none means they may be saved. */
export function findPreferencesProblems(value: unknown): Problem[] {
  if (!isObject(value)) return [{ path: '', code: 'invalid_value', message: 'Preferences are an object.' }]
  const problems: Problem[] = []
  const root = new MemberChecker(problems, value, '', Object.keys(emptyPreferences), [])
  root.check('watchlist', (list) => isListOf(list, 200, isBytes32), 'At most 200 project ids.')
  root.check(
    'recent_searches',
    (list) => isListOf(list, 20, (text) => hasCharacters(text, 0, 100)),
    'At most 20 texts of at most 100 characters.',
  )
  root.check(
    'saved_addresses',
    (list) => isListOf(list, 20, isSavedAddress),
    'At most 20 of {address, label} with labels of at most 64 characters.',
  )
  root.check(
    'earnings_goal',
    (goal) => goal === null || isEarningsGoal(goal),
    'null, or {token, amount, period} with an amount and the period day, week or month.',
  )
  root.check(
    'notifications',
    (map) => isObject(map) && Object.values(map).every((on) => typeof on === 'boolean'),
    'A map of booleans.',
  )
  root.check(
    'display_name',
    (name) => name === null || hasCharacters(name, 0, 32),
    'null, or at most 32 characters.',
  )
  return sortProblems(problems)
}

function isSavedAddress(value: unknown): boolean {
  return (
    isObject(value) &&
    hasExactKeys(value, ['address', 'label']) &&
    isAddress(value.address) &&
    hasCharacters(value.label, 0, 64)
  )
}

function isEarningsGoal(value: unknown): boolean {
  return (
    isObject(value) &&
    hasExactKeys(value, ['token', 'amount', 'period']) &&
    hasCharacters(value.token, 0, 64) &&
    isAmount(value.amount) &&
    periods.includes(value.period)
  )
}

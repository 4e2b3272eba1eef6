import {
  charactersIn,
  isAddress,
  isAmount,
  isBytes32,
  isObject,
  isOneOf,
  isTextOf,
  joinPath,
  MemberChecker,
  type Problem,
  ProblemList,
  type Range,
} from '../encoding/index.ts'

/** Periods that a goal may be for. */
export const goalPeriods = ['day', 'week', 'month'] as const

/** The preferences that the hub stores for a user. PUT replaces the whole object. */
export interface Preferences {
  /** Project ids. */
  readonly watchlist: readonly string[]
  readonly recent_searches: readonly string[]
  readonly saved_addresses: readonly { readonly address?: string; readonly label?: string }[]
  readonly earnings_goal: {
    readonly token?: string
    /** Base units, a decimal string. */
    readonly amount?: string
    readonly period?: (typeof goalPeriods)[number]
  } | null
  readonly notifications: Readonly<Record<string, boolean>>
  readonly display_name: string | null
}

/** The values before a user saved any, and for members that a saved object left out. */
export const emptyPreferences: Preferences = {
  watchlist: [],
  recent_searches: [],
  saved_addresses: [],
  earnings_goal: null,
  notifications: {},
  display_name: null,
}

/** Most items of the lists, and most keys of the map. */
export const preferencesItemsMax = {
  watchlist: 200,
  recent_searches: 20,
  saved_addresses: 20,
  notifications: 64,
} as const

/** Lengths of the texts in characters. */
export const preferencesTexts = {
  recent_search: { min: 0, max: 100 },
  label: { min: 0, max: 64 },
  goal_token: { min: 0, max: 64 },
  notification: { min: 1, max: 64 },
  display_name: { min: 0, max: 32 },
} as const satisfies Record<string, Range>

/** Finds everything wrong with submitted preferences (section 26), ordered by path; none means they may be saved. */
export function findPreferencesProblems(value: unknown): Problem[] {
  if (!isObject(value)) return [{ path: '', code: 'invalid_value', message: 'Preferences are an object.' }]
  const problems = new ProblemList()
  const root = new MemberChecker(problems, value, '', Object.keys(emptyPreferences), [])
  root.list('watchlist', preferencesItemsMax.watchlist, isBytes32, 'A project id.')
  root.list(
    'recent_searches',
    preferencesItemsMax.recent_searches,
    isTextOf(preferencesTexts.recent_search),
    `A text of ${charactersIn(preferencesTexts.recent_search)}.`,
  )
  for (const saved of root.objects('saved_addresses', preferencesItemsMax.saved_addresses, [
    'address',
    'label',
  ])) {
    saved.check('address', isAddress, 'An address in lower case.')
    saved.text('label', preferencesTexts.label)
  }
  if (root.value('earnings_goal') !== null) checkGoal(root)
  checkNotifications(root)
  if (root.value('display_name') !== null) root.line('display_name', preferencesTexts.display_name)
  return problems.sorted()
}

function checkGoal(root: MemberChecker): void {
  const goal = root.object('earnings_goal', ['token', 'amount', 'period'], [])
  goal.text('token', preferencesTexts.goal_token)
  goal.check('amount', isAmount, 'An amount in base units, as a decimal string.')
  goal.check('period', isOneOf(goalPeriods), `One of ${goalPeriods.join(', ')}.`)
}

/** The keys are the client's own. */
function checkNotifications(root: MemberChecker): void {
  const most = preferencesItemsMax.notifications
  const map = root.check(
    'notifications',
    (value): value is Record<string, unknown> => isObject(value) && Object.keys(value).length <= most,
    `An object with at most ${most} keys.`,
  )
  const isName = isTextOf(preferencesTexts.notification)
  for (const [name, isOn] of Object.entries(map ?? {})) {
    const path = joinPath('notifications', name)
    if (!isName(name))
      root.report(path, 'invalid_value', `A key of ${charactersIn(preferencesTexts.notification)}.`)
    else if (typeof isOn !== 'boolean') root.report(path, 'invalid_value', 'true or false.')
  }
}

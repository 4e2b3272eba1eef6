import { type Budget, type BudgetName, budgets } from '../../workers/middleware/budgets.ts'
import type { Kept } from './leftovers.ts'
import type { Sent } from './load.ts'

/** Something that an attack uses up, and how much of it the limits allow. */
export interface Bound {
  what: string
  measured: number
  allowed: number
}

/** What one address may use of a budget in a time: the first window begins with it, the last one may end after it. */
function allowed(name: BudgetName, seconds: number): number {
  const { address = 0, windowSeconds }: Budget = budgets[name]
  return address * (1 + Math.floor(seconds / windowSeconds))
}

const recordTables = [
  'drafts',
  'preferences',
  'developers',
  'api_keys',
  'projects',
  'project_versions',
  'bindings',
  'devices',
  'subscriptions',
  'nodes',
  'reviews',
  'review_votes',
]
/** A call that is paid for as one record leaves up to two rows: a project and its version, a device and its binding. */
const rowsOfRecord = 2

const drips = 3

/** Holds what an attack was answered and what it left against the limits of one client address. */
export function findBounds(sent: readonly Sent[], seconds: number, before: Kept, after: Kept): Bound[] {
  const count = (...names: string[]) =>
    sent.filter(({ name, status }) => names.includes(name) && status !== 429 && status !== 0).length
  const byAddress = new Set(['sign-in', 'guessed token', 'fresh node key', 'junk node header'])
  const anonymous = new Set(['anonymous read', 'device bound', 'device described', 'node registered'])
  const ofSessions = sent.filter(
    ({ name, status }) => !byAddress.has(name) && !anonymous.has(name) && status !== 429 && status !== 0,
  ).length
  const rows = recordTables.reduce(
    (sum, table) => sum + (after.rows[table] ?? 0) - (before.rows[table] ?? 0),
    0,
  )
  const grown = (table: string) => (after.rows[table] ?? 0) - (before.rows[table] ?? 0)
  return [
    {
      what: 'calls of all sessions that were answered',
      measured: ofSessions,
      allowed: allowed('session', seconds),
    },
    {
      what: 'sign-in calls that were answered',
      measured: count('sign-in'),
      allowed: allowed('sign_in', seconds),
    },
    {
      what: 'calls without a credential, or of nodes nothing vouches for, that were answered',
      measured: count(...anonymous, 'fresh node key', 'junk node header'),
      allowed: allowed('anonymous', seconds),
    },
    {
      what: 'guessed tokens that cost a look into the database',
      measured: count('guessed token'),
      allowed: allowed('unproven', seconds),
    },
    { what: 'rows of records', measured: rows, allowed: rowsOfRecord * allowed('stored_records', seconds) },
    { what: 'modules', measured: grown('modules'), allowed: allowed('module_upload', seconds) },
    { what: 'images', measured: grown('assets'), allowed: allowed('asset_upload', seconds) },
    {
      what: 'MiB of files',
      measured: Math.round((after.fileBytes - before.fileBytes) / 2 ** 20),
      allowed: allowed('stored_files', seconds) / 1024,
    },
    {
      what: 'relayed actions, drips of the faucet among them',
      measured: after.relayedActions - before.relayedActions,
      allowed: allowed('relay', seconds) + drips,
    },
  ]
}

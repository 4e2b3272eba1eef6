import type { AccountState } from './account.ts'
import { type Environment, missingMembers } from './environment.ts'
import { chainIdOf, environmentProblems, hubVars, optionalSecrets, requiredSecrets } from './hub-settings.ts'
import { emptyRule, lifecycleRule, queueProblems, type Resources, resourcesOf } from './wrangler-config.ts'

type State =
  | 'exists'
  | 'differs'
  | 'will be created'
  | 'will be set'
  | 'will be removed'
  | 'optional'
  | 'unknown'

export interface PlanRow {
  readonly resource: string
  readonly name: string
  readonly state: State
  readonly cost: string
}

export interface Plan {
  readonly rows: readonly PlanRow[]
  readonly vars: Readonly<Record<string, string>>
  /** The settings in which the running version differs, each as a line. */
  readonly changes: readonly string[]
  /** The members that the operator has to fill in, each with the source of its value. Nothing is deployed before that. */
  readonly missing: readonly string[]
  /** The faults that the hub would refuse. */
  readonly problems: readonly string[]
}

/** Prices are of the paid plan, beyond what it includes; docs/costs.md has what a task and a month cost. */
const costs = {
  worker: '$5 a month for the account, $0.30 a million requests, $0.02 a million ms',
  database: '$1 a million rows written, $0.75 a GB and month',
  bucket: '$4.50 a million writes, $0.015 a GB and month',
  queue: '$0.40 a million operations',
  objects: '$0.15 a million requests, $12.50 a million GB-s, $1 a million rows written',
  none: 'none',
}

/**
 * The resources and settings that `up` would create and change.
 *
 * @param account - Null if its state was not read.
 * @param running - The settings of the running version; null before its first deployment, or if the account was not asked.
 */
export function planOf(
  environment: Environment,
  account: AccountState | null,
  running: Plan['vars'] | null = null,
): Plan {
  const resources = resourcesOf(environment)
  const vars = hubVars(environment)
  const changes = running === null ? [] : changesOf(running, vars)
  const missing = missingMembers(environment).map(([member, source]) => `${member}: ${source}`)
  return {
    rows: rowsOf(environment, resources, account, changes.length > 0),
    vars,
    changes,
    missing,
    // A missing value is not named as a problem too.
    problems: [...queueProblems(), ...(missing.length > 0 ? [] : environmentProblems(environment))],
  }
}

function changesOf(running: Plan['vars'], wanted: Plan['vars']): string[] {
  const names = [...new Set([...Object.keys(running), ...Object.keys(wanted)])].sort()
  return names
    .filter((name) => running[name] !== wanted[name])
    .map((name) => `${name}: ${running[name] ?? 'not set'} → ${wanted[name] ?? 'not set'}`)
}

function rowsOf(
  environment: Environment,
  resources: Resources,
  account: AccountState | null,
  isChanged: boolean,
): PlanRow[] {
  const stateOf = (exists: (state: AccountState) => boolean, otherwise: State): State =>
    account === null ? 'unknown' : exists(account) ? 'exists' : otherwise
  const { worker, database, buckets, queues, payloadBucket, objectsTag } = resources
  return [
    {
      resource: 'D1 database',
      name: database,
      state: stateOf(({ databaseId }) => databaseId !== null, 'will be created'),
      cost: costs.database,
    },
    ...buckets.map((name) => ({
      resource: 'R2 bucket',
      name,
      state: stateOf((state) => state.buckets.has(name), 'will be created'),
      cost: costs.bucket,
    })),
    {
      resource: 'R2 lifecycle rule',
      name: `${payloadBucket}/${lifecycleRule.prefix}: deleted after ${lifecycleRule.expireDays} days`,
      state: stateOf(({ hasLifecycleRule }) => hasLifecycleRule, 'will be set'),
      cost: costs.none,
    },
    ...[...(account?.emptied ?? [])].map((bucket) => ({
      resource: 'R2 lifecycle rule',
      name: `${bucket}: everything deleted after ${emptyRule.expireDays} day, by \`remove\``,
      state: 'will be removed' as const,
      cost: costs.none,
    })),
    ...queues.map((name) => ({
      resource: 'Queue',
      name,
      state: stateOf((state) => state.queues.has(name), 'will be created'),
      cost: costs.queue,
    })),
    ...requiredSecrets(environment).map(({ name }) => ({
      resource: 'Secret',
      name,
      state: stateOf(({ secrets }) => secrets.has(name), 'will be set'),
      cost: costs.none,
    })),
    ...optionalSecrets.map(({ name }) => ({
      resource: 'Secret',
      name,
      state: account?.secrets.has(name) ? ('exists' as const) : ('optional' as const),
      cost: costs.none,
    })),
    {
      resource: 'Worker',
      name: `${worker} at https://${environment.domain || '(no domain yet)'}`,
      state: isChanged ? 'differs' : stateOf((state) => state.objectsTag !== null, 'will be created'),
      cost: costs.worker,
    },
    {
      resource: 'Durable Objects',
      name: `classes up to ${objectsTag}`,
      state: stateOf((state) => state.objectsTag === objectsTag, 'will be created'),
      cost: costs.objects,
    },
    {
      resource: 'Roles on the chain',
      name: `of the relayer's account, on chain ${chainIdOf(environment)}: minter, dripper, reviewer, proposer, poster`,
      state: 'unknown',
      cost: 'gas of what is relayed',
    },
  ]
}

/** A plan as text for people. */
export function planText({ rows, vars, changes, missing, problems }: Plan): string {
  const columns = ['resource', 'name', 'state', 'cost'] as const
  const table = [Object.fromEntries(columns.map((column) => [column, column])), ...rows] as PlanRow[]
  const widths = columns.map((column) => Math.max(...table.map((row) => row[column].length)))
  const lines = table.map((row) =>
    columns
      .map((column, i) => row[column].padEnd(widths[i]!))
      .join('  ')
      .trimEnd(),
  )
  const list = (title: string, items: readonly string[]) =>
    items.length === 0 ? [] : ['', title, ...items.map((item) => `  ${item}`)]
  return [
    ...lines,
    ...list(
      'Settings',
      Object.entries(vars).map(([name, value]) => `${name} = ${value}`),
    ),
    ...list('Settings that change', changes),
    ...list('Missing, to be filled in before `up`', missing),
    ...list('The hub would refuse', problems),
  ].join('\n')
}

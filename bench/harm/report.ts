import type { Bound } from './bounds.ts'
import type { Kept } from './leftovers.ts'
import type { LoadResult, Sent } from './load.ts'

export interface Latency {
  requests: number
  p50Ms: number
  p99Ms: number
  /** Answered with 429, 5xx or not at all, of a hundred. */
  refusedPercent: number
}

/** What a hub gives those who use it, and the processor time of workerd, which other programs do not change. */
export interface Use extends Latency {
  cpuMsPerSecond: number
}

export function latencyOf({ sent }: LoadResult): Latency {
  const ms = sent.map((one) => one.ms).sort((a, b) => a - b)
  const quantile = (share: number) => Math.round((ms[Math.floor(ms.length * share)] ?? 0) * 10) / 10
  const refused = sent.filter(({ status }) => status === 0 || status === 429 || status >= 500).length
  return {
    requests: sent.length,
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
    refusedPercent: Math.round((1000 * refused) / Math.max(1, sent.length)) / 10,
  }
}

/** How often each kind of call was answered with each status. */
export function statusesOf(sent: readonly Sent[]): Record<string, Record<number, number>> {
  const statuses: Record<string, Record<number, number>> = {}
  for (const { name, status } of sent) {
    const known = statuses[name] ?? {}
    statuses[name] = { ...known, [status]: (known[status] ?? 0) + 1 }
  }
  return statuses
}

/** What is there after and was not there before. */
export function left(before: Kept, after: Kept) {
  const rows = Object.entries(after.rows)
    .map(([table, count]) => [table, count - (before.rows[table] ?? 0)] as const)
    .filter(([, count]) => count !== 0)
    .sort(([, a], [, b]) => b - a)
  const objects = Object.entries(after.objects).map(([name, { count, bytes }]) => [
    name,
    { count: count - (before.objects[name]?.count ?? 0), bytes: bytes - (before.objects[name]?.bytes ?? 0) },
  ])
  const actions = after.relayedActions - before.relayedActions
  return {
    rows: Object.fromEntries(rows) as Record<string, number>,
    databaseBytes: after.databaseBytes - before.databaseBytes,
    files: after.files - before.files,
    fileBytes: after.fileBytes - before.fileBytes,
    objects: Object.fromEntries(objects) as Kept['objects'],
    relayedActions: actions,
    nativeWei: String(before.nativeWei - after.nativeWei),
  }
}

const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

const mib = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`

export interface HarmResult {
  date: string
  seconds: number
  wallets: number
  attackCallsPerSecond: number
  people: number
  others: { without: Use; during: Use }
  attack: { sent: number; heldBack: number; statuses: ReturnType<typeof statusesOf> }
  left: ReturnType<typeof left>
  bounds: Bound[]
}

/** The result as tables. */
export function describe({ others, attack, left, bounds }: HarmResult): string {
  const use = (name: string, { requests, p50Ms, p99Ms, refusedPercent, cpuMsPerSecond }: Use) => [
    name,
    requests,
    p50Ms,
    p99Ms,
    `${refusedPercent} %`,
    cpuMsPerSecond,
  ]
  return [
    table(
      [
        'The others',
        'Requests',
        'p50, ms',
        'p99, ms',
        'Refused',
        'Processor time of workerd each second, ms',
      ],
      [use('without the attack', others.without), use('during the attack', others.during)],
    ),
    table(
      ['The attack', 'Answers'],
      [
        ...Object.entries(attack.statuses).map(([name, statuses]) => [
          name,
          Object.entries(statuses)
            .map(([status, count]) => `${count} × ${status}`)
            .join(', '),
        ]),
        ['not sent, too many being under way', attack.heldBack],
      ],
    ),
    table(
      ['What it leaves', 'How much'],
      [
        ...Object.entries(left.rows).map(([name, count]) => [`rows of ${name}`, count]),
        ['database', mib(left.databaseBytes)],
        ['files in R2', `${left.files}, ${mib(left.fileBytes)}`],
        ...Object.entries(left.objects).map(([name, { count, bytes }]) => [
          `Durable Objects, ${name}`,
          `${count}, ${mib(bytes)}`,
        ]),
        ['relayed actions', left.relayedActions],
        ['native tokens spent', `${(Number(left.nativeWei) / 1e18).toFixed(6)}`],
      ],
    ),
    table(
      ['Bound for one address', 'Measured', 'Allowed'],
      bounds.map(({ what, measured, allowed }) => [what, measured, allowed]),
    ),
  ].join('\n\n')
}

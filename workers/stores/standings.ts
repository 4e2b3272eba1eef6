import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { readSum } from './amount-sums.ts'
import { isClosed, isState } from './chain-facts.ts'
import { batch, Store } from './database.ts'
import { partColumns } from './earning-days.ts'
import { forgottenStatement } from './period-standings.ts'
import { chainStates, earningDays, subscriptions } from './schema/index.ts'
import { earningStandings, minerStandings, periodStandings, standingWindows } from './schema/standings.ts'
import { build } from './statements.ts'

export const standingMetrics = ['units', 'earnings', 'uptime', 'reputation', 'devices'] as const
export type StandingMetric = (typeof standingMetrics)[number]

/** The periods of leaderboards, in days before the running one; 0 for all days. */
export const standingPeriods = { '24h': 1, '7d': 7, '30d': 30, all: 0 } as const
export type StandingPeriod = keyof typeof standingPeriods

export interface Standing {
  address: string
  value: string
  /** Bound devices of the wallet. */
  devices: number
}

/** Wallets and days that one step leaves behind. */
const stepRows = sql.raw('1000')
const stepsMax = 20

/** As the indexes have them, word for word. */
const amountOrder = sql.raw(
  's.part_0 * 1e65 + s.part_1 * 1e52 + s.part_2 * 1e39 + s.part_3 * 1e26 + s.part_4 * 1e13 + s.part_5',
)
const uptime = sql.raw('s.answered * 10000 / s.asked')

const minerOrders: Record<'uptime' | 'reputation' | 'devices', { value: SQL; order: SQL; above: SQL }> = {
  uptime: { value: uptime, order: sql`(${uptime}) DESC, s.asked DESC`, above: sql`s.asked > 0` },
  reputation: { value: sql`s.reputation`, order: sql`s.reputation DESC`, above: sql`s.reputation > 0` },
  devices: { value: sql`s.devices`, order: sql`s.devices DESC`, above: sql`s.devices > 0` },
}

/** The order of wallets in leaderboards. Triggers keep what attested epochs earn, and the number of bound devices. */
export class StandingStore extends Store {
  /** The first of a project, or of the network. @param token - In which the network's earnings are paid. */
  async list(
    metric: StandingMetric,
    { projectId, token, period }: { projectId: string | undefined; token: string; period: StandingPeriod },
    limit: number,
  ): Promise<Standing[]> {
    if (metric === 'units' || metric === 'earnings')
      return this.#earners(metric, projectId ?? token, standingPeriods[period], limit)
    const { value, order, above } = minerOrders[metric]
    const days = standingPeriods[period]
    // In a period, only wallets that were asked for work in it have a row.
    const [rows, isHere] =
      days === 0 ? [minerStandings, above] : [periodStandings, sql`s.period = ${sql.raw(String(days))}`]
    return this.db.all<Standing>(sql`
      SELECT s.address, CAST(${value} AS TEXT) AS value, coalesce(own.devices, 0) AS devices
      FROM ${rows} AS s LEFT JOIN ${minerStandings} AS own ON own.address = s.address AND own.scope = ''
      WHERE s.scope = ${projectId ?? ''} AND ${isHere} ORDER BY ${order}, s.address LIMIT ${limit}`)
  }

  async #earners(
    metric: 'units' | 'earnings',
    scope: string,
    days: number,
    limit: number,
  ): Promise<Standing[]> {
    const order = metric === 'units' ? sql`s.units DESC` : sql`(${amountOrder}) DESC`
    const parts = sql.join(
      partColumns.map((part) => sql`s.${part}`),
      sql` || ' ' || `,
    )
    const rows = await this.db.all<{ address: string; units: number; amount: string; devices: number }>(sql`
      SELECT s.address, s.units, ${parts} AS amount, coalesce(own.devices, 0) AS devices
      FROM ${earningStandings} AS s LEFT JOIN ${minerStandings} AS own ON own.address = s.address AND own.scope = ''
      WHERE s.scope = ${scope} AND s.period = ${days} ORDER BY ${order}, s.address LIMIT ${limit}`)
    return rows
      .filter(({ units }) => units > 0)
      .map(({ address, units, amount, devices }) => ({
        address,
        value: String(metric === 'units' ? units : readSum(amount)),
        devices,
      }))
  }

  /** Leaves days behind that are no longer of a period, a bounded part of them at a time. @param now - Unix seconds. */
  async leaveDays(now: number): Promise<void> {
    const windows = await this.db.select().from(standingWindows)
    const today = Math.floor(now / 86_400)
    for (const { period, ...from } of windows.filter((window) => window.period > 0)) {
      let at: Position | null = from
      for (let step = 0; step < stepsMax && at !== null; step++)
        at = await this.#leave(period, at, today - period)
      await this.db.run(forgottenStatement(period, today))
    }
  }

  /** @returns The new position of the period; null if it has no more days to leave. */
  async #leave(period: number, from: Position, until: number): Promise<Position | null> {
    const { day, miner, projectId, token, units } = earningDays
    const [to] = await this.db.all<Position>(sql`
      SELECT day, address FROM (
        SELECT ${day} AS day, ${miner} AS address FROM ${earningDays}
        WHERE (${day}, ${miner}) > (${from.day}, ${from.address}) AND ${day} < ${until}
        ORDER BY ${day}, ${miner} LIMIT ${stepRows}) ORDER BY day DESC, address DESC LIMIT 1`)
    if (to === undefined) return null
    const isHere = sql`EXISTS (SELECT 1 FROM ${standingWindows} WHERE ${standingWindows.period} = ${period}
      AND (${standingWindows.day}, ${standingWindows.address}) = (${from.day}, ${from.address}))`
    const sumsBy = (scope: SQL) => sql`
      SELECT ${scope} AS scope, ${miner} AS miner, sum(${units}) AS units, ${sql.join(
        partColumns.map((part) => sql`sum(${part}) AS ${part}`),
        sql`, `,
      )}
      FROM ${earningDays} WHERE (${day}, ${miner}) > (${from.day}, ${from.address})
        AND (${day}, ${miner}) <= (${to.day}, ${to.address}) GROUP BY 1, 2`
    const less = (column: SQL) => sql`${column} = ${earningStandings}.${column} - left_behind.${column}`
    await batch(this.db, [
      sql`UPDATE ${earningStandings} SET ${sql.join([sql`units`, ...partColumns].map(less), sql`, `)}
        FROM (${sumsBy(sql`${projectId}`)} UNION ALL ${sumsBy(sql`${token}->>'address'`)}) AS left_behind
        WHERE ${earningStandings.scope} = left_behind.scope AND ${earningStandings.period} = ${period}
          AND ${earningStandings.address} = left_behind.miner AND ${isHere}`,
      sql`UPDATE ${standingWindows} SET day = ${to.day}, address = ${to.address}
        WHERE ${standingWindows.period} = ${period} AND ${isHere}`,
    ])
    return to
  }
}

type Position = { day: number; address: string }

/** Counts again how the devices of a project do, and of the network those of their owners. */
export function minerStandingStatements(projectId: string, guard: SQL): SQLWrapper[] {
  const { owner, reputation, creditedRounds, disagreements, missedLeases, deviceBound } = subscriptions
  const { address, scope } = minerStandings
  const answered = sql`sum(${creditedRounds} + ${disagreements})`
  const set = sql.raw(
    ['reputation', 'asked', 'answered'].map((name) => `${name} = excluded.${name}`).join(', '),
  )
  return [
    build.delete(minerStandings).where(sql`${scope} = ${projectId} AND ${guard}`),
    sql`INSERT INTO ${minerStandings} (address, scope, devices, reputation, answered, asked)
      SELECT ${owner}, ${projectId}, count(*), sum(${reputation}) / count(*), ${answered}, ${answered} + sum(${missedLeases})
      FROM ${subscriptions} LEFT JOIN ${chainStates} ON ${isState('subscription', subscriptions.subscriptionId)}
      WHERE ${subscriptions.projectId} = ${projectId} AND ${deviceBound} AND NOT ${isClosed} AND ${guard} GROUP BY ${owner}`,
    sql`INSERT INTO ${minerStandings} (address, scope, reputation, answered, asked)
      SELECT ${address}, '', sum(reputation * devices) / sum(devices), sum(answered), sum(asked) FROM ${minerStandings}
      WHERE ${scope} <> '' AND ${address} IN (SELECT ${address} FROM ${minerStandings} WHERE ${scope} = ${projectId})
        AND ${guard} GROUP BY ${address}
      ON CONFLICT (address, scope) DO UPDATE SET ${set}`,
  ]
}

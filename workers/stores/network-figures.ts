import { type Column, eq, gte, sql } from 'drizzle-orm'
import { amountSum, readSum } from './amount-sums.ts'
import { Store } from './database.ts'
import {
  categoryCounts,
  chainStates,
  devices,
  networkFigures,
  networkHours,
  validatorGenerations,
} from './schema/index.ts'

export interface NetworkFigures extends Omit<typeof networkFigures.$inferSelect, 'id'> {
  /** Rounds, final rounds and units of the requested hours. */
  rounds: number
  finalized: number
  units: number
}

/** Before anything that takes reading everything was counted. */
const uncounted = {
  ...{ projectsListed: 0, minersOnline: 0, devicesOnline: 0, validators: 0 },
  ...{ collateralBonded: '0', updatedAt: 0 },
}

/** Figures of the whole network. Rounds are summed up as they end; what takes reading everything is counted by the schedule. */
export class NetworkFiguresStore extends Store {
  /** @param sinceHour - Counted from 1970. */
  async read(sinceHour: number): Promise<NetworkFigures> {
    const sum = (column: Column) => sql<number>`coalesce(sum(${column}), 0)`
    const { rounds, finalized, units } = networkHours
    const lately = this.db
      .select({
        rounds: sum(rounds).as('rounds'),
        finalized: sum(finalized).as('finalized'),
        units: sum(units).as('units'),
      })
      .from(networkHours)
      .where(gte(networkHours.hour, sinceHour))
      .as('lately')
    const [row] = await this.db
      .select({
        counted: networkFigures,
        ...{ rounds: lately.rounds, finalized: lately.finalized, units: lately.units },
      })
      .from(lately)
      .leftJoin(networkFigures, eq(networkFigures.id, 1))
    const { counted, ...figures } = row!
    return { ...uncounted, ...counted, ...figures }
  }

  /** Counts again. A device is online while the relay has its socket. @param now - Unix seconds. */
  async refresh(now: number): Promise<void> {
    const { state } = chainStates
    const { document, effectiveAt, generation } = validatorGenerations
    const [counted] = await this.db.all<Counted>(sql`
      SELECT (SELECT coalesce(sum(${categoryCounts.listed}), 0) FROM ${categoryCounts}) AS projectsListed,
        online.minersOnline, online.devicesOnline,
        coalesce((SELECT json_array_length(${document}, '$.validators') FROM ${validatorGenerations}
          WHERE ${effectiveAt} <= ${now} ORDER BY ${generation} DESC LIMIT 1), 0) AS validators,
        (SELECT ${amountSum(sql`(${state}->>'collateral')`)} FROM ${chainStates}
          WHERE ${chainStates.kind} = 'subscription' AND ${state}->>'status' = 'bonded') AS bonded
      FROM (SELECT count(DISTINCT ${devices.owner}) AS minersOnline, count(*) AS devicesOnline FROM ${devices}
        WHERE ${devices.unboundAt} IS NULL AND ${devices.bannedAt} IS NULL
          AND ${devices.linkState} <> 'offline') AS online`)
    if (counted === undefined) return
    const { bonded, ...figures } = counted
    const row = { ...figures, collateralBonded: String(readSum(bonded)), updatedAt: now }
    await this.db
      .insert(networkFigures)
      .values({ id: 1, ...row })
      .onConflictDoUpdate({ target: networkFigures.id, set: row })
  }
}

interface Counted extends Omit<typeof networkFigures.$inferSelect, 'id' | 'collateralBonded' | 'updatedAt'> {
  bonded: string
}

import { sql } from 'drizzle-orm'
import { amountParts, readSum, sumText } from './amount-sums.ts'
import { Store } from './database.ts'
import {
  categoryCounts,
  chainStates,
  devices,
  networkFigures,
  networkHours,
  validatorGenerations,
} from './schema/index.ts'

/** What the network is and did. */
export interface NetworkFigures {
  projectsListed: number
  minersOnline: number
  devicesOnline: number
  validators: number
  collateralBonded: string
  /** When what takes reading everything was counted; 0 for never. */
  updatedAt: number
  /** Of the hours that were asked for. */
  rounds: number
  finalized: number
  units: number
}

/** Figures of the whole network. Rounds are summed up as they end; what takes reading everything is counted by the schedule. */
export class NetworkFiguresStore extends Store {
  /** @param sinceHour - Counted from 1970. */
  async read(sinceHour: number): Promise<NetworkFigures> {
    const sum = (column: string) => sql.raw(`(SELECT coalesce(sum(${column}), 0) FROM lately) AS ${column}`)
    const [row] = await this.db.all<NetworkFigures>(sql`
        WITH lately AS MATERIALIZED (SELECT * FROM ${networkHours} WHERE hour >= ${sinceHour})
        SELECT coalesce(f.projects_listed, 0) AS projectsListed, coalesce(f.miners_online, 0) AS minersOnline,
          coalesce(f.devices_online, 0) AS devicesOnline, coalesce(f.validators, 0) AS validators,
          coalesce(f.collateral_bonded, '0') AS collateralBonded, coalesce(f.updated_at, 0) AS updatedAt,
          ${sum('rounds')}, ${sum('finalized')}, ${sum('units')}
        FROM (SELECT 1) LEFT JOIN ${networkFigures} AS f ON f.id = 1`)
    return row as NetworkFigures
  }

  /** Counts again. A device is online while the relay has its socket. @param now - Unix seconds. */
  async refresh(now: number): Promise<void> {
    const [counted] = await this.db.all<{
      projects: number
      miners: number
      devices: number
      validators: number
      bonded: string
    }>(sql`
        SELECT (SELECT coalesce(sum(listed), 0) FROM ${categoryCounts}) AS projects, online.miners, online.devices,
          coalesce((SELECT json_array_length(document, '$.validators') FROM ${validatorGenerations}
            WHERE effective_at <= ${now} ORDER BY generation DESC LIMIT 1), 0) AS validators,
          (SELECT ${sql.raw(sumText(amountParts("(c.state->>'collateral')")))} FROM ${chainStates} AS c
            WHERE c.kind = 'subscription' AND c.state->>'status' = 'bonded') AS bonded
        FROM (SELECT count(DISTINCT d.owner) AS miners, count(*) AS devices
          FROM ${devices} AS d
          WHERE d.unbound_at IS NULL AND d.banned_at IS NULL AND d.link_state <> 'offline') AS online`)
    if (counted === undefined) return
    const bonded = String(readSum(counted.bonded))
    await this.db.run(sql`
        INSERT OR REPLACE INTO ${networkFigures} (id, projects_listed, miners_online, devices_online, validators,
          collateral_bonded, updated_at)
        VALUES (1, ${counted.projects}, ${counted.miners}, ${counted.devices}, ${counted.validators}, ${bonded}, ${now})`)
  }
}

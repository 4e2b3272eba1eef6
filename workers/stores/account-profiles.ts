import { sql } from 'drizzle-orm'
import { boundDevices, countedDevicesMax } from './accounts.ts'
import { openSubscriptions } from './chain-facts.ts'
import { Store } from './database.ts'
import { daySecs } from './earning-days.ts'
import { developers, devices, earningDays, preferences, subscriptions } from './schema/index.ts'

export interface AccountProfile {
  /** The name that the wallet gives itself; null if it gives none. */
  displayName: string | null
  devicesTotal: number
  devicesOnline: number
  /** Ids of the projects that it has open subscriptions to. */
  projects: string[]
  /** The average over these subscriptions; null without any. */
  reputation: number | null
  /** Of attested epochs that ended on `sinceDay` or later. */
  units: number
  /** Unix seconds; null for a wallet that nothing is known of. */
  firstSeenAt: number | null
}

export class AccountProfileStore extends Store {
  /** The public profile of a wallet. @param sinceDay - A UTC day, counted from 1970. */
  async find(address: string, sinceDay: number): Promise<AccountProfile> {
    const { linkState, boundAt } = devices
    const { miner, day, units } = earningDays
    const [row] = await this.db.all<Omit<AccountProfile, 'projects'> & { projects: string }>(sql`
      SELECT devicesTotal, devicesOnline, projects, reputation, units,
        coalesce((SELECT ${preferences.preferences}->>'display_name' FROM ${preferences}
          WHERE ${preferences.address} = ${address}), d.name) AS displayName,
        nullif(min(coalesce(boundAt, 1e15), coalesce(subscribedAt, 1e15), coalesce(d.at, 1e15), coalesce(earnedAt, 1e15)), 1e15)
          AS firstSeenAt
      FROM (SELECT count(*) AS devicesTotal, coalesce(sum(state <> 'offline'), 0) AS devicesOnline, min(at) AS boundAt
          FROM (SELECT ${linkState} AS state, ${boundAt} AS at FROM ${boundDevices(address)}
            ORDER BY ${boundAt} LIMIT ${countedDevicesMax})),
        (SELECT json_group_array(DISTINCT ${subscriptions.projectId}) AS projects,
          CAST(avg(${subscriptions.reputation}) AS INTEGER) AS reputation, min(${subscriptions.createdAt}) AS subscribedAt
          FROM ${openSubscriptions(address)}),
        (SELECT coalesce(sum(${units}), 0) AS units FROM ${earningDays}
          WHERE ${miner} = ${address} AND ${day} >= ${sinceDay}),
        (SELECT min(${day}) * ${daySecs} AS earnedAt FROM ${earningDays} WHERE ${miner} = ${address}),
        (SELECT max(iif(${developers.enrollment} = 'active', ${developers.displayName}, NULL)) AS name,
          min(${developers.createdAt}) AS at FROM ${developers} WHERE ${developers.address} = ${address}) AS d`)
    return { ...row!, projects: JSON.parse(row!.projects) as string[] }
  }
}

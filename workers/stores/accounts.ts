import { type SQL, sql } from 'drizzle-orm'
import type { Wallet } from './caller.ts'
import { openSubscriptions } from './chain-facts.ts'
import { Store } from './database.ts'
import { daySecs } from './earning-days.ts'
import { developers, devices, earningDays, preferences, subscriptions } from './schema/index.ts'

/** What decides about a wallet's roles. */
export interface AccountStanding {
  /** Whether it has a bound device or a subscription that is not closed. */
  mines: boolean
  /** Whether it has an active enrollment. */
  enrolled: boolean
}

export interface AccountCounts extends AccountStanding {
  /** Bound devices, up to {@link countedDevicesMax}. */
  devices: number
  /** Subscriptions that are not closed. */
  subscriptions: number
}

/** Counting reads each row, and an exact number above this is of no interest to the owner. */
export const countedDevicesMax = 1000

const boundDevices = (address: Wallet): SQL =>
  sql`${devices} WHERE ${devices.owner} = ${address} AND ${devices.unboundAt} IS NULL`

const isEnrolled = (address: Wallet): SQL => sql`EXISTS (SELECT 1 FROM ${developers}
  WHERE ${developers.address} = ${address} AND ${developers.enrollment} = 'active')`

/** Asks for the standing of a wallet; its rows are for {@link standingFrom}. */
export const standingStatement = (address: Wallet): SQL => sql`
  SELECT EXISTS (SELECT 1 FROM ${boundDevices(address)}) OR EXISTS (SELECT 1 FROM ${openSubscriptions(address)})
      AS mines,
    ${isEnrolled(address)} AS enrolled`

export function standingFrom(rows: readonly unknown[]): AccountStanding {
  const [row] = rows as { mines: number; enrolled: number }[]
  return { mines: row?.mines === 1, enrolled: row?.enrolled === 1 }
}

export interface AccountProfile {
  /** What the wallet calls itself; null where it does not say. */
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

export class AccountStore extends Store {
  /** What everybody may know of a wallet. @param sinceDay - A UTC day, counted from 1970. */
  async profile(address: string, sinceDay: number): Promise<AccountProfile> {
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

  /** Reads no more than it takes to tell: sessions are asked for often, and counting reads everything. */
  async standing(address: Wallet): Promise<AccountStanding> {
    return standingFrom(await this.db.all(standingStatement(address)))
  }

  async counts(address: Wallet): Promise<AccountCounts> {
    const [row] = await this.db.all<{ devices: number; subscriptions: number; enrolled: number }>(sql`
      SELECT (SELECT count(*) FROM (SELECT 1 FROM ${boundDevices(address)} LIMIT ${countedDevicesMax})) AS devices,
        (SELECT count(*) FROM ${openSubscriptions(address)}) AS subscriptions, ${isEnrolled(address)} AS enrolled`)
    const counted = { devices: row?.devices ?? 0, subscriptions: row?.subscriptions ?? 0 }
    return { ...counted, mines: counted.devices + counted.subscriptions > 0, enrolled: row?.enrolled === 1 }
  }
}

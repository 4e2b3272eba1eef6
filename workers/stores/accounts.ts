import { type SQL, sql } from 'drizzle-orm'
import type { Wallet } from './caller.ts'
import { openSubscriptions } from './chain-facts.ts'
import { Store } from './database.ts'
import { developers, devices, faucetSettings, notificationCounts } from './schema/index.ts'

/** The facts that decide a wallet's roles. */
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
  /** As an operator set it for the faucet; null for the setting of the deployment. */
  faucetCooldownSecs: number | null
  unreadNotifications: number
}

/** Counting reads each row, and an exact number above this is of no interest to the owner. */
export const countedDevicesMax = 1000

export const boundDevices = (address: Wallet): SQL =>
  sql`${devices} WHERE ${devices.owner} = ${address} AND ${devices.unboundAt} IS NULL`

export const isEnrolled = (address: Wallet): SQL => sql`EXISTS (SELECT 1 FROM ${developers}
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

interface CountsRow extends Pick<AccountCounts, 'devices' | 'subscriptions' | 'faucetCooldownSecs'> {
  enrolled: number
  unread: number | null
}

export class AccountStore extends Store {
  /** Reads no more than it takes to tell: sessions are asked for often, and counting reads everything. */
  async standing(address: Wallet): Promise<AccountStanding> {
    return standingFrom(await this.db.all(standingStatement(address)))
  }

  async counts(address: Wallet): Promise<AccountCounts> {
    const { owner, unread } = notificationCounts
    const [row] = await this.db.all<CountsRow>(sql`
      SELECT (SELECT count(*) FROM (SELECT 1 FROM ${boundDevices(address)} LIMIT ${countedDevicesMax})) AS devices,
        (SELECT count(*) FROM ${openSubscriptions(address)}) AS subscriptions, ${isEnrolled(address)} AS enrolled,
        (SELECT ${faucetSettings.cooldownSecs} FROM ${faucetSettings}) AS faucetCooldownSecs,
        (SELECT ${unread} FROM ${notificationCounts} WHERE ${owner} = ${address}) AS unread`)
    const { faucetCooldownSecs = null } = row ?? {}
    const counted = { devices: row?.devices ?? 0, subscriptions: row?.subscriptions ?? 0 }
    return {
      ...counted,
      faucetCooldownSecs,
      mines: counted.devices + counted.subscriptions > 0,
      enrolled: row?.enrolled === 1,
      unreadNotifications: row?.unread ?? 0,
    }
  }
}

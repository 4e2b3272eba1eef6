import { type InferSelectModel, sql } from 'drizzle-orm'
import { auditStatement, type Decision } from './audit-log.ts'
import { batch, Store } from './database.ts'
import { faucetSettings } from './schema/index.ts'

export type FaucetSettings = Pick<
  InferSelectModel<typeof faucetSettings>,
  'enabled' | 'amountWei' | 'nativeWei' | 'cooldownSecs'
>

/** The settings that an operator changes; those left out stay, and null gives a setting back to the deployment. */
export type FaucetChange = { [Member in keyof FaucetSettings]?: FaucetSettings[Member] | undefined }

export class FaucetSettingsStore extends Store {
  /** Null while no operator has set anything. */
  async find(): Promise<FaucetSettings | null> {
    return (await this.db.select().from(faucetSettings).get()) ?? null
  }

  /** @param enabled - Of the deployment, for a change that says nothing of it and is the first. */
  async put(change: FaucetChange, enabled: boolean, decision: Decision, now: number): Promise<void> {
    const { amountWei, nativeWei, cooldownSecs } = change
    const after = {
      enabled: change.enabled,
      ...{ amount: amountWei, eth_amount: nativeWei, cooldown_secs: cooldownSecs },
    }
    const before = sql`SELECT coalesce((SELECT json_object('enabled', json(iif(${faucetSettings.enabled}, 'true', 'false')),
      'amount', ${faucetSettings.amountWei}, 'eth_amount', ${faucetSettings.nativeWei},
      'cooldown_secs', ${faucetSettings.cooldownSecs}) FROM ${faucetSettings}), '{}') AS value`
    const set = {
      ...Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)),
      updatedAt: now,
    }
    await batch(this.db, [
      auditStatement({ ...decision, action: 'faucet.set', subject: 'faucet', after }, now, before),
      this.db
        .insert(faucetSettings)
        .values({ id: 1, enabled, ...set })
        .onConflictDoUpdate({ target: faucetSettings.id, set }),
    ])
  }
}

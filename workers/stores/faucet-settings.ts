import { type InferSelectModel, sql } from 'drizzle-orm'
import { auditStatement, type Decision } from './audit-log.ts'
import { batch, Store } from './database.ts'
import { faucetSettings } from './schema/index.ts'

export type FaucetSettings = Pick<
  InferSelectModel<typeof faucetSettings>,
  'enabled' | 'amountWei' | 'nativeWei'
>

export class FaucetSettingsStore extends Store {
  /** Null while no operator has set anything. */
  async find(): Promise<FaucetSettings | null> {
    return (await this.db.select().from(faucetSettings).get()) ?? null
  }

  async put(settings: FaucetSettings, decision: Decision, now: number): Promise<void> {
    const { enabled, amountWei, nativeWei } = settings
    const after = { enabled, amount: amountWei, eth_amount: nativeWei }
    const before = sql`SELECT coalesce((SELECT json_object('enabled', json(iif(${faucetSettings.enabled}, 'true', 'false')),
      'amount', ${faucetSettings.amountWei}, 'eth_amount', ${faucetSettings.nativeWei}) FROM ${faucetSettings}), '{}') AS value`
    const row = { enabled, amountWei, nativeWei, updatedAt: now }
    await batch(this.db, [
      auditStatement({ ...decision, action: 'faucet.set', subject: 'faucet', after }, now, before),
      this.db
        .insert(faucetSettings)
        .values({ id: 1, ...row })
        .onConflictDoUpdate({ target: faucetSettings.id, set: row }),
    ])
  }
}

import { type InferSelectModel, sql } from 'drizzle-orm'
import { auditStatement, type OperatorAction } from './audit-log.ts'
import { batch, Store } from './database.ts'
import { faucetSettings } from './schema/index.ts'

export type FaucetSettings = Pick<
  InferSelectModel<typeof faucetSettings>,
  'enabled' | 'amountWei' | 'nativeWei'
>

/** What operators set about the faucet. */
export class FaucetSettingsStore extends Store {
  /** Null while no operator has set anything. */
  async find(): Promise<FaucetSettings | null> {
    return (await this.db.select().from(faucetSettings).get()) ?? null
  }

  async put(
    { enabled, amountWei, nativeWei }: FaucetSettings,
    decision: Pick<OperatorAction, 'operator' | 'reason'>,
    now: number,
  ): Promise<void> {
    const action = {
      ...decision,
      action: 'faucet.set',
      subject: 'faucet',
      after: { enabled, amount: amountWei, eth_amount: nativeWei },
    }
    const before = sql`SELECT coalesce((SELECT json_object('enabled', json(iif(enabled, 'true', 'false')),
      'amount', amount_wei, 'eth_amount', native_wei) FROM ${faucetSettings}), '{}') AS value`
    await batch(this.db, [
      auditStatement(action, now, before),
      sql`
        INSERT INTO ${faucetSettings} (id, enabled, amount_wei, native_wei, updated_at)
        VALUES (1, ${enabled ? 1 : 0}, ${amountWei}, ${nativeWei}, ${now})
        ON CONFLICT (id) DO UPDATE SET enabled = excluded.enabled, amount_wei = excluded.amount_wei,
          native_wei = excluded.native_wei, updated_at = excluded.updated_at`,
    ])
  }
}

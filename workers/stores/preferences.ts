import { eq } from 'drizzle-orm'
import type { Wallet } from './caller.ts'
import { Store } from './database.ts'
import { preferences } from './schema/index.ts'

/** The preferences that a wallet keeps for its user interface, in the shape that the API defines. */
export class PreferencesStore extends Store {
  async find(address: Wallet): Promise<object | null> {
    const rows = await this.db.select().from(preferences).where(eq(preferences.address, address))
    return rows[0]?.preferences ?? null
  }

  /** The last of racing writes wins whole. */
  async replace(address: string, value: object, now: number): Promise<void> {
    const row = { preferences: value, updatedAt: now }
    await this.db
      .insert(preferences)
      .values({ address, ...row })
      .onConflictDoUpdate({ target: preferences.address, set: row })
  }
}

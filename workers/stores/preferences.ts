import { eq } from 'drizzle-orm'
import type { Wallet } from './caller.ts'
import { Store } from './database.ts'
import { preferences } from './schema/index.ts'

/** What a wallet keeps for its own user interface; the shape is the API's. */
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

import { eq } from 'drizzle-orm'
import type { Wallet } from './caller.ts'
import { type Database, query, read } from './database.ts'
import { preferences } from './schema/index.ts'

/** What a wallet keeps for its own user interface; the shape is the API's. */
export class PreferencesStore {
  readonly #db: Database
  constructor(db: Database) {
    this.#db = db
  }

  async find(address: Wallet): Promise<object | null> {
    const rows = await read(() => this.#db.select().from(preferences).where(eq(preferences.address, address)))
    return rows[0]?.preferences ?? null
  }

  /** The last of racing writes wins whole. */
  async replace(address: string, value: object, now: number): Promise<void> {
    const row = { preferences: value, updatedAt: now }
    await query(
      this.#db
        .insert(preferences)
        .values({ address, ...row })
        .onConflictDoUpdate({ target: preferences.address, set: row }),
    )
  }
}

import { eq } from 'drizzle-orm'
import { type Database, read } from './database.ts'
import { apiKeys } from './schema.ts'

export interface ApiKey {
  keyId: string
  owner: string
  name: string
  secretHash: string
  scopes: string[]
  projectIds: string[] | null
  createdAt: number
  expiresAt: number | null
  revokedAt: number | null
  lastUsedAt: number | null
}

export class ApiKeyStore {
  readonly #db: Database
  constructor(db: Database) {
    this.#db = db
  }

  async find(keyId: string): Promise<ApiKey | null> {
    const rows = await read(() => this.#db.select().from(apiKeys).where(eq(apiKeys.keyId, keyId)))
    return rows[0] ?? null
  }
}

import { and, eq, isNull, lte, sql } from 'drizzle-orm'
import { type Database, query, read } from './database.ts'
import { sessions } from './schema.ts'

export interface Session {
  tokenHash: string
  address: string
  createdAt: number
  expiresAt: number
  revokedAt: number | null
}

/** An expired session is kept this long, so that its holder is told `session_expired` and not `unauthorized`. */
const keptAfterExpirySeconds = 7 * 86_400

export class SessionStore {
  readonly #db: Database
  readonly #find: ReturnType<typeof prepareFind>
  constructor(db: Database) {
    this.#db = db
    this.#find = prepareFind(db)
  }

  async insert(session: Omit<Session, 'revokedAt'>): Promise<void> {
    await query(this.#db.insert(sessions).values(session))
  }

  async find(tokenHash: string): Promise<Session | null> {
    const rows = await read(() => this.#find.all({ tokenHash }))
    return rows[0] ?? null
  }

  async revoke(tokenHash: string, now: number): Promise<void> {
    await query(
      this.#db
        .update(sessions)
        .set({ revokedAt: now })
        .where(and(eq(sessions.tokenHash, tokenHash), isNull(sessions.revokedAt))),
    )
  }

  async purge(now: number): Promise<void> {
    await query(this.#db.delete(sessions).where(lte(sessions.expiresAt, now - keptAfterExpirySeconds)))
  }
}

/** Every signed-in request begins with it, so its text is not built anew each time. */
const prepareFind = (db: Database) =>
  db
    .select()
    .from(sessions)
    .where(eq(sessions.tokenHash, sql.placeholder('tokenHash')))
    .prepare()

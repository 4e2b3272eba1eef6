import { and, eq, isNull, sql } from 'drizzle-orm'
import { type AccountStanding, standingFrom, standingStatement } from './accounts.ts'
import { batch, type Database, isChanged, Store } from './database.ts'
import { sessions } from './schema/index.ts'
import { consumeNonce } from './siwe-nonces.ts'
import { insertFrom } from './statements.ts'

export type Session = typeof sessions.$inferSelect

export class SessionStore extends Store {
  readonly #find: ReturnType<typeof prepareFind>
  constructor(db: Database) {
    super(db)
    this.#find = prepareFind(db)
  }

  /**
   * Uses up the nonce of a sign-in and begins its session, in one step. Of any number of racing calls with one nonce exactly one begins
   * one. @returns The standing of the wallet, or `gone` when the nonce was used or has expired.
   */
  async begin(session: Omit<Session, 'revokedAt'>, nonce: string): Promise<AccountStanding | 'gone'> {
    const [, begun, standing] = await batch(this.db, [
      consumeNonce(nonce, session.createdAt),
      // The statement before changed the nonce's row, or this call is too late.
      insertFrom(sessions, session, sql`WHERE changes() = 1`),
      standingStatement(session.address),
    ])
    return isChanged(begun) ? standingFrom(standing?.results ?? []) : 'gone'
  }

  /** Begins the session of a sign-in whose nonce is used up already. */
  async insert(session: Omit<Session, 'revokedAt'>): Promise<AccountStanding> {
    const [, standing] = await batch(this.db, [
      this.db.insert(sessions).values(session),
      standingStatement(session.address),
    ])
    return standingFrom(standing?.results ?? [])
  }

  async find(tokenHash: string): Promise<Session | null> {
    return (await this.#find.get({ tokenHash })) ?? null
  }

  async revoke(tokenHash: string, now: number): Promise<void> {
    await this.db
      .update(sessions)
      .set({ revokedAt: now })
      .where(and(eq(sessions.tokenHash, tokenHash), isNull(sessions.revokedAt)))
  }
}

/** Every signed-in request begins with it, so its text is made once. */
const prepareFind = (db: Database) =>
  db
    .select()
    .from(sessions)
    .where(eq(sessions.tokenHash, sql.placeholder('tokenHash')))
    .prepare()

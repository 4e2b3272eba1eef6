import { DurableObject } from 'cloudflare:workers'
import { unixNow } from '../clock.ts'
import { type Sql, sqlOf } from '../sql.ts'
import { isMigrated, migrate } from '../sql-migrations.ts'
import { cooldownMigrations } from './cooldown-migrations.ts'

export interface TurnRequest {
  /** The holder that wants the turn; each holder counts once. */
  holder: string
  turnsMax: number
  cooldownSeconds: number
}

export type TurnResult =
  | {
      status: 'granted'
      /** Stays the same until the turn is confirmed, so that the work under this id is done once. */
      turnId: string
      nextEligibleAt: number
    }
  | {
      status: 'wait'
      nextEligibleAt: number
      /** The holder's own turn, should that be what it waits for and should it be confirmed. */
      confirmedTurnId: string | null
    }

interface Turn {
  holder: string
  turn_id: string
  state: string
  open_at: number
}

/** A turn whose taker died before confirming it is open again after this long. */
const pendingSeconds = 60

/**
 * Counts the faucet turns of one wallet, one client address or the network: `env.FAUCET_COOLDOWN.getByName('wallet:<address>')`. At most
 * `turnsMax` holders have a turn within any `cooldownSeconds`. A turn is taken, then confirmed when the tokens are on their way. A turn that is
 * released or never confirmed keeps its id for the holder's next try, so that nothing is sent twice. Wallets cost nothing to make: an object
 * without turns stores nothing.
 */
export class FaucetCooldown extends DurableObject {
  async take(request: TurnRequest): Promise<TurnResult> {
    migrate(this.ctx.storage, cooldownMigrations)
    const now = unixNow()
    const blocking = this.#blocking(request, now)
    if (blocking) {
      const own = blocking.holder === request.holder && blocking.state === 'confirmed'
      return {
        status: 'wait',
        nextEligibleAt: blocking.open_at,
        confirmedTurnId: own ? blocking.turn_id : null,
      }
    }
    const { holder } = request
    const [kept] = this.#sql<Turn>`SELECT * FROM turns WHERE holder = ${holder} AND state <> 'confirmed'`
    const turnId = kept?.turn_id ?? crypto.randomUUID()
    const nextEligibleAt = now + request.cooldownSeconds
    this
      .#sql`INSERT OR REPLACE INTO turns VALUES (${holder}, ${turnId}, 'pending', ${now}, ${nextEligibleAt})`
    // An alarm that is set stays: one that moved with every take would never come where takes never stop.
    if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(nextEligibleAt * 1000)
    return { status: 'granted', turnId, nextEligibleAt }
  }

  async confirm(turnId: string): Promise<void> {
    this.#sql`UPDATE turns SET state = 'confirmed' WHERE turn_id = ${turnId}`
  }

  /** Nothing was sent, as far as the taker knows. */
  async release(turnId: string): Promise<void> {
    this.#sql`UPDATE turns SET state = 'released' WHERE turn_id = ${turnId} AND state = 'pending'`
  }

  /** The transfer of this turn failed for good: the holder's next turn has another id. @returns True for one of several racing callers. */
  async forget(turnId: string): Promise<boolean> {
    return this.#sql`DELETE FROM turns WHERE turn_id = ${turnId} RETURNING turn_id`.length === 1
  }

  async forgetHolder(holder: string): Promise<void> {
    this.#sql`DELETE FROM turns WHERE holder = ${holder}`
  }

  /** When the holder may take a turn; 0 for at once. */
  async nextEligibleAt(request: TurnRequest): Promise<number> {
    return this.#blocking(request, unixNow())?.open_at ?? 0
  }

  /** Removes turns that block nobody any more; may run early, late or twice. */
  override async alarm(): Promise<void> {
    this.#sql`DELETE FROM turns WHERE expires_at <= ${unixNow()}`
    const [row] = this.#sql<{ first: number | null }>`SELECT min(expires_at) AS first FROM turns`
    if (row?.first) await this.ctx.storage.setAlarm(row.first * 1000)
    else await this.ctx.storage.deleteAll()
  }

  /** The turn that keeps the holder from having one, and until when: its own, or the first to end of as many as there may be. */
  #blocking({ holder, turnsMax }: TurnRequest, now: number): Turn | undefined {
    // The inner condition is the index's. All live turns are read: an object has as many as may be taken in a cooldown.
    const [turn] = this.#sql<Turn & { live: number }>`
      SELECT *, count(*) OVER () AS live FROM (
        SELECT *, iif(state = 'pending', min(expires_at, taken_at + ${pendingSeconds}), expires_at) AS open_at
        FROM turns WHERE expires_at > ${now} AND state <> 'released'
      ) WHERE open_at > ${now} ORDER BY holder <> ${holder}, open_at LIMIT 1`
    return turn && (turn.holder === holder || turn.live >= turnsMax) ? turn : undefined
  }

  /** An object in which no turn was ever taken has no table: queries return no rows. */
  get #sql(): Sql {
    if (!isMigrated(this.ctx.storage)) return () => []
    migrate(this.ctx.storage, cooldownMigrations)
    return sqlOf(this.ctx.storage)
  }
}

import { type Sql, sqlOf } from '../sql.ts'
import type { Exhausted, RelayerConfig, RelayRequest } from './types.ts'

const dayMs = 86_400_000

type GasRow = { gas: number }

/**
 * Limits of relaying in a UTC day: actions of each kind and gas for each owner, and gas for all together. An action counts once,
 * when it is accepted; an action without `perDay` counts nowhere.
 */
export class Allowances {
  readonly #sql: Sql
  readonly gasPerDay: number
  readonly #gasPerOwner: number

  constructor(
    storage: DurableObjectStorage,
    { gasPerDay, gasPerOwner }: Pick<RelayerConfig, 'gasPerDay' | 'gasPerOwner'>,
  ) {
    this.#sql = sqlOf(storage)
    this.gasPerDay = gasPerDay
    this.#gasPerOwner = gasPerOwner
  }

  /** Why the action is not accepted today; null when it may be. */
  exhausted(
    { owner, action, perDay }: Pick<RelayRequest, 'owner' | 'action' | 'perDay'>,
    gas: number,
    nowMs: number,
  ): Exhausted | null {
    if (perDay === undefined) return null
    const renewsAt = ((dayOf(nowMs) + 1) * dayMs) / 1000
    if (this.#accepted(owner, action, dayOf(nowMs) * dayMs) >= perDay) return { of: 'owner', renewsAt }
    if (this.#gasOf(owner, nowMs) + gas > this.#gasPerOwner) return { of: 'owner_gas', renewsAt }
    if (this.gasUsed(nowMs) + gas > this.gasPerDay) return { of: 'everyone', renewsAt }
    return null
  }

  /** Counts the gas of an action that is accepted; the ledger has the action itself. */
  spend({ owner, perDay }: Pick<RelayRequest, 'owner' | 'perDay'>, gas: number, nowMs: number): void {
    if (perDay === undefined) return
    const day = dayOf(nowMs)
    this.#sql`
      INSERT INTO gas_days VALUES (${day}, ${gas}) ON CONFLICT (day) DO UPDATE SET gas = gas + excluded.gas`
    this.#sql`DELETE FROM owner_gas WHERE day < ${day}`
    this.#sql`
      INSERT INTO owner_gas VALUES (${day}, ${owner}, ${gas})
      ON CONFLICT DO UPDATE SET gas = gas + excluded.gas`
  }

  /** Gas of what owners had accepted today. */
  gasUsed(nowMs: number): number {
    return this.#sql<GasRow>`SELECT gas FROM gas_days WHERE day = ${dayOf(nowMs)}`[0]?.gas ?? 0
  }

  #gasOf(owner: string, nowMs: number): number {
    const [row] = this.#sql<GasRow>`
      SELECT gas FROM owner_gas WHERE day = ${dayOf(nowMs)} AND owner = ${owner}`
    return row?.gas ?? 0
  }

  #accepted(owner: string, action: string, sinceMs: number): number {
    const [row] = this.#sql<{ n: number }>`
      SELECT count(*) AS n FROM relays
      WHERE owner = ${owner} AND action = ${action} AND accepted_at_ms >= ${sinceMs}`
    return row!.n
  }
}

const dayOf = (ms: number): number => Math.floor(ms / dayMs)

import type { NewRelay } from './ledger.ts'

/** An action that was taken, since it would have succeeded at that moment, and has no nonce yet. */
export interface Admission extends NewRelay {
  /** What it may cost at most. */
  costWei: bigint
  admittedAtMs: number
}

export const admissionTables = [
  `CREATE TABLE admissions (
    id TEXT PRIMARY KEY,
    action TEXT NOT NULL,
    owner TEXT NOT NULL,
    lane TEXT,
    recipient TEXT NOT NULL,
    data TEXT NOT NULL,
    value_wei TEXT NOT NULL,
    gas INTEGER NOT NULL,
    cost_wei TEXT NOT NULL,
    admitted_at_ms INTEGER NOT NULL,
    shown INTEGER NOT NULL
  ) WITHOUT ROWID`,
  'CREATE INDEX admissions_in_lane ON admissions (lane)',
  'CREATE INDEX admissions_by_age ON admissions (admitted_at_ms)',
  'CREATE INDEX admissions_to_show ON admissions (admitted_at_ms) WHERE shown = 0',
]

/** What waits to be carried. Methods are synchronous, as those of the ledger are, and in the same storage. */
export class Admissions {
  readonly #sql: SqlStorage
  constructor(storage: DurableObjectStorage) {
    this.#sql = storage.sql
  }

  add(admission: Admission): void {
    this.#sql.exec(
      'INSERT INTO admissions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)',
      admission.id,
      admission.action,
      admission.owner,
      admission.lane,
      admission.to,
      admission.data,
      admission.valueWei.toString(),
      admission.gas,
      admission.costWei.toString(),
      admission.admittedAtMs,
    )
  }

  find(id: string): Admission | null {
    return this.#admissions('WHERE id = ?', id)[0] ?? null
  }

  inLane(lane: string): Admission | null {
    return this.#admissions('WHERE lane = ? LIMIT 1', lane)[0] ?? null
  }

  /** Those admitted until then, the oldest first. */
  until(atMs: number, limit: number): Admission[] {
    return this.#admissions('WHERE admitted_at_ms <= ? ORDER BY admitted_at_ms LIMIT ?', atMs, limit)
  }

  count(): number {
    return this.#sql.exec('SELECT count(*) AS n FROM admissions').one().n as number
  }

  committedWei(): bigint {
    let total = 0n
    for (const { cost_wei } of this.#sql.exec('SELECT cost_wei FROM admissions'))
      total += BigInt(cost_wei as string)
    return total
  }

  remove(id: string): void {
    this.#sql.exec('DELETE FROM admissions WHERE id = ?', id)
  }

  /** Those the hub's database does not show. */
  toShow(limit: number): Admission[] {
    return this.#admissions('WHERE shown = 0 ORDER BY admitted_at_ms LIMIT ?', limit)
  }

  shown(ids: readonly string[]): void {
    this.#sql.exec(
      'UPDATE admissions SET shown = 1 WHERE id IN (SELECT value FROM json_each(?))',
      JSON.stringify(ids),
    )
  }

  #admissions(where: string, ...values: SqlStorageValue[]): Admission[] {
    return [...this.#sql.exec(`SELECT * FROM admissions ${where}`, ...values)].map((row) => ({
      id: row.id as string,
      action: row.action as string,
      owner: row.owner as string,
      lane: row.lane as string | null,
      to: row.recipient as string,
      data: row.data as string,
      valueWei: BigInt(row.value_wei as string),
      gas: row.gas as number,
      costWei: BigInt(row.cost_wei as string),
      admittedAtMs: row.admitted_at_ms as number,
    }))
  }
}

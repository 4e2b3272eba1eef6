import { admissionTables } from './admissions.ts'
import type { Fees } from './fees.ts'

/**
 * `queued`: has a nonce, no node has taken it. `sent`: in the pool of a node. `mined`: in a block that may still be
 * dropped. The other three are final.
 */
export type RelayStatus = 'queued' | 'sent' | 'mined' | 'confirmed' | 'reverted' | 'failed'

/** One action and the nonce it owns. */
export interface Relay {
  id: string
  nonce: number
  action: string
  owner: string
  lane: string | null
  to: string
  data: string
  valueWei: bigint
  gas: number
  status: RelayStatus
  txHash: string | null
  error: string | null
  confirmations: number
  /** No chain takes the action, as far as nodes say; its nonce is used up by a transfer of nothing. */
  hollow: boolean
  /** Since when the nonce has been used on chain by a transaction that is none of the attempts. */
  strangerSinceMs: number | null
  /** Unix seconds. */
  createdAt: number
  updatedAt: number
  /** Rises with every change that is shown. */
  revision: number
}

/** One signed transaction with the nonce of an action. */
export interface Attempt extends Fees {
  hash: string
  nonce: number
  raw: string
  signedAtMs: number
  /** Whether a node took it into its pool. */
  accepted: boolean
  /** Carries nothing and only uses the nonce up. */
  hollow: boolean
}

export type NewRelay = Pick<Relay, 'id' | 'action' | 'owner' | 'lane' | 'to' | 'data' | 'valueWei' | 'gas'>
export type RelayChange = Partial<Pick<Relay, 'status' | 'txHash' | 'error' | 'confirmations'>>

export const ledgerMigrations = [
  `CREATE TABLE relays (
    id TEXT PRIMARY KEY,
    nonce INTEGER NOT NULL UNIQUE,
    action TEXT NOT NULL,
    owner TEXT NOT NULL,
    lane TEXT,
    recipient TEXT NOT NULL,
    data TEXT NOT NULL,
    value_wei TEXT NOT NULL,
    gas INTEGER NOT NULL,
    status TEXT NOT NULL,
    tx_hash TEXT,
    error TEXT,
    confirmations INTEGER NOT NULL,
    hollow INTEGER NOT NULL,
    stranger_since_ms INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    shown_revision INTEGER NOT NULL
  ) WITHOUT ROWID`,
  `CREATE INDEX relays_open ON relays (nonce) WHERE status IN ('queued', 'sent', 'mined')`,
  `CREATE INDEX relays_in_lane ON relays (lane) WHERE status IN ('queued', 'sent')`,
  'CREATE INDEX relays_to_show ON relays (nonce) WHERE shown_revision < revision',
  `CREATE TABLE attempts (
    hash TEXT PRIMARY KEY,
    nonce INTEGER NOT NULL,
    raw TEXT NOT NULL,
    max_fee_wei TEXT NOT NULL,
    tip_wei TEXT NOT NULL,
    signed_at_ms INTEGER NOT NULL,
    accepted INTEGER NOT NULL
  ) WITHOUT ROWID`,
  'CREATE INDEX attempts_by_nonce ON attempts (nonce, signed_at_ms)',
  'ALTER TABLE attempts ADD COLUMN hollow INTEGER NOT NULL DEFAULT 0',
  ...admissionTables,
]

type Row = Record<string, SqlStorageValue>

/**
 * The record of every nonce of one key. Invariant: a nonce belongs to one action for ever, and no transaction is sent
 * that is not stored here first. All methods are synchronous, so a caller that does not await between two of them
 * cannot be interleaved with.
 */
export class RelayLedger {
  readonly #sql: SqlStorage
  constructor(storage: DurableObjectStorage) {
    this.#sql = storage.sql
  }

  find(id: string): Relay | null {
    return this.#relays('WHERE id = ?', id)[0] ?? null
  }

  /** The action of this lane that has not reached a block, if any. */
  inLane(lane: string): Relay | null {
    return (
      this.#relays(`WHERE lane = ? AND status IN ('queued', 'sent') AND hollow = 0 LIMIT 1`, lane)[0] ?? null
    )
  }

  /** Actions with a nonce below that no block is known to have taken, by nonce. */
  waitingBelow(nonce: number, limit: number): Relay[] {
    return this.#relays(
      `INDEXED BY relays_in_lane WHERE status IN ('queued', 'sent') AND nonce < ? ORDER BY nonce LIMIT ?`,
      nonce,
      limit,
    )
  }

  /** Actions in blocks that may still be dropped, by nonce. */
  mined(limit: number): Relay[] {
    return this.#relays(
      `WHERE status IN ('queued', 'sent', 'mined') AND status = 'mined' ORDER BY nonce LIMIT ?`,
      limit,
    )
  }

  /** Everything not final with this nonce or a higher one, by nonce. */
  openFrom(nonce: number, limit: number): Relay[] {
    return this.#relays(
      `WHERE status IN ('queued', 'sent', 'mined') AND nonce >= ? ORDER BY nonce LIMIT ?`,
      nonce,
      limit,
    )
  }

  /** Everything not final, by nonce. */
  open(limit: number): Relay[] {
    return this.#relays(`WHERE status IN ('queued', 'sent', 'mined') ORDER BY nonce LIMIT ?`, limit)
  }

  countOpen(): number {
    const [row] = this.#sql.exec(
      `SELECT count(*) AS n FROM relays WHERE status IN ('queued', 'sent', 'mined')`,
    )
    return row?.n as number
  }

  nextNonce(): number {
    const [row] = this.#sql.exec('SELECT coalesce(max(nonce) + 1, 0) AS next FROM relays')
    return row?.next as number
  }

  /** Actions that were final and whose nonce a reorganisation deeper than expected has freed, by nonce. */
  freed(chainCount: number, limit: number): Relay[] {
    return this.#relays(
      `WHERE nonce >= ? AND status NOT IN ('queued', 'sent', 'mined') ORDER BY nonce LIMIT ?`,
      chainCount,
      limit,
    )
  }

  /** Whether anything is left to do: an open action, or a change to show. */
  hasWork(): boolean {
    return this.countOpen() > 0 || this.toShow(1).length > 0
  }

  /** A number that differs once an open action has changed or was signed again. */
  changes(): number {
    const [first] = this.open(1)
    if (!first) return 0
    const [row] = this.#sql.exec(
      `SELECT (SELECT sum(revision) FROM relays WHERE nonce >= ?) +
        (SELECT count(*) FROM attempts WHERE nonce >= ?) AS changes`,
      first.nonce,
      first.nonce,
    )
    return row?.changes as number
  }

  /** What the unmined actions may cost at most. */
  committedWei(): bigint {
    const rows = this.#sql.exec(
      `SELECT gas, value_wei,
        (SELECT max_fee_wei FROM attempts WHERE attempts.nonce = relays.nonce ORDER BY signed_at_ms DESC LIMIT 1)
          AS max_fee_wei
        FROM relays WHERE status IN ('queued', 'sent', 'mined') AND status <> 'mined'`,
    )
    let total = 0n
    for (const row of rows) {
      const maxFeeWei = BigInt((row.max_fee_wei as string | null) ?? 0)
      total += BigInt(row.gas as number) * maxFeeWei + BigInt(row.value_wei as string)
    }
    return total
  }

  /** Allocates the next nonce to the action; the row is the nonce's record. */
  insert(relay: NewRelay, chainCount: number, createdAt: number): Relay {
    const nonce = Math.max(this.nextNonce(), chainCount)
    const row = this.#sql.exec(
      `INSERT INTO relays VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'queued', NULL, NULL, 0, 0, NULL, ?, ?, 1, 0)
        RETURNING *`,
      relay.id,
      nonce,
      relay.action,
      relay.owner,
      relay.lane,
      relay.to,
      relay.data,
      relay.valueWei.toString(),
      relay.gas,
      createdAt,
      createdAt,
    )
    return relayOf(row.one())
  }

  /**
   * Writes the members that differ, if the action still has one of the statuses in `from`: what a caller saw before it
   * awaited an answer may be history.
   */
  change({ id }: Pick<Relay, 'id'>, from: readonly RelayStatus[], change: RelayChange, now: number): void {
    const relay = this.find(id)
    if (!relay || !from.includes(relay.status)) return
    const next = { ...relay, ...change }
    const same = (['status', 'txHash', 'error', 'confirmations'] as const).every(
      (member) => next[member] === relay[member],
    )
    if (same) return
    this.#sql.exec(
      `UPDATE relays SET status = ?, tx_hash = ?, error = ?, confirmations = ?, updated_at = ?,
        revision = revision + 1 WHERE id = ?`,
      next.status,
      next.txHash,
      next.error,
      next.confirmations,
      now,
      id,
    )
  }

  noteStranger({ id }: Pick<Relay, 'id'>, sinceMs: number | null): void {
    this.#sql.exec('UPDATE relays SET stranger_since_ms = ? WHERE id = ?', sinceMs, id)
  }

  /** Notes that no chain takes the action: its nonce still has to be used, by a transaction that cannot be refused. */
  hollow({ id }: Pick<Relay, 'id'>, error: string, now: number): void {
    this.#sql.exec(
      `UPDATE relays SET hollow = 1, error = ?, updated_at = ?, revision = revision + 1
        WHERE id = ? AND hollow = 0`,
      error,
      now,
      id,
    )
  }

  /** Notes that the chain took the action after all. */
  fill({ id }: Pick<Relay, 'id'>, now: number): void {
    this.#sql.exec(
      `UPDATE relays SET hollow = 0, error = NULL, updated_at = ?, revision = revision + 1
        WHERE id = ? AND hollow = 1`,
      now,
      id,
    )
  }

  addAttempt(attempt: Omit<Attempt, 'accepted'>): void {
    this.#sql.exec(
      'INSERT INTO attempts VALUES (?, ?, ?, ?, ?, ?, 0, ?) ON CONFLICT DO NOTHING',
      attempt.hash,
      attempt.nonce,
      attempt.raw,
      attempt.maxFeeWei.toString(),
      attempt.tipWei.toString(),
      attempt.signedAtMs,
      attempt.hollow ? 1 : 0,
    )
  }

  accept(hash: string): void {
    this.#sql.exec('UPDATE attempts SET accepted = 1 WHERE hash = ?', hash)
  }

  /** All transactions signed with this nonce, the last one first. */
  attempts(nonce: number): Attempt[] {
    return [
      ...this.#sql.exec('SELECT * FROM attempts WHERE nonce = ? ORDER BY signed_at_ms DESC', nonce),
    ].map((row) => ({
      hash: row.hash as string,
      nonce: row.nonce as number,
      raw: row.raw as string,
      maxFeeWei: BigInt(row.max_fee_wei as string),
      tipWei: BigInt(row.tip_wei as string),
      signedAtMs: row.signed_at_ms as number,
      accepted: row.accepted === 1,
      hollow: row.hollow === 1,
    }))
  }

  /** Actions whose last change has not reached the hub's database. */
  toShow(limit: number): Relay[] {
    return this.#relays('WHERE shown_revision < revision ORDER BY nonce LIMIT ?', limit)
  }

  shown(relays: readonly Relay[]): void {
    this.#sql.exec(
      `UPDATE relays SET shown_revision = max(shown_revision, shown.value->>'revision')
        FROM json_each(?) AS shown WHERE relays.id = shown.value->>'id'`,
      JSON.stringify(relays.map(({ id, revision }) => ({ id, revision }))),
    )
  }

  #relays(where: string, ...values: SqlStorageValue[]): Relay[] {
    return [...this.#sql.exec(`SELECT * FROM relays ${where}`, ...values)].map(relayOf)
  }
}

const relayOf = (row: Row): Relay => ({
  id: row.id as string,
  nonce: row.nonce as number,
  action: row.action as string,
  owner: row.owner as string,
  lane: row.lane as string | null,
  to: row.recipient as string,
  data: row.data as string,
  valueWei: BigInt(row.value_wei as string),
  gas: row.gas as number,
  status: row.status as RelayStatus,
  txHash: row.tx_hash as string | null,
  error: row.error as string | null,
  confirmations: row.confirmations as number,
  hollow: row.hollow === 1,
  strangerSinceMs: row.stranger_since_ms as number | null,
  createdAt: row.created_at as number,
  updatedAt: row.updated_at as number,
  revision: row.revision as number,
})

import type { Fees } from './fees.ts'

/**
 * `queued`: accepted, and no node has taken it. `sent`: in the pool of a node. `mined`: in a block that may still be
 * dropped. The other three are final, unless a reorganisation goes deeper than what counts as final.
 */
export type RelayStatus = 'queued' | 'sent' | 'mined' | 'confirmed' | 'reverted' | 'failed'

/** One accepted action, and the nonce it owns once it is submitted. */
export interface Relay {
  id: string
  /** Null while it is pending: accepted, and not submitted yet. */
  nonce: number | null
  action: string
  owner: string
  serializationKey: string | null
  to: string
  data: string
  valueWei: bigint
  gas: number
  /** What it may cost at most, by the fees at its acceptance. */
  costWei: bigint
  acceptedAtMs: number
  status: RelayStatus
  txHash: string | null
  error: string | null
  confirmations: number
  /** No chain takes the action, as far as nodes say; a transfer of nothing is to use its nonce up. */
  noop: boolean
  /** The head of the chain when the action was final; null before. */
  finalHead: number | null
  /** Since when the nonce has been used on chain by a foreign transaction: one that is not among the attempts. */
  foreignSinceMs: number | null
  /** Unix seconds. */
  updatedAt: number
  /** Rises with every change that is published. */
  revision: number
}

export interface SubmittedRelay extends Relay {
  nonce: number
}

/** One signed transaction with the nonce of an action. */
export interface Attempt extends Fees {
  hash: string
  nonce: number
  raw: string
  signedAtMs: number
  /** Whether a node took it into its pool. */
  accepted: boolean
  /** Does nothing but use the nonce up. */
  noop: boolean
}

export type NewRelay = Pick<
  Relay,
  | 'id'
  | 'action'
  | 'owner'
  | 'serializationKey'
  | 'to'
  | 'data'
  | 'valueWei'
  | 'gas'
  | 'costWei'
  | 'acceptedAtMs'
>
export type RelayChange = Partial<Pick<Relay, 'status' | 'txHash' | 'error' | 'confirmations' | 'finalHead'>>

// The conditions of the indexes, to the letter.
const open = `status IN ('queued', 'sent', 'mined')`
const unmined = `status IN ('queued', 'sent')`

/** What a transfer of nothing takes. */
export const transferGas = 21_000
/** No owner asked for these, and nobody reads of them. */
const fillGap = 'fill_gap'

type Row = Record<string, SqlStorageValue>

/**
 * The record of every action and nonce of one key. Invariant: a nonce belongs to one action for ever, and no transaction
 * is sent that is not stored here first. All methods are synchronous, so a caller that does not await between two of them
 * cannot be interleaved with.
 */
export class RelayLedger {
  readonly #sql: SqlStorage
  constructor(storage: DurableObjectStorage) {
    this.#sql = storage.sql
  }

  /** Stores an accepted action, which has no nonce yet. */
  accept(relay: NewRelay): Relay {
    const row = this.#sql.exec(
      `INSERT INTO relays VALUES (?, NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'queued', NULL, NULL, 0, 0, NULL, NULL, ?, 1, 0)
        RETURNING *`,
      relay.id,
      relay.action,
      relay.owner,
      relay.serializationKey,
      relay.to,
      relay.data,
      relay.valueWei.toString(),
      relay.gas,
      relay.costWei.toString(),
      relay.acceptedAtMs,
      Math.floor(relay.acceptedAtMs / 1000),
    )
    return relayOf(row.one())
  }

  /**
   * Gives a pending action the next nonce, for ever; null when there is no such action.
   *
   * @param chainCount - The first nonce that no block has used.
   */
  assignNonce(id: string, chainCount: number): SubmittedRelay | null {
    const [row] = this.#sql.exec(
      `UPDATE relays SET nonce = max(?, (SELECT coalesce(max(nonce) + 1, 0) FROM relays))
        WHERE id = ? AND nonce IS NULL RETURNING *`,
      chainCount,
      id,
    )
    return row ? submittedOf(row) : null
  }

  /** The first nonces from there on that no action has, although one has a higher nonce. */
  gapsFrom(nonce: number, limit: number): number[] {
    const taken = this.#sql.exec('SELECT nonce FROM relays WHERE nonce >= ? ORDER BY nonce LIMIT 500', nonce)
    const gaps: number[] = []
    let next = nonce
    for (const row of taken) {
      for (; next < (row.nonce as number) && gaps.length < limit; next++) gaps.push(next)
      next = (row.nonce as number) + 1
    }
    return gaps
  }

  /** Gives a nonce to nothing: what waits behind it is mined only once it is used. */
  fillGap(nonce: number, signer: string, nowMs: number): void {
    this.#sql.exec(
      `INSERT INTO relays VALUES (?, ?, '${fillGap}', ?, NULL, ?, '0x', '0', ?, '0', ?, 'queued', NULL, NULL, 0, 1, NULL,
        NULL, ?, 1, 1)`,
      `gap ${nonce}`,
      nonce,
      signer,
      signer,
      transferGas,
      nowMs,
      Math.floor(nowMs / 1000),
    )
  }

  countFilled(): number {
    return this.#sql.exec(`SELECT count(*) AS n FROM relays WHERE action = '${fillGap}'`).one().n as number
  }

  find(id: string): Relay | null {
    return this.#relays('WHERE id = ?', id)[0] ?? null
  }

  /** The action with this serialization key that has not reached a block, if any. */
  findUnmined(serializationKey: string): Relay | null {
    return this.#relays(`WHERE serialization_key = ? AND ${unmined} LIMIT 1`, serializationKey)[0] ?? null
  }

  /** Actions accepted until then that have no nonce, the oldest first. */
  pending(untilMs: number, limit: number): Relay[] {
    return this.#relays(
      'WHERE nonce IS NULL AND accepted_at_ms <= ? ORDER BY accepted_at_ms LIMIT ?',
      untilMs,
      limit,
    )
  }

  /** Actions with a nonce below that no block is known to have taken, by nonce. */
  unminedBelow(nonce: number, limit: number): SubmittedRelay[] {
    // Of the two indexes by nonce the other one holds every action there ever was.
    return this.#submitted(
      `INDEXED BY relays_unmined WHERE ${unmined} AND nonce < ? ORDER BY nonce LIMIT ?`,
      nonce,
      limit,
    )
  }

  /** Actions in blocks that may still be dropped, by nonce. */
  mined(limit: number): SubmittedRelay[] {
    return this.#submitted(`WHERE ${open} AND status = 'mined' ORDER BY nonce LIMIT ?`, limit)
  }

  /** Everything not final with this nonce or a higher one, by nonce. */
  openFrom(nonce: number, limit: number): SubmittedRelay[] {
    return this.#submitted(`WHERE ${open} AND nonce >= ? ORDER BY nonce LIMIT ?`, nonce, limit)
  }

  /** Final actions whose nonce is unused on a chain that has used fewer, by nonce. */
  finalFrom(nonce: number, limit: number): SubmittedRelay[] {
    return this.#submitted(
      `WHERE nonce >= ? AND status NOT IN ('queued', 'sent', 'mined') ORDER BY nonce LIMIT ?`,
      nonce,
      limit,
    )
  }

  /** Actions whose nonce something has used since then, and nobody knows what. */
  countUndecided(sinceMs: number): number {
    return this.#sql
      .exec(`SELECT count(*) AS n FROM relays WHERE ${unmined} AND foreign_since_ms <= ?`, sinceMs)
      .one().n as number
  }

  /** Actions accepted before then that no block has taken. */
  countOverdue(untilMs: number): number {
    return this.#sql
      .exec(`SELECT count(*) AS n FROM relays WHERE ${unmined} AND accepted_at_ms <= ?`, untilMs)
      .one().n as number
  }

  countOpen(): number {
    return this.#sql.exec(`SELECT count(*) AS n FROM relays WHERE ${open}`).one().n as number
  }

  /** When the oldest open action was accepted; null while none is open. */
  oldestOpenMs(): number | null {
    return this.#sql.exec(`SELECT min(accepted_at_ms) AS ms FROM relays WHERE ${open}`).one().ms as
      | number
      | null
  }

  nextNonce(): number {
    return this.#sql.exec('SELECT coalesce(max(nonce) + 1, 0) AS next FROM relays').one().next as number
  }

  /** Whether anything is left to do: an open action, or a change to publish. */
  hasWork(): boolean {
    return this.countOpen() > 0 || this.unpublished(1).length > 0
  }

  /** A number that differs once an action with a nonce has changed or was signed again. */
  changes(): number {
    const [first] = this.openFrom(0, 1)
    if (!first) return 0
    const row = this.#sql.exec(
      `SELECT (SELECT sum(revision) FROM relays WHERE nonce >= ?) +
        (SELECT count(*) FROM attempts WHERE nonce >= ?) AS changes`,
      first.nonce,
      first.nonce,
    )
    return row.one().changes as number
  }

  /** What the unmined actions may cost at most. */
  committedWei(): bigint {
    const rows = this.#sql.exec(
      `SELECT gas, value_wei, cost_wei,
        (SELECT max_fee_wei FROM attempts WHERE attempts.nonce = relays.nonce ORDER BY signed_at_ms DESC LIMIT 1)
          AS max_fee_wei
        FROM relays WHERE ${unmined}`,
    )
    let total = 0n
    for (const { gas, value_wei, cost_wei, max_fee_wei } of rows)
      total +=
        max_fee_wei === null
          ? BigInt(cost_wei as string)
          : BigInt(gas as number) * BigInt(max_fee_wei as string) + BigInt(value_wei as string)
    return total
  }

  /**
   * Writes the members that differ, if the action still has one of the statuses in `from`: what a caller saw before it
   * awaited an answer may be history.
   */
  change({ id }: Pick<Relay, 'id'>, from: readonly RelayStatus[], change: RelayChange, now: number): void {
    const relay = this.find(id)
    if (!relay || !from.includes(relay.status)) return
    const next = { ...relay, ...change }
    const same = (['status', 'txHash', 'error', 'confirmations', 'finalHead'] as const).every(
      (member) => next[member] === relay[member],
    )
    if (same) return
    this.#sql.exec(
      `UPDATE relays SET status = ?, tx_hash = ?, error = ?, confirmations = ?, final_head = ?, updated_at = ?,
        revision = revision + 1 WHERE id = ?`,
      next.status,
      next.txHash,
      next.error,
      next.confirmations,
      next.finalHead,
      now,
      id,
    )
  }

  noteForeignTransaction({ id }: Pick<Relay, 'id'>, sinceMs: number | null): void {
    this.#sql.exec('UPDATE relays SET foreign_since_ms = ? WHERE id = ?', sinceMs, id)
  }

  /** Notes that no chain takes the action: its nonce still has to be used, by a transaction that cannot be refused. */
  markNoop({ id }: Pick<Relay, 'id'>, error: string, now: number): void {
    this.#sql.exec(
      `UPDATE relays SET noop = 1, error = ?, updated_at = ?, revision = revision + 1 WHERE id = ? AND noop = 0`,
      error,
      now,
      id,
    )
  }

  /** Notes that the chain took the action after all. */
  unmarkNoop({ id }: Pick<Relay, 'id'>, now: number): void {
    this.#sql.exec(
      `UPDATE relays SET noop = 0, error = NULL, updated_at = ?, revision = revision + 1 WHERE id = ? AND noop = 1`,
      now,
      id,
    )
  }

  /** What was signed before, and is signed again, is the last attempt again. */
  addAttempt(attempt: Omit<Attempt, 'accepted'>): void {
    this.#sql.exec(
      `INSERT INTO attempts VALUES (?, ?, ?, ?, ?, ?, 0, ?)
        ON CONFLICT DO UPDATE SET signed_at_ms = excluded.signed_at_ms`,
      attempt.hash,
      attempt.nonce,
      attempt.raw,
      attempt.maxFeeWei.toString(),
      attempt.tipWei.toString(),
      attempt.signedAtMs,
      attempt.noop ? 1 : 0,
    )
  }

  /** Notes that a node took the transaction into its pool. */
  markAccepted(hash: string): void {
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
      noop: row.noop === 1,
    }))
  }

  /** Actions whose last change has not reached the hub's database. */
  unpublished(limit: number): Relay[] {
    return this.#relays(
      `WHERE published_revision < revision AND action <> '${fillGap}' ORDER BY accepted_at_ms LIMIT ?`,
      limit,
    )
  }

  markPublished(relays: readonly Pick<Relay, 'id' | 'revision'>[]): void {
    this.#sql.exec(
      `UPDATE relays SET published_revision = max(published_revision, copy.value->>'revision')
        FROM json_each(?) AS copy WHERE relays.id = copy.value->>'id'`,
      JSON.stringify(relays.map(({ id, revision }) => ({ id, revision }))),
    )
  }

  #relays(where: string, ...values: SqlStorageValue[]): Relay[] {
    // biome-ignore lint/plugin/noSpreadArguments: The values of one statement.
    return [...this.#sql.exec(`SELECT * FROM relays ${where}`, ...values)].map(relayOf)
  }

  #submitted(where: string, ...values: SqlStorageValue[]): SubmittedRelay[] {
    // biome-ignore lint/plugin/noSpreadArguments: The values of one statement.
    return [...this.#sql.exec(`SELECT * FROM relays ${where}`, ...values)].map(submittedOf)
  }
}

const submittedOf = (row: Row): SubmittedRelay => ({ ...relayOf(row), nonce: row.nonce as number })

const relayOf = (row: Row): Relay => ({
  id: row.id as string,
  nonce: row.nonce as number | null,
  action: row.action as string,
  owner: row.owner as string,
  serializationKey: row.serialization_key as string | null,
  to: row.recipient as string,
  data: row.data as string,
  valueWei: BigInt(row.value_wei as string),
  gas: row.gas as number,
  costWei: BigInt(row.cost_wei as string),
  acceptedAtMs: row.accepted_at_ms as number,
  status: row.status as RelayStatus,
  txHash: row.tx_hash as string | null,
  error: row.error as string | null,
  confirmations: row.confirmations as number,
  noop: row.noop === 1,
  finalHead: row.final_head as number | null,
  foreignSinceMs: row.foreign_since_ms as number | null,
  updatedAt: row.updated_at as number,
  revision: row.revision as number,
})

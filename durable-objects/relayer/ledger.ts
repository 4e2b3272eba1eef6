import type { CopiedTable } from '../object-copy.ts'
import { type Sql, sqlOf } from '../sql.ts'
import type { Fees } from './fees.ts'

/** `queued`: no node has taken it. `sent`: in a node's pool. `mined`: in a block that may be dropped. The others are final. */
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
  /** Its maximum cost, by the fees at its acceptance. */
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

export interface Attempt extends Fees {
  hash: string
  nonce: number
  raw: string
  signedAtMs: number
  accepted: boolean
  /** Does nothing but use the nonce up. */
  noop: boolean
}

type RelayChange = Partial<Pick<Relay, 'status' | 'txHash' | 'error' | 'confirmations' | 'finalHead'>>

type NewRelay = Omit<
  Relay,
  keyof RelayChange | 'nonce' | 'noop' | 'foreignSinceMs' | 'updatedAt' | 'revision'
>

export const transferGas = 21_000

/** Older actions are final, and the hub's database knows their ids. */
const firstCopied = `min(
  (SELECT max(nonce) FROM relays) - 10000,
  coalesce((SELECT min(nonce) FROM relays WHERE status IN ('queued', 'sent', 'mined')), 1e15))`

const forgetOldest = `
  DELETE FROM attempts WHERE hash IN (SELECT hash FROM attempts WHERE nonce < ${firstCopied} ORDER BY nonce LIMIT ?)
  RETURNING nonce`

/** Tables of a relayer that a backup has: its last actions, all that are not final, and the gas that owners used. */
export const relayerTables: readonly CopiedTable[] = [
  { name: 'relays', key: 'id', where: 'nonce IS NULL' },
  { name: 'relays', key: 'nonce', where: `nonce >= ${firstCopied}` },
  { name: 'attempts', key: "printf('%016d', nonce) || hash", where: `nonce >= ${firstCopied}` },
  { name: 'refusals', key: 'nonce' },
  { name: 'gas_days', key: 'day', where: 'day >= (SELECT max(day) FROM gas_days) - 1' },
  { name: 'owner_gas', key: "day || ' ' || owner" },
]

type Row = Record<string, SqlStorageValue>
type Count = { n: number }

/**
 * The record of every action and nonce of one key. Invariant: a nonce belongs to one action for ever, and no transaction is sent that is not
 * stored here first. All methods are synchronous. Conditions on the status are those of the indexes, to the letter. Nobody asked for an
 * action `fill_gap`, and nobody reads of it.
 */
export class RelayLedger {
  readonly #storage: DurableObjectStorage
  readonly #sql: Sql
  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
    this.#sql = sqlOf(storage)
  }

  accept({
    id,
    action,
    owner,
    serializationKey,
    to,
    data,
    valueWei,
    gas,
    costWei,
    acceptedAtMs,
  }: NewRelay): Relay {
    const [row] = this.#sql`
      INSERT INTO relays VALUES (
        ${id}, NULL, ${action}, ${owner}, ${serializationKey}, ${to}, ${data}, ${String(valueWei)}, ${gas},
        ${String(costWei)}, ${acceptedAtMs}, 'queued', NULL, NULL, 0, 0, NULL, NULL, ${toSeconds(acceptedAtMs)}, 1, 0
      ) RETURNING *`
    return relayOf(row!)
  }

  /** Gives a pending action the next nonce, for ever, from `chainCount` on, the first that no block has used; null when there is no such action. */
  assignNonce(id: string, chainCount: number): SubmittedRelay | null {
    const [row] = this.#sql`
      UPDATE relays SET nonce = max(${chainCount}, (SELECT coalesce(max(nonce) + 1, 0) FROM relays))
      WHERE id = ${id} AND nonce IS NULL RETURNING *`
    return row ? submittedOf(row) : null
  }

  /** The first nonces from there on that no action has, although one has a higher nonce. */
  gapsFrom(nonce: number, limit: number): number[] {
    const taken = this.#sql<{ nonce: number }>`
      SELECT nonce FROM relays WHERE nonce >= ${nonce} ORDER BY nonce LIMIT 500`
    const gaps: number[] = []
    let next = nonce
    for (const row of taken) {
      for (; next < row.nonce && gaps.length < limit; next++) gaps.push(next)
      next = row.nonce + 1
    }
    return gaps
  }

  /** Gives a nonce to nothing: what waits behind it is mined only once it is used. */
  fillGap(nonce: number, signer: string, nowMs: number): void {
    this.#sql`
      INSERT INTO relays VALUES (
        ${`gap ${nonce}`}, ${nonce}, 'fill_gap', ${signer}, NULL, ${signer}, '0x', '0', ${transferGas}, '0', ${nowMs},
        'queued', NULL, NULL, 0, 1, NULL, NULL, ${toSeconds(nowMs)}, 1, 1
      )`
  }

  countFilled(): number {
    return this.#sql<Count>`SELECT count(*) AS n FROM relays WHERE action = 'fill_gap'`[0]!.n
  }

  find(id: string): Relay | null {
    const [row] = this.#sql`SELECT * FROM relays WHERE id = ${id}`
    return row ? relayOf(row) : null
  }

  /** The action with this serialization key that has not reached a block, if any. */
  findUnmined(serializationKey: string): Relay | null {
    const [row] = this.#sql`
      SELECT * FROM relays WHERE serialization_key = ${serializationKey} AND status IN ('queued', 'sent') LIMIT 1`
    return row ? relayOf(row) : null
  }

  /** Actions accepted until then that have no nonce, the oldest first. */
  pending(untilMs: number, limit: number): Relay[] {
    const rows = this.#sql`
      SELECT * FROM relays WHERE nonce IS NULL AND accepted_at_ms <= ${untilMs}
      ORDER BY accepted_at_ms LIMIT ${limit}`
    return rows.map(relayOf)
  }

  /** Actions with a nonce below that no block is known to have taken, by nonce. */
  unminedBelow(nonce: number, limit: number): SubmittedRelay[] {
    // SQLite might choose the unique index of nonces, which holds every action there ever was.
    const rows = this.#sql`
      SELECT * FROM relays INDEXED BY relays_unmined WHERE status IN ('queued', 'sent') AND nonce < ${nonce}
      ORDER BY nonce LIMIT ${limit}`
    return rows.map(submittedOf)
  }

  /** Actions in blocks that may still be dropped, by nonce. */
  mined(limit: number): SubmittedRelay[] {
    const rows = this.#sql`
      SELECT * FROM relays WHERE status IN ('queued', 'sent', 'mined') AND status = 'mined'
      ORDER BY nonce LIMIT ${limit}`
    return rows.map(submittedOf)
  }

  /** Everything not final with this nonce or a higher one, by nonce. */
  openFrom(nonce: number, limit: number): SubmittedRelay[] {
    const rows = this.#sql`
      SELECT * FROM relays WHERE status IN ('queued', 'sent', 'mined') AND nonce >= ${nonce}
      ORDER BY nonce LIMIT ${limit}`
    return rows.map(submittedOf)
  }

  finalFrom(nonce: number, limit: number): SubmittedRelay[] {
    const rows = this.#sql`
      SELECT * FROM relays WHERE nonce >= ${nonce} AND status NOT IN ('queued', 'sent', 'mined')
      ORDER BY nonce LIMIT ${limit}`
    return rows.map(submittedOf)
  }

  /** Actions whose nonce something has used since then, and nobody knows what. */
  countUndecided(sinceMs: number): number {
    const [row] = this.#sql<Count>`
      SELECT count(*) AS n FROM relays WHERE status IN ('queued', 'sent') AND foreign_since_ms <= ${sinceMs}`
    return row!.n
  }

  /** Actions accepted before then that no block has taken. */
  countOverdue(untilMs: number): number {
    const [row] = this.#sql<Count>`
      SELECT count(*) AS n FROM relays WHERE status IN ('queued', 'sent') AND accepted_at_ms <= ${untilMs}`
    return row!.n
  }

  countOpen(): number {
    return this.#sql<Count>`SELECT count(*) AS n FROM relays WHERE status IN ('queued', 'sent', 'mined')`[0]!
      .n
  }

  oldestOpenMs(): number | null {
    const [row] = this.#sql<{ ms: number | null }>`
      SELECT min(accepted_at_ms) AS ms FROM relays WHERE status IN ('queued', 'sent', 'mined')`
    return row!.ms
  }

  nextNonce(): number {
    return this.#sql<Count>`SELECT coalesce(max(nonce) + 1, 0) AS n FROM relays`[0]!.n
  }

  /** Whether anything is left to do: an open action, or a change to publish. */
  hasWork(): boolean {
    return this.countOpen() > 0 || this.unpublished(1).length > 0
  }

  /** Whether an action has not reached a node. */
  hasUnsent(): boolean {
    return this.#sql<Count>`SELECT count(*) AS n FROM relays WHERE status = 'queued'`[0]!.n > 0
  }

  /** A number that differs once an action with a nonce has changed or was signed again. */
  changes(): number {
    const [first] = this.openFrom(0, 1)
    if (!first) return 0
    const { nonce } = first
    const [row] = this.#sql<Count>`
      SELECT (SELECT sum(revision) FROM relays WHERE nonce >= ${nonce}) +
        (SELECT count(*) FROM attempts WHERE nonce >= ${nonce}) AS n`
    return row!.n
  }

  committedWei(): bigint {
    const rows = this.#sql<{ gas: number; value_wei: string; cost_wei: string; fee: string | null }>`
      SELECT gas, value_wei, cost_wei,
        (SELECT max_fee_wei FROM attempts WHERE attempts.nonce = relays.nonce ORDER BY signed_at_ms DESC LIMIT 1) AS fee
      FROM relays WHERE status IN ('queued', 'sent')`
    return rows.reduce(
      (total, { gas, value_wei, cost_wei, fee }) =>
        total + (fee === null ? BigInt(cost_wei) : BigInt(gas) * BigInt(fee) + BigInt(value_wei)),
      0n,
    )
  }

  /** Writes what differs, if the status is one of `from`: what a caller saw before it awaited an answer may be history. */
  change({ id }: Pick<Relay, 'id'>, from: readonly RelayStatus[], change: RelayChange, now: number): void {
    const relay = this.find(id)
    if (!relay || !from.includes(relay.status)) return
    const members = Object.keys(change) as (keyof RelayChange)[]
    if (members.every((member) => change[member] === relay[member])) return
    const { status, txHash, error, confirmations, finalHead } = { ...relay, ...change }
    this.#sql`
      UPDATE relays SET status = ${status}, tx_hash = ${txHash}, error = ${error}, confirmations = ${confirmations},
        final_head = ${finalHead}, updated_at = ${now}, revision = revision + 1 WHERE id = ${id}`
  }

  noteForeignTransaction({ id }: Pick<Relay, 'id'>, sinceMs: number | null): void {
    this.#sql`UPDATE relays SET foreign_since_ms = ${sinceMs} WHERE id = ${id}`
  }

  /** Notes that no chain takes the action: its nonce still has to be used, by a transaction that cannot be refused. */
  markNoop({ id }: Pick<Relay, 'id'>, error: string, now: number): void {
    this.#sql`
      UPDATE relays SET noop = 1, error = ${error}, updated_at = ${now}, revision = revision + 1
      WHERE id = ${id} AND noop = 0`
  }

  /** Notes that the chain took the action after all. */
  unmarkNoop({ id }: Pick<Relay, 'id'>, now: number): void {
    this.#sql`
      UPDATE relays SET noop = 0, error = NULL, updated_at = ${now}, revision = revision + 1
      WHERE id = ${id} AND noop = 1`
  }

  /** A transaction that is signed again is the last attempt again. */
  addAttempt({ hash, nonce, raw, maxFeeWei, tipWei, signedAtMs, noop }: Omit<Attempt, 'accepted'>): void {
    this.#sql`
      INSERT INTO attempts VALUES (
        ${hash}, ${nonce}, ${raw}, ${String(maxFeeWei)}, ${String(tipWei)}, ${signedAtMs}, 0, ${Number(noop)}
      ) ON CONFLICT DO UPDATE SET signed_at_ms = excluded.signed_at_ms`
  }

  markAccepted(hash: string): void {
    this.#sql`UPDATE attempts SET accepted = 1 WHERE hash = ${hash}`
  }

  attempts(nonce: number): Attempt[] {
    const rows = this.#sql`SELECT * FROM attempts WHERE nonce = ${nonce} ORDER BY signed_at_ms DESC`
    return rows.map((row) => ({
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

  /**
   * Forgets `limit` of the transactions that no reorganisation can ask for again, with what their actions called. The actions stay: one id
   * is one transaction, ever.
   */
  forgetOld(limit: number): void {
    const old = this.#storage.sql.exec<{ nonce: number }>(forgetOldest, limit).toArray()
    for (const { nonce } of old) this.#sql`UPDATE relays SET data = '' WHERE nonce = ${nonce}`
  }

  /** Actions whose last change has not reached the hub's database. */
  unpublished(limit: number): Relay[] {
    const rows = this.#sql`
      SELECT * FROM relays WHERE published_revision < revision AND action <> 'fill_gap'
      ORDER BY accepted_at_ms LIMIT ${limit}`
    return rows.map(relayOf)
  }

  /** Has everything that changed since then copied to the hub's database again. @param since - Unix seconds. @returns How many. */
  publishAgain(since: number): number {
    return this.#sql`
      UPDATE relays SET published_revision = 0 WHERE updated_at >= ${since} AND action <> 'fill_gap' RETURNING id`
      .length
  }

  /** The revisions of actions that changed since then: the `limit` newest. @param since - Unix seconds. */
  revisionsSince(since: number, limit: number): Pick<Relay, 'id' | 'revision'>[] {
    return this.#sql`
      SELECT id, revision FROM relays WHERE updated_at >= ${since} AND action <> 'fill_gap'
      ORDER BY updated_at DESC LIMIT ${limit}`
  }

  markPublished(relays: readonly Pick<Relay, 'id' | 'revision'>[]): void {
    const copies = JSON.stringify(relays.map(({ id, revision }) => ({ id, revision })))
    this.#sql`
      UPDATE relays SET published_revision = max(published_revision, copy.value->>'revision')
      FROM json_each(${copies}) AS copy WHERE relays.id = copy.value->>'id'`
  }
}

const toSeconds = (ms: number): number => Math.floor(ms / 1000)

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

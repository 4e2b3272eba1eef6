import { and, desc, eq, getTableColumns, type InferSelectModel, type SQL, sql } from 'drizzle-orm'
import type { Wallet } from './caller.ts'
import type { Payout } from './claims.ts'
import { batch, isChanged, readRows, Store } from './database.ts'
import { wantStatement } from './hub-actions.ts'
import { epochShares, hubActions, transactions, withdrawals } from './schema/index.ts'
import type { Transaction } from './transactions.ts'

type Row = InferSelectModel<typeof withdrawals>

/** A withdrawal with everything that its status follows from. */
export interface Withdrawal extends Row {
  /** The latest transaction that the hub sent for it; null before the first one. */
  relay: Pick<Transaction, 'status' | 'txHash' | 'error' | 'updatedAt'> | null
  /** The last payment, once the chain has paid all of it; null before, and once the withdrawal is over. */
  payment: { at: number; txHash: string } | null
  /** What the chain says was withdrawn; null while it is not indexed, and for payouts. */
  withdrawn: { amount: string; at: number } | null
}

export interface WithdrawalPosition {
  requestedAt: number
  withdrawalId: string
}

/** Payouts of one vault that are claimed together. */
export interface NewClaim {
  withdrawalId: string
  account: string
  payouts: readonly Payout[]
}

export type NewCollateral = Pick<
  Row,
  'withdrawalId' | 'account' | 'amount' | 'token' | 'requestedAt' | 'subscriptionId'
>

/** A payout that a withdrawal claims, as its vault takes it. */
export type OpenPayout = Pick<Payout, 'epoch' | 'amount' | 'leaf' | 'receiptHash' | 'leaves'>

/** What the chain says of a withdrawal's payouts. */
interface ClaimedRow {
  epoch: number
  amount: string | null
  claimedAt: number | null
  claimedTx: string | null
}

const json = <T>(text: string): T => JSON.parse(text) as T

const columns = {
  row: getTableColumns(withdrawals),
  relay: sql`CASE WHEN ${transactions.id} IS NOT NULL THEN json_object('status', ${transactions.status},
    'txHash', ${transactions.txHash}, 'error', ${transactions.error}, 'updatedAt', ${transactions.updatedAt})
    END`.mapWith(json<Withdrawal['relay']>),
  payment: sql`CASE WHEN ${withdrawals.kind} = 'claim' AND ${withdrawals.state} = 'open'
      AND ${withdrawals.unpaid} = 0 THEN (
    SELECT json_object('at', claimed_at, 'txHash', claimed_tx) FROM epoch_shares AS s
    WHERE s.withdrawal_id = ${withdrawals.withdrawalId} ORDER BY claimed_at DESC LIMIT 1) END`.mapWith(
    json<Withdrawal['payment']>,
  ),
  withdrawn: sql`CASE WHEN ${withdrawals.kind} = 'collateral' THEN (
    SELECT json_object('amount', e.args->>'amount', 'at', e.block_time) FROM chain_events AS e
    WHERE e.tx_hash = ${transactions.txHash} AND e.name = 'Withdrawn'
      AND e.args->>'subscriptionId' = ${withdrawals.subscriptionId}) END`.mapWith(
    json<Withdrawal['withdrawn']>,
  ),
}

/** What wallets take out, and which payouts the hub is about to claim for them. */
export class WithdrawalStore extends Store {
  /** In the order of their ids. */
  async findMany(ids: readonly string[]): Promise<Withdrawal[]> {
    const rows = await this.#select(
      sql`withdrawal_id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`,
    ).orderBy(withdrawals.withdrawalId)
    return rows.map(joined)
  }

  /** Newest first; `limit` rows after `after`. */
  async list(account: Wallet, after: WithdrawalPosition | undefined, limit: number): Promise<Withdrawal[]> {
    const rows = await this.#select(
      and(
        eq(withdrawals.account, account),
        after && sql`(requested_at, withdrawal_id) < (${after.requestedAt}, ${after.withdrawalId})`,
      ),
    )
      .orderBy(desc(withdrawals.requestedAt), desc(withdrawals.withdrawalId))
      .limit(limit)
    return rows.map(joined)
  }

  /** The ids of what was requested under a name that its ids begin with. */
  async requestedAs(name: string): Promise<string[]> {
    const rows = await this.db
      .select({ id: withdrawals.withdrawalId })
      .from(withdrawals)
      .where(sql`withdrawal_id > ${name} AND withdrawal_id < ${`${name}~`}`)
      .orderBy(withdrawals.withdrawalId)
    return rows.map(({ id }) => id)
  }

  /**
   * Notes withdrawals of payouts, and wants these claimed. Each takes all of its payouts or, where another withdrawal has
   * one of them or somebody has claimed it, none.
   *
   * @returns The ids of those that were noted.
   */
  async request(claims: readonly NewClaim[], now: number): Promise<string[]> {
    const results = await batch(
      this.db,
      claims.flatMap((claim) => requestStatements(claim, now)),
    )
    const each = results.length / claims.length
    return claims.flatMap(({ withdrawalId }, i) => (isChanged(results[i * each]) ? [withdrawalId] : []))
  }

  /** Notes that collateral is withdrawn by a relayed action, once. */
  async recordCollateral(collateral: NewCollateral): Promise<void> {
    await this.db
      .insert(withdrawals)
      .values({
        ...collateral,
        kind: 'collateral',
        epochs: [],
        unpaid: 0,
        state: 'open',
        relayId: collateral.withdrawalId,
      })
      .onConflictDoNothing()
  }

  /** What its payouts are called on the chain: none once it is over. */
  async claimSubjects(withdrawalId: string): Promise<string[]> {
    const rows = await readRows<{ subject: string }>(this.db, subjectsText, [withdrawalId])
    return rows.map(({ subject }) => subject)
  }

  /** The payouts that nobody has claimed. */
  async openPayouts(withdrawalId: string): Promise<OpenPayout[]> {
    return readRows<OpenPayout>(this.db, openPayoutsText, [withdrawalId])
  }

  async find(withdrawalId: string): Promise<Row | null> {
    const rows = await this.db.select().from(withdrawals).where(eq(withdrawals.withdrawalId, withdrawalId))
    return rows[0] ?? null
  }

  /** Notes the transaction that is about to be relayed. */
  async noteAttempt(withdrawalId: string, relayId: string): Promise<void> {
    await this.db.update(withdrawals).set({ relayId }).where(eq(withdrawals.withdrawalId, withdrawalId))
  }

  async noteError(withdrawalId: string, error: string | null): Promise<void> {
    await this.db.update(withdrawals).set({ error }).where(eq(withdrawals.withdrawalId, withdrawalId))
  }

  /**
   * Ends a withdrawal with what the chain says was paid. The other payouts can be claimed again. Done twice it changes
   * nothing more.
   */
  async end(withdrawalId: string): Promise<void> {
    const [row, said] = await Promise.all([
      this.find(withdrawalId),
      readRows<ClaimedRow>(this.db, claimedText, [withdrawalId]),
    ])
    if (row === null || row.state !== 'open') return
    const { state, amount, epochs, error, txHash, completedAt } = outcomeOf(row, said)
    const results = await batch(this.db, [
      sql`
        UPDATE ${withdrawals} SET state = ${state}, amount = ${amount}, epochs = ${JSON.stringify(epochs)},
          error = ${error}, tx_hash = ${txHash}, completed_at = ${completedAt}
        WHERE withdrawal_id = ${withdrawalId} AND state = 'open' AND unpaid = ${row.unpaid}`,
      sql`UPDATE ${epochShares} SET withdrawal_id = NULL
        WHERE withdrawal_id = ${withdrawalId} AND EXISTS (
          SELECT 1 FROM ${withdrawals} AS w WHERE w.withdrawal_id = ${withdrawalId} AND w.state <> 'open')`,
    ])
    if (!isChanged(results[0])) throw new Error(`the withdrawal ${withdrawalId} changed while it was ended`)
  }

  #select(where: SQL | undefined) {
    return this.db
      .select(columns)
      .from(withdrawals)
      .leftJoin(transactions, eq(transactions.id, withdrawals.relayId))
      .where(where)
      .$dynamic()
  }
}

interface JoinedRow extends Pick<Withdrawal, 'relay' | 'payment' | 'withdrawn'> {
  row: Row
}

const joined = ({ row, ...rest }: JoinedRow): Withdrawal => ({ ...row, ...rest })

function requestStatements({ withdrawalId, account, payouts }: NewClaim, now: number): SQL[] {
  const [first] = payouts
  if (first === undefined) throw new Error('an empty withdrawal')
  const { projectId, vault, token } = first
  const epochs = JSON.stringify(payouts.map(({ epoch }) => epoch))
  const amount = String(payouts.reduce((sum, payout) => sum + BigInt(payout.amount), 0n))
  const isFree = sql`s.miner = ${account} AND s.project_id = ${projectId} AND s.withdrawal_id IS NULL
    AND s.claimed_at IS NULL`
  return [
    sql`
      INSERT INTO ${withdrawals} (withdrawal_id, kind, account, amount, token, requested_at, project_id, vault, epochs,
        unpaid, state)
      SELECT ${withdrawalId}, 'claim', ${account}, ${amount}, ${JSON.stringify(token)}, ${now}, ${projectId}, ${vault},
        ${epochs}, ${payouts.length}, 'open'
      WHERE ${payouts.length} = (SELECT count(*) FROM json_each(${epochs}) AS e
        CROSS JOIN ${epochShares} AS s ON s.epoch = e.value WHERE ${isFree})
      ON CONFLICT DO NOTHING`,
    sql`
      UPDATE ${epochShares} AS s SET withdrawal_id = ${withdrawalId}
      WHERE ${isFree} AND s.epoch IN (
        SELECT e.value FROM ${withdrawals} AS w CROSS JOIN json_each(w.epochs) AS e
        WHERE w.withdrawal_id = ${withdrawalId} AND w.state = 'open')`,
    wantStatement(
      { kind: 'claim_payouts', subject: withdrawalId, wanted: {} },
      now,
      sql`SELECT 1 FROM ${withdrawals} WHERE withdrawal_id = ${withdrawalId} AND NOT EXISTS (
        SELECT 1 FROM ${hubActions} WHERE kind = 'claim_payouts' AND subject = ${withdrawalId})`,
    ),
  ]
}

/** Completed with what was paid; failed where nothing was. */
function outcomeOf(
  row: Row,
  said: readonly ClaimedRow[],
): Pick<Row, 'state' | 'amount' | 'epochs' | 'error' | 'txHash' | 'completedAt'> {
  const { amount, epochs, txHash, completedAt } = row
  const paid = said.filter(({ claimedAt }) => claimedAt !== null)
  const last = paid.at(-1)
  const refusal = row.error ?? 'The token refuses to pay the wallet.'
  if (last === undefined) return { state: 'failed', error: refusal, amount, epochs, txHash, completedAt }
  return {
    state: 'completed',
    amount: String(paid.reduce((sum, claim) => sum + BigInt(claim.amount ?? '0'), 0n)),
    epochs: paid.map(({ epoch }) => epoch).sort((a, b) => a - b),
    error:
      paid.length === said.length
        ? null
        : `Not paid, claim again: ${said.length - paid.length} of ${said.length}. ${refusal}`,
    txHash: last.claimedTx,
    completedAt: last.claimedAt,
  }
}

const fromShares = `
  FROM epoch_shares AS s INDEXED BY epoch_shares_of_withdrawal
  CROSS JOIN epoch_receipts AS r ON r.project_id = s.project_id AND r.epoch = s.epoch`

const subjectsText = `
  SELECT r.vault || ':' || s.epoch || ':' || s.miner AS subject ${fromShares} WHERE s.withdrawal_id = ?1`

const openPayoutsText = `
  SELECT s.epoch, s.amount, s.leaf, r.receipt_hash AS receiptHash, r.leaves ${fromShares}
  WHERE s.withdrawal_id = ?1 AND s.claimed_at IS NULL ORDER BY s.epoch`

/** The amounts are those of the chain's events. */
const claimedText = `
  SELECT s.epoch, s.claimed_at AS claimedAt, s.claimed_tx AS claimedTx, c.state->>'amount' AS amount ${fromShares}
  LEFT JOIN chain_states AS c ON c.kind = 'claim' AND c.subject = r.vault || ':' || s.epoch || ':' || s.miner
  WHERE s.withdrawal_id = ?1 ORDER BY s.claimed_at, s.epoch`

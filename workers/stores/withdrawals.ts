import {
  and,
  desc,
  eq,
  getTableColumns,
  gt,
  type InferSelectModel,
  isNull,
  lt,
  type SQL,
  sql,
} from 'drizzle-orm'
import type { Wallet } from './caller.ts'
import { isState } from './chain-facts.ts'
import type { Payout } from './claims.ts'
import { batch, isChanged, Store } from './database.ts'
import { wantStatement } from './hub-actions.ts'
import {
  chainEvents,
  chainStates,
  epochReceipts,
  epochShares,
  hubActions,
  transactions,
  withdrawals,
} from './schema/index.ts'
import { claimName } from './settlement-effects.ts'
import { build, flat, fromTemplate, insertFrom, isOneOf, isSameEpoch } from './statements.ts'
import type { Transaction } from './transactions.ts'

type Row = InferSelectModel<typeof withdrawals>

/** A withdrawal with everything that its status follows from. */
export interface Withdrawal extends Row {
  /** The latest transaction that the hub sent for it; null before the first one. */
  relay: Pick<Transaction, 'status' | 'txHash' | 'error' | 'updatedAt'> | null
  /** The last payment, once the chain has paid all of it; null before, and once the withdrawal is over. */
  payment: { at: number; txHash: string } | null
  /** The withdrawn collateral, from the chain; null while it is not indexed, and for payouts. */
  withdrawn: { amount: string; at: number } | null
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

/** A payout of a withdrawal, with its claim on the chain. */
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
    SELECT json_object('at', ${epochShares.claimedAt}, 'txHash', ${epochShares.claimedTx}) FROM ${epochShares}
    WHERE ${epochShares.withdrawalId} = ${withdrawals.withdrawalId}
    ORDER BY ${epochShares.claimedAt} DESC LIMIT 1) END`.mapWith(json<Withdrawal['payment']>),
  withdrawn: sql`CASE WHEN ${withdrawals.kind} = 'collateral' THEN (
    SELECT json_object('amount', ${chainEvents.args}->>'amount', 'at', ${chainEvents.blockTime}) FROM ${chainEvents}
    WHERE ${chainEvents.txHash} = ${transactions.txHash} AND ${chainEvents.name} = 'Withdrawn'
      AND ${chainEvents.args}->>'subscriptionId' = ${withdrawals.subscriptionId}) END`.mapWith(
    json<Withdrawal['withdrawn']>,
  ),
}

/** Withdrawals of wallets, and the payouts that the hub is about to claim for them. */
export class WithdrawalStore extends Store {
  /** In the order of their ids. */
  async findMany(ids: readonly string[]): Promise<Withdrawal[]> {
    const rows = await this.#select(isOneOf(withdrawals.withdrawalId, ids)).orderBy(withdrawals.withdrawalId)
    return rows.map(flat)
  }

  async list(
    account: Wallet,
    after: Pick<Row, 'requestedAt' | 'withdrawalId'> | undefined,
    limit: number,
  ): Promise<Withdrawal[]> {
    const rows = await this.#select(
      and(
        eq(withdrawals.account, account),
        after &&
          sql`(${withdrawals.requestedAt}, ${withdrawals.withdrawalId}) < (${after.requestedAt}, ${after.withdrawalId})`,
      ),
    )
      .orderBy(desc(withdrawals.requestedAt), desc(withdrawals.withdrawalId))
      .limit(limit)
    return rows.map(flat)
  }

  /** The ids of the withdrawals that were requested under a name: they begin with it. */
  async requestedAs(name: string): Promise<string[]> {
    const rows = await this.db
      .select({ id: withdrawals.withdrawalId })
      .from(withdrawals)
      .where(and(gt(withdrawals.withdrawalId, name), lt(withdrawals.withdrawalId, `${name}~`)))
      .orderBy(withdrawals.withdrawalId)
    return rows.map(({ id }) => id)
  }

  /**
   * Notes withdrawals of payouts, and wants these claimed. Each takes all of its payouts or, where another withdrawal has one of them or
   * somebody has claimed it, none. @returns The ids of those that were noted.
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

  /** The names of its payouts on the chain; empty once the withdrawal is over. */
  async claimSubjects(withdrawalId: string): Promise<string[]> {
    const rows = await this.db
      .select({ subject: sql<string>`${claimName}` })
      .from(sharesOfWithdrawals)
      .crossJoin(epochReceipts)
      .where(payoutsOf(withdrawalId))
    return rows.map(({ subject }) => subject)
  }

  /** The payouts that nobody has claimed. */
  async openPayouts(withdrawalId: string): Promise<OpenPayout[]> {
    const { epoch, amount, leaf } = epochShares
    const { receiptHash, leaves } = epochReceipts
    return this.db
      .select({ ...fromTemplate({ epoch, amount }), leaf: sql<number>`${leaf}`, receiptHash, leaves })
      .from(sharesOfWithdrawals)
      .crossJoin(epochReceipts)
      .where(and(payoutsOf(withdrawalId), isNull(epochShares.claimedAt)))
      .orderBy(epoch)
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

  /** Ends a withdrawal with what the chain says was paid. The other payouts can be claimed again. Done twice it changes nothing more. */
  async end(withdrawalId: string): Promise<void> {
    const { epoch, claimedAt, claimedTx } = epochShares
    const [row, said] = await Promise.all([
      this.find(withdrawalId),
      // The amounts are those of the chain's events.
      this.db
        .select({
          ...fromTemplate({ epoch, claimedAt, claimedTx }),
          amount: sql<string | null>`${chainStates.state}->>'amount'`,
        })
        .from(sharesOfWithdrawals)
        .crossJoin(epochReceipts)
        .leftJoin(chainStates, isState('claim', claimName))
        .where(payoutsOf(withdrawalId))
        .orderBy(claimedAt, epoch),
    ])
    if (row === null || row.state !== 'open') return
    const { withdrawalId: id, state } = withdrawals
    const results = await batch(this.db, [
      this.db
        .update(withdrawals)
        .set(outcomeOf(row, said))
        .where(and(eq(id, withdrawalId), eq(state, 'open'), eq(withdrawals.unpaid, row.unpaid))),
      this.db
        .update(epochShares)
        .set({ withdrawalId: null })
        .where(
          sql`${epochShares.withdrawalId} = ${withdrawalId} AND EXISTS (
            SELECT 1 FROM ${withdrawals} WHERE ${id} = ${withdrawalId} AND ${state} <> 'open')`,
        ),
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

function requestStatements({ withdrawalId, account, payouts }: NewClaim, now: number) {
  const [first] = payouts
  if (first === undefined) throw new Error('an empty withdrawal')
  const { projectId, vault, token } = first
  const epochs = payouts.map(({ epoch }) => epoch)
  const amount = String(payouts.reduce((sum, payout) => sum + BigInt(payout.amount), 0n))
  const isFree = and(
    eq(epochShares.miner, account),
    eq(epochShares.projectId, projectId),
    isNull(epochShares.withdrawalId),
    isNull(epochShares.claimedAt),
  )
  const request = { withdrawalId, account, amount, token, projectId, vault, epochs, unpaid: epochs.length }
  const isOpen = sql`${withdrawals.withdrawalId} = ${withdrawalId} AND ${withdrawals.state} = 'open'`
  const { kind, subject } = hubActions
  return [
    insertFrom(
      withdrawals,
      { ...request, kind: 'claim', requestedAt: now, state: 'open' },
      sql`WHERE ${epochs.length} = (SELECT count(*) FROM json_each(${JSON.stringify(epochs)}) AS e
        CROSS JOIN ${epochShares} ON ${epochShares.epoch} = e.value WHERE ${isFree})`,
    ).onConflictDoNothing(),
    build
      .update(epochShares)
      .set({ withdrawalId })
      .where(
        sql`${isFree} AND ${epochShares.epoch} IN (
          SELECT e.value FROM ${withdrawals} CROSS JOIN json_each(${withdrawals.epochs}) AS e WHERE ${isOpen})`,
      ),
    wantStatement(
      { kind: 'claim_payouts', subject: withdrawalId, wanted: {} },
      now,
      sql`SELECT 1 FROM ${withdrawals} WHERE ${withdrawals.withdrawalId} = ${withdrawalId} AND NOT EXISTS (
        SELECT 1 FROM ${hubActions} WHERE ${kind} = 'claim_payouts' AND ${subject} = ${withdrawalId})`,
    ),
  ]
}

/** Completed with the paid amount and epochs; failed if nothing was paid. */
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

const sharesOfWithdrawals = sql`${epochShares} INDEXED BY epoch_shares_of_withdrawal`

/** The payouts of a withdrawal, in a statement that has the receipts of their epochs too. */
const payoutsOf = (withdrawalId: string) =>
  and(eq(epochShares.withdrawalId, withdrawalId), isSameEpoch(epochReceipts, epochShares))

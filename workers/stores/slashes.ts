import { and, desc, eq, getTableColumns, type InferSelectModel, inArray, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { encodeCanonicalJson } from '../../protocol/encoding/index.ts'
import type { Evidence, slashStates } from '../../protocol/slashing/index.ts'
import { auditStatement } from './audit-log.ts'
import type { Wallet } from './caller.ts'
import { isState } from './chain-facts.ts'
import { batch, type Database, isChanged, Store } from './database.ts'
import { Files } from './files.ts'
import { type HubActionKind, wantStatement } from './hub-actions.ts'
import { chainCursor, chainStates, hubActions, slashes, subscriptions } from './schema/index.ts'
import { build, flat, insertFrom, isOneOf } from './statements.ts'
import type { SubscriptionFacts } from './subscription-standing.ts'

type Row = InferSelectModel<typeof slashes>
export type SlashStatus = (typeof slashStates)[number]
export type SlashDecision = NonNullable<Row['decision']>

export interface ChainSlash {
  amount: string
  executable_at: number
  propose_tx: string
  status: 'proposed' | 'disputed' | 'cancelled' | 'executed'
  disputed_at?: number
  outcome?: 'cancelled' | 'upheld'
  resolved_at?: number
  voided_at?: number
  taken?: string
}

/** A slash with everything that is shown of it, but for its evidence. */
export interface Slash extends Omit<Row, 'evidence'> {
  chain: ChainSlash | null
  /** The subscription from which the slash took collateral; null while it took nothing. */
  subscription: SubscriptionFacts | null
}

export type NewSlash = Omit<Row, 'evidence' | 'status' | `dispute${string}` | 'decision' | `${string}At`>

export type OpenSlash = Pick<
  Row,
  'evidenceHash' | 'kind' | 'projectId' | 'subscriptionId' | 'nodeId' | 'createdAt'
>

export interface SlashFilter {
  owner?: Wallet | undefined
  projectId?: string | undefined
  status?: SlashStatus | undefined
}

/** Slashes that take the collateral so many times may be cancelled before the next one counts for nothing. */
const coveringTimes = 4

/** As the index of open slashes has it, word for word. */
const isOpen = sql`${slashes.status} IN ('recorded', 'proposed', 'disputed')`

/** Larger evidence lies in the bucket: rows of a table are read whole. */
const rowCharactersMax = 16 * 1024

const chain = alias(chainStates, 'chain')
const { evidence: _, ...shown } = getTableColumns(slashes)

const columns = {
  row: shown,
  chain: sql`${chain.state}`.mapWith(parsed<ChainSlash | null>),
  // Only what was taken may have jailed the subscription.
  subscription: sql`CASE WHEN ${slashes.status} = 'executed' THEN (
    SELECT json_object('chain', json(${chainStates.state}), 'closings', ${subscriptions.closings},
      'pausedAt', ${subscriptions.pausedAt}, 'minCollateral', ${subscriptions.minCollateral})
    FROM ${subscriptions} LEFT JOIN ${chainStates} ON ${isState('subscription', subscriptions.subscriptionId)}
    WHERE ${subscriptions.subscriptionId} = ${slashes.subscriptionId}) END`.mapWith(
    parsed<SubscriptionFacts | null>,
  ),
}

function parsed<T>(text: string): T {
  return JSON.parse(text) as T
}

/** Offences that were proven to the hub, what their owners say, and what operators decided. */
export class SlashStore extends Store {
  readonly #files: Files
  constructor(db: Database, bucket: R2Bucket) {
    super(db)
    this.#files = new Files(bucket, 'evidence', 'The evidence storage')
  }

  async find(evidenceHash: string): Promise<Slash | null> {
    return this.#one(eq(slashes.evidenceHash, evidenceHash))
  }

  async findOffence(offenceId: string): Promise<Slash | null> {
    return this.#one(eq(slashes.offenceId, offenceId))
  }

  /**
   * Records an offence, and wants it proposed unless it is closed at once. If evidence for one offence races, the unique index
   * accepts one. A key signs as many offences as its owner likes, and the hub pays for each proposal: once open slashes take more than
   * {@link coveringTimes} the collateral, others take nothing.
   * @param bonded - The collateral. @param disputeWindowSecs - The project's own. @param excusedBy - Ids of offences, of which one on record is
   * enough to record nothing.
   */
  async record(
    slash: NewSlash,
    evidence: Evidence,
    {
      bonded,
      disputeWindowSecs,
      excusedBy,
    }: { bonded: string; disputeWindowSecs: number; excusedBy: readonly string[] },
    now: number,
  ): Promise<void> {
    const text = encodeCanonicalJson(evidence)
    const isLarge = text.length > rowCharactersMax
    if (isLarge) await this.#files.put(slash.evidenceHash, text)
    const { evidenceHash, subscriptionId, offenceId, amount } = slash
    const wanted = {
      subscription_id: subscriptionId,
      offence_id: offenceId,
      amount,
      dispute_window_secs: String(disputeWindowSecs),
    }
    const closedReason =
      slash.closedReason ??
      sql`iif((SELECT total(${slashes.amount}) FROM ${slashes} WHERE ${slashes.subscriptionId} = ${subscriptionId}
        AND ${isOpen}) > ${coveringTimes * Number(bonded)}, 'no_collateral', NULL)`
    await batch(this.db, [
      insertFrom(
        slashes,
        { ...slash, closedReason, evidence: isLarge ? null : text, status: 'recorded', createdAt: now },
        sql`WHERE NOT EXISTS (SELECT 1 FROM ${slashes} WHERE ${isOneOf(slashes.offenceId, excusedBy)})`,
      ).onConflictDoNothing(),
      wantOnce('propose_slash', evidenceHash, wanted, sql`${slashes.closedReason} IS NULL`, now),
    ])
  }

  async evidence(evidenceHash: string): Promise<Evidence | null> {
    const [row] = await this.db
      .select({ evidence: slashes.evidence })
      .from(slashes)
      .where(eq(slashes.evidenceHash, evidenceHash))
    if (row === undefined) return null
    return JSON.parse(row.evidence ?? (await this.#files.text(evidenceHash))) as Evidence
  }

  async list(
    { owner, projectId, status }: SlashFilter,
    after: Pick<Row, 'createdAt' | 'evidenceHash'> | undefined,
    limit: number,
  ): Promise<Slash[]> {
    return this.#select(
      and(
        owner === undefined ? undefined : eq(slashes.owner, owner),
        projectId === undefined ? undefined : eq(slashes.projectId, projectId),
        status === undefined ? undefined : eq(slashes.status, status),
        after &&
          sql`(${slashes.createdAt}, ${slashes.evidenceHash}) < (${after.createdAt}, ${after.evidenceHash})`,
      ),
      limit,
    )
  }

  /** The newest slashes of a wallet's subscriptions that may still take collateral. */
  async open(owner: Wallet, limit: number): Promise<OpenSlash[]> {
    const { evidenceHash, kind, projectId, subscriptionId, nodeId, createdAt, status } = slashes
    return this.db
      .select({ evidenceHash, kind, projectId, subscriptionId, nodeId, createdAt })
      .from(slashes)
      .where(and(eq(slashes.owner, owner), inArray(status, ['recorded', 'proposed', 'disputed'])))
      .orderBy(desc(createdAt))
      .limit(limit)
  }

  /** Keeps the owner's reason and links, and wants the chain to hold the slash. If several disputes race, one is filed. */
  async dispute(
    evidenceHash: string,
    { reason, links }: { reason: string; links: readonly string[] },
    now: number,
  ): Promise<'filed' | 'stale'> {
    const { state } = chainStates
    const open = sql`${slashes.status} = 'proposed' AND ${slashes.disputeFiledAt} IS NULL AND EXISTS (
      SELECT 1 FROM ${chainStates} WHERE ${isState('slash', evidenceHash)}
        AND ${state}->>'outcome' IS NULL AND ${state}->>'executable_at' > ${now})`
    const results = await batch(this.db, [
      wantOnce('dispute_slash', evidenceHash, {}, open, now),
      this.db
        .update(slashes)
        .set({ disputeReason: reason, disputeLinks: links, disputeFiledAt: now })
        .where(and(eq(slashes.evidenceHash, evidenceHash), open)),
    ])
    return isChanged(results[1]) ? 'filed' : 'stale'
  }

  /**
   * Notes an operator's decision, and wants it on the chain. A slash that was upheld may still be cancelled; a cancelled slash
   * stays cancelled, and is not executed any more. If equal decisions race, the row accepts one. @param isOnChain - False if
   * the decision upholds a dispute that the chain does not have: then nothing is sent to it.
   */
  async decide(
    evidenceHash: string,
    decision: SlashDecision,
    { operator, notes, isOnChain }: { operator: string; notes: string | null; isOnChain: boolean },
    now: number,
  ): Promise<'decided' | 'stale'> {
    const { status } = slashes
    const open =
      decision === 'uphold'
        ? sql`${status} = 'disputed' AND ${slashes.decision} IS NULL`
        : sql`${status} IN ('proposed', 'disputed') AND ${slashes.decision} IS NOT 'cancel'`
    const found = and(eq(slashes.evidenceHash, evidenceHash), open)
    const results = await batch(this.db, [
      auditStatement(
        { operator, reason: notes, action: `slash.${decision}`, subject: evidenceHash, after: { decision } },
        now,
        sql`SELECT json_object('status', ${status}, 'decision', ${slashes.decision}) AS value
          FROM ${slashes} WHERE ${found}`,
      ),
      ...(isOnChain ? [wantOnce(`${decision}_slash`, evidenceHash, {}, open, now)] : []),
      ...(decision === 'cancel'
        ? [closeExecution(sql`SELECT ${slashes.evidenceHash} FROM ${slashes} WHERE ${found}`)]
        : []),
      this.db.update(slashes).set({ decision, decidedAt: now }).where(found),
    ])
    return isChanged(results.at(-1)) ? 'decided' : 'stale'
  }

  /**
   * Wants executed what nothing stands against any more, upheld what an operator decided before the index showed its dispute, and ended
   * what nobody decided or executed in time. Done twice it wants nothing more. @param executableUntil - Slashes that were executable by
   * then are executed. @param disputedUntil - Disputes that the chain had by then are ended. @param executionSecs - What is executable for
   * longer, and after a dispute longer than the time to decide, is void.
   */
  async wantDue(
    {
      executableUntil,
      disputedUntil,
      executionSecs,
    }: { executableUntil: number; disputedUntil: number; executionSecs: number },
    limit: number,
    now: number,
  ): Promise<void> {
    const { kind, subject, state } = chainStates
    // As the index of open slashes has it.
    const said = (member: string) => sql`json_extract(${state}, ${sql.raw(`'$.${member}'`)})`
    const isExecutable = sql`${said('executable_at')} <= ${executableUntil}`
    const isVoid = sql`(${said('executable_at')} <= ${executableUntil - executionSecs}
      AND coalesce(${said('disputed_at')}, 0) <= ${disputedUntil - executionSecs})`
    const wanted = (wish: DueSlash['kind'], status: ChainSlash['status'], condition: SQL) => sql`
      SELECT ${sql.raw(`'${wish}'`)} AS kind, ${subject} AS evidenceHash FROM ${chainStates}
      JOIN ${slashes} ON ${slashes.evidenceHash} = ${subject}
      WHERE ${kind} = 'slash' AND ${said('status')} = ${sql.raw(`'${status}'`)} AND ${condition} AND NOT EXISTS (
        SELECT 1 FROM ${hubActions} WHERE ${hubActions.kind} = ${wish} AND ${hubActions.subject} = ${subject})`
    const due = await this.db.all<DueSlash>(sql`
      ${wanted(
        'execute_slash',
        'proposed',
        sql`${slashes.status} = 'proposed' AND ${slashes.decision} IS NOT 'cancel'
        AND ${isExecutable} AND NOT ${isVoid}`,
      )}
      UNION ALL ${wanted('uphold_slash', 'disputed', sql`${slashes.decision} = 'uphold'`)}
      UNION ALL ${wanted('end_dispute', 'disputed', sql`${said('disputed_at')} <= ${disputedUntil}`)}
      UNION ALL ${wanted('void_slash', 'proposed', sql`${isExecutable} AND ${isVoid}`)}
      LIMIT ${limit}`)
    if (due.length === 0) return
    const voided = due.filter((one) => one.kind === 'void_slash').map(({ evidenceHash }) => evidenceHash)
    await batch(this.db, [
      ...due.map((one) => wantOnce(one.kind, one.evidenceHash, {}, sql`true`, now)),
      // The contract refuses it from now on.
      closeExecution(sql`SELECT value FROM json_each(${JSON.stringify(voided)})`),
    ])
  }

  /**
   * Closes slashes whose collateral was withdrawn, for good, before the chain knew of them. Owners may withdraw by a transaction of their own.
   * An index that reads the chain again passes a withdrawal after which there was another bond, so one that is behind closes nothing.
   */
  async closeWithdrawn(): Promise<void> {
    const { state, blockNumber } = chainStates
    await this.db
      .update(slashes)
      .set({ closedReason: 'no_collateral' })
      .where(
        sql`${slashes.status} = 'recorded' AND EXISTS (
          SELECT 1 FROM ${chainStates} WHERE ${isState('subscription', slashes.subscriptionId)}
            AND ${state}->>'status' = 'closed'
            AND ${blockNumber} <= (SELECT ${chainCursor.finalNumber} FROM ${chainCursor} WHERE NOT ${chainCursor.isBehind}))`,
      )
  }

  async #one(where: SQL): Promise<Slash | null> {
    const [slash] = await this.#select(where, 1)
    return slash ?? null
  }

  async #select(where: SQL | undefined, limit: number): Promise<Slash[]> {
    const rows = await this.db
      .select(columns)
      .from(slashes)
      .leftJoin(chain, and(eq(chain.kind, 'slash'), eq(chain.subject, slashes.evidenceHash)))
      .where(where)
      .orderBy(desc(slashes.createdAt), desc(slashes.evidenceHash))
      .limit(limit)
    return rows.map(flat)
  }
}

interface DueSlash {
  kind: 'execute_slash' | 'uphold_slash' | 'end_dispute' | 'void_slash'
  evidenceHash: string
}

/** Ends the wish to execute slashes. */
const closeExecution = (evidenceHashes: SQL) =>
  build
    .update(hubActions)
    .set({ state: 'closed' })
    .where(
      sql`${hubActions.kind} = 'execute_slash' AND ${hubActions.state} = 'open' AND ${hubActions.subject} IN (${evidenceHashes})`,
    )

/** Wants something about a slash, once for ever: a second wish would be a second transaction. */
const wantOnce = (
  kind: HubActionKind,
  evidenceHash: string,
  wanted: Record<string, string>,
  condition: SQL,
  now: number,
) =>
  wantStatement(
    { kind, subject: evidenceHash, wanted },
    now,
    sql`SELECT 1 FROM ${slashes} WHERE ${slashes.evidenceHash} = ${evidenceHash} AND ${condition} AND NOT EXISTS (
      SELECT 1 FROM ${hubActions} WHERE ${hubActions.kind} = ${kind} AND ${hubActions.subject} = ${evidenceHash})`,
  )

import { and, desc, eq, getTableColumns, type InferSelectModel, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { encodeCanonicalJson } from '../../protocol/encoding/index.ts'
import type { Evidence, slashStates } from '../../protocol/slashing/index.ts'
import { unavailable } from '../errors.ts'
import { auditStatement } from './audit-log.ts'
import type { Wallet } from './caller.ts'
import { batch, type Database, isChanged, Store } from './database.ts'
import { wantStatement } from './hub-actions.ts'
import { chainStates, slashes } from './schema/index.ts'
import type { SubscriptionFacts } from './subscription-standing.ts'

type Row = InferSelectModel<typeof slashes>
export type SlashStatus = (typeof slashStates)[number]
export type SlashDecision = NonNullable<Row['decision']>

/** What the chain says of a slash. */
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
  /** Of the subscription it took from; null while it took nothing. */
  subscription: SubscriptionFacts | null
}

export type NewSlash = Pick<
  Row,
  | 'evidenceHash'
  | 'offenceId'
  | 'kind'
  | 'projectId'
  | 'roundId'
  | 'subscriptionId'
  | 'owner'
  | 'nodeId'
  | 'bp'
  | 'amount'
  | 'closedReason'
>

export interface SlashFilter {
  owner?: Wallet | undefined
  projectId?: string | undefined
  status?: SlashStatus | undefined
}

export interface SlashPosition {
  createdAt: number
  evidenceHash: string
}

/** Larger evidence lies in the bucket: rows of a table are read whole. */
const rowCharactersMax = 16 * 1024

const objectKey = (evidenceHash: string): string => `evidence/${evidenceHash}`

const chain = alias(chainStates, 'chain')
const { evidence: _, ...shown } = getTableColumns(slashes)

const columns = {
  row: shown,
  chain: sql`${chain.state}`.mapWith(parsed<ChainSlash | null>),
  // Only what was taken may have jailed the subscription.
  subscription: sql`CASE WHEN ${slashes.status} = 'executed' THEN (
    SELECT json_object('chain', json(c.state), 'closings', s.closings, 'pausedAt', s.paused_at,
      'minCollateral', s.min_collateral)
    FROM subscriptions AS s
    LEFT JOIN chain_states AS c ON c.kind = 'subscription' AND c.subject = s.subscription_id
    WHERE s.subscription_id = ${slashes.subscriptionId}) END`.mapWith(parsed<SubscriptionFacts | null>),
}

function parsed<T>(text: string): T {
  return JSON.parse(text) as T
}

/** Offences that were proven to the hub, what their owners say, and what operators decided. */
export class SlashStore extends Store {
  readonly #bucket: R2Bucket
  constructor(db: Database, bucket: R2Bucket) {
    super(db)
    this.#bucket = bucket
  }

  async find(evidenceHash: string): Promise<Slash | null> {
    return this.#one(eq(slashes.evidenceHash, evidenceHash))
  }

  async findOffence(offenceId: string): Promise<Slash | null> {
    return this.#one(eq(slashes.offenceId, offenceId))
  }

  /**
   * Records an offence, and wants it proposed unless it is closed at once. Of racing evidence for one offence the unique
   * index takes one.
   *
   * @param disputeWindowSecs - The project's own.
   * @param excusedBy - Ids of offences, of which one on record is enough to record nothing.
   */
  async record(
    slash: NewSlash,
    evidence: Evidence,
    { disputeWindowSecs, excusedBy }: { disputeWindowSecs: number; excusedBy: readonly string[] },
    now: number,
  ): Promise<void> {
    const text = encodeCanonicalJson(evidence)
    const isLarge = text.length > rowCharactersMax
    if (isLarge) await this.#put(slash.evidenceHash, text)
    const { evidenceHash, subscriptionId, offenceId, amount } = slash
    const wanted = {
      subscription_id: subscriptionId,
      offence_id: offenceId,
      amount,
      dispute_window_secs: String(disputeWindowSecs),
    }
    const { kind, projectId, roundId, owner, nodeId, bp, closedReason } = slash
    await batch(this.db, [
      sql`INSERT INTO ${slashes} (evidence_hash, offence_id, kind, project_id, round_id, subscription_id, owner, node_id, bp,
          amount, closed_reason, evidence, status, created_at)
        SELECT ${evidenceHash}, ${offenceId}, ${kind}, ${projectId}, ${roundId}, ${subscriptionId}, ${owner}, ${nodeId},
          ${bp}, ${amount}, ${closedReason}, ${isLarge ? null : text}, 'recorded', ${now}
        WHERE NOT EXISTS (SELECT 1 FROM ${slashes}
          WHERE offence_id IN (SELECT value FROM json_each(${JSON.stringify(excusedBy)})))
        ON CONFLICT DO NOTHING`,
      wantOnce('propose_slash', evidenceHash, wanted, sql`closed_reason IS NULL`, now),
    ])
  }

  /** The evidence as it was posted. */
  async evidence(evidenceHash: string): Promise<Evidence | null> {
    const [row] = await this.db
      .select({ evidence: slashes.evidence })
      .from(slashes)
      .where(eq(slashes.evidenceHash, evidenceHash))
    if (row === undefined) return null
    return JSON.parse(row.evidence ?? (await this.#get(evidenceHash))) as Evidence
  }

  /** Newest first; `limit` rows after `after`. */
  async list(
    { owner, projectId, status }: SlashFilter,
    after: SlashPosition | undefined,
    limit: number,
  ): Promise<Slash[]> {
    return this.#select(
      and(
        owner === undefined ? undefined : sql`${slashes.owner} = ${owner}`,
        projectId === undefined ? undefined : eq(slashes.projectId, projectId),
        status === undefined ? undefined : eq(slashes.status, status),
        after &&
          sql`(${slashes.createdAt}, ${slashes.evidenceHash}) < (${after.createdAt}, ${after.evidenceHash})`,
      ),
      limit,
    )
  }

  /** Keeps what the owner says, and wants the chain to hold the slash. Of racing disputes one is filed. */
  async dispute(
    evidenceHash: string,
    { reason, links }: { reason: string; links: readonly string[] },
    now: number,
  ): Promise<'filed' | 'stale'> {
    const open = sql`status = 'proposed' AND dispute_filed_at IS NULL AND EXISTS (
      SELECT 1 FROM ${chainStates} AS c WHERE c.kind = 'slash' AND c.subject = ${evidenceHash}
        AND c.state->>'outcome' IS NULL AND c.state->>'executable_at' > ${now})`
    const results = await batch(this.db, [
      wantOnce('dispute_slash', evidenceHash, {}, open, now),
      sql`UPDATE ${slashes} SET dispute_reason = ${reason}, dispute_links = ${JSON.stringify(links)},
          dispute_filed_at = ${now} WHERE evidence_hash = ${evidenceHash} AND ${open}`,
    ])
    return isChanged(results[1]) ? 'filed' : 'stale'
  }

  /**
   * Notes an operator's decision, and wants it on the chain. A slash that was upheld may still be cancelled; what is
   * cancelled stays so, and is not executed any more. Of racing decisions the row takes one.
   *
   * @param isOnChain - Left out where the chain has no dispute that could be decided.
   */
  async decide(
    evidenceHash: string,
    decision: SlashDecision,
    { operator, notes, isOnChain }: { operator: string; notes: string | null; isOnChain: boolean },
    now: number,
  ): Promise<'decided' | 'stale'> {
    const open =
      decision === 'uphold'
        ? sql`status = 'disputed' AND decision IS NULL`
        : sql`status IN ('proposed', 'disputed') AND decision IS NOT 'cancel'`
    const found = sql`evidence_hash = ${evidenceHash} AND ${open}`
    const results = await batch(this.db, [
      auditStatement(
        { operator, reason: notes, action: `slash.${decision}`, subject: evidenceHash, after: { decision } },
        now,
        sql`SELECT json_object('status', status, 'decision', decision) AS value FROM ${slashes} WHERE ${found}`,
      ),
      ...(isOnChain ? [wantOnce(`${decision}_slash`, evidenceHash, {}, open, now)] : []),
      ...(decision === 'cancel'
        ? [
            sql`UPDATE hub_actions SET state = 'closed' WHERE kind = 'execute_slash' AND state = 'open'
              AND subject IN (SELECT evidence_hash FROM ${slashes} WHERE ${found})`,
          ]
        : []),
      sql`UPDATE ${slashes} SET decision = ${decision}, decided_at = ${now} WHERE ${found}`,
    ])
    return isChanged(results.at(-1)) ? 'decided' : 'stale'
  }

  /**
   * Wants executed what nothing stands against any more, upheld what an operator decided before the index showed its
   * dispute, and ended what nobody decided or executed in time. Done twice it wants nothing more.
   *
   * @param executableUntil - Slashes that were executable by then are executed.
   * @param disputedUntil - Disputes that the chain had by then are ended.
   * @param executionSecs - What is executable for longer, and after a dispute longer than the time to decide, is void.
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
    const isVoid = sql`(json_extract(c.state, '$.executable_at') <= ${executableUntil - executionSecs}
      AND coalesce(json_extract(c.state, '$.disputed_at'), 0) <= ${disputedUntil - executionSecs})`
    const due = await this.db.all<{
      kind: 'execute_slash' | 'uphold_slash' | 'end_dispute' | 'void_slash'
      evidenceHash: string
    }>(sql`
        SELECT 'execute_slash' AS kind, c.subject AS evidenceHash FROM chain_states AS c
        JOIN slashes AS s ON s.evidence_hash = c.subject AND s.status = 'proposed' AND s.decision IS NOT 'cancel'
        WHERE c.kind = 'slash' AND json_extract(c.state, '$.status') = 'proposed'
          AND json_extract(c.state, '$.executable_at') <= ${executableUntil} AND NOT ${isVoid}
          AND NOT EXISTS (SELECT 1 FROM hub_actions WHERE kind = 'execute_slash' AND subject = c.subject)
        UNION ALL
        SELECT 'uphold_slash', c.subject FROM chain_states AS c
        JOIN slashes AS s ON s.evidence_hash = c.subject AND s.decision = 'uphold'
        WHERE c.kind = 'slash' AND json_extract(c.state, '$.status') = 'disputed'
          AND NOT EXISTS (SELECT 1 FROM hub_actions WHERE kind = 'uphold_slash' AND subject = c.subject)
        UNION ALL
        SELECT 'end_dispute', c.subject FROM chain_states AS c
        JOIN slashes AS s ON s.evidence_hash = c.subject
        WHERE c.kind = 'slash' AND json_extract(c.state, '$.status') = 'disputed'
          AND json_extract(c.state, '$.disputed_at') <= ${disputedUntil}
          AND NOT EXISTS (SELECT 1 FROM hub_actions WHERE kind = 'end_dispute' AND subject = c.subject)
        UNION ALL
        SELECT 'void_slash', c.subject FROM chain_states AS c
        JOIN slashes AS s ON s.evidence_hash = c.subject
        WHERE c.kind = 'slash' AND json_extract(c.state, '$.status') = 'proposed'
          AND json_extract(c.state, '$.executable_at') <= ${executableUntil} AND ${isVoid}
          AND NOT EXISTS (SELECT 1 FROM hub_actions WHERE kind = 'void_slash' AND subject = c.subject)
        LIMIT ${limit}`)
    if (due.length === 0) return
    const voided = due.filter(({ kind }) => kind === 'void_slash').map(({ evidenceHash }) => evidenceHash)
    await batch(this.db, [
      ...due.map(({ kind, evidenceHash }) => wantOnce(kind, evidenceHash, {}, sql`true`, now)),
      // The contract refuses it from now on.
      sql`UPDATE hub_actions SET state = 'closed' WHERE kind = 'execute_slash' AND state = 'open'
        AND subject IN (SELECT value FROM json_each(${JSON.stringify(voided)}))`,
    ])
  }

  /**
   * Closes slashes whose collateral was withdrawn, for good, before the chain knew of them. Owners may withdraw by a
   * transaction of their own.
   */
  async closeWithdrawn(): Promise<void> {
    await batch(this.db, [
      sql`UPDATE ${slashes} SET closed_reason = 'no_collateral'
        WHERE status = 'recorded' AND EXISTS (
          SELECT 1 FROM ${chainStates} AS c WHERE c.kind = 'subscription' AND c.subject = ${slashes.subscriptionId}
            AND c.state->>'status' = 'closed' AND c.block_number <= (SELECT final_number FROM chain_cursor))`,
    ])
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
    return rows.map(({ row, ...rest }) => ({ ...row, ...rest }))
  }

  async #put(evidenceHash: string, text: string): Promise<void> {
    try {
      await this.#bucket.put(objectKey(evidenceHash), text)
    } catch (error) {
      throw unavailable('The evidence storage', error)
    }
  }

  async #get(evidenceHash: string): Promise<string> {
    try {
      const object = await this.#bucket.get(objectKey(evidenceHash))
      if (object) return await object.text()
    } catch (error) {
      throw unavailable('The evidence storage', error)
    }
    throw unavailable('The evidence storage', new Error(`no object for the evidence ${evidenceHash}`))
  }
}

/** Wants something about a slash, once for ever: a second wish would be a second transaction. */
const wantOnce = (
  kind: Parameters<typeof wantStatement>[0]['kind'],
  evidenceHash: string,
  wanted: Record<string, string>,
  condition: SQL,
  now: number,
): SQL =>
  wantStatement(
    { kind, subject: evidenceHash, wanted },
    now,
    sql`SELECT 1 FROM ${slashes} WHERE evidence_hash = ${evidenceHash} AND ${condition}
      AND NOT EXISTS (SELECT 1 FROM hub_actions WHERE kind = ${kind} AND subject = ${evidenceHash})`,
  )

import {
  and,
  between,
  type Column,
  desc,
  eq,
  getTableColumns,
  gt,
  type InferSelectModel,
  lte,
  type SQL,
  type SQLWrapper,
  sql,
} from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { unixNow } from '../../durable-objects/clock.ts'
import type { Header } from '../../durable-objects/indexer/chain.ts'
import type {
  BlockRef,
  Cursor,
  IndexedNetwork,
  StoreOutcome,
} from '../../durable-objects/indexer/index-store.ts'
import type { Block } from '../../protocol/committees/index.ts'
import type { FixedParams } from '../../protocol/identity/index.ts'
import type { ChainState, Subject } from '../chain/projections.ts'
import { auditStatement, type Decision } from './audit-log.ts'
import { isState } from './chain-facts.ts'
import { batch, type Database, readRows, Store } from './database.ts'
import { deleteOldEvents } from './old-events.ts'
import { minersEffect, minersOf, registryEffects } from './registry-effects.ts'
import {
  beacons,
  chainBlocks,
  chainCursor,
  chainEvents,
  chainStates,
  chainStatesBefore,
  chainUnconfirmedLogs,
  projects,
} from './schema/index.ts'
import {
  claimEffect,
  epochEffects,
  everyClaim,
  everyEpoch,
  postingEffect,
  vaultEffect,
} from './settlement-effects.ts'
import { insertFrom, jsonParts, listed, membersOf, prepared } from './statements.ts'

type EventRow = Omit<InferSelectModel<typeof chainEvents>, 'provisional'>
export type StateRow = InferSelectModel<typeof chainStates>
/** The state of a subject before a block changed it; all members but the first three are null if it had none. */
export type StateBefore = InferSelectModel<typeof chainStatesBefore>

/** Blocks after the tip, with what their events say. */
export interface NewBlocks {
  headers: readonly Header[]
  events: readonly EventRow[]
  states: readonly StateRow[]
  before: readonly StateBefore[]
  /** For the blocks with events: which logs the events are from. Left out for blocks that no node is asked about again. */
  read?: readonly ReadBlock[]
}

/** Which logs of a block became events. */
export type ReadBlock = InferSelectModel<typeof chainUnconfirmedLogs>

/**
 * The events of the chain, the states that follow, and how far the chain is read. These change together or not at all: every
 * statement of a batch holds only while the cursor is at the tip the batch builds on, and the last one moves it.
 */
export class ChainIndexStore extends Store {
  readonly #blocksKept: number
  readonly #params: FixedParams
  /** @param blocksKept - Known blocks; a reorganisation that reaches deeper goes back to the final block. */
  constructor(db: Database, blocksKept: number, params: FixedParams) {
    super(db)
    this.#params = params
    this.#blocksKept = blocksKept
  }

  async cursor(): Promise<Cursor | null> {
    const [row] = await this.db.select().from(chainCursor)
    if (!row) return null
    const { blockNumber: number, blockHash: hash, finalNumber, finalHash, network, isBehind } = row
    const final = { number: finalNumber, hash: finalHash }
    return { number, hash, final, network, isBehind, logDifferences: row.logDifferences }
  }

  /** Whether the chain has far more than is indexed, as while it is read from its beginning. */
  async isBehind(): Promise<boolean> {
    return (await this.cursor())?.isBehind ?? true
  }

  /** By how many seconds blocks were ahead of the machine's clock at most when they were indexed. */
  async leadSecs(): Promise<number> {
    const [row] = await readRows<{ leadSecs: number }>(this.db, readLead({}))
    return row?.leadSecs ?? 0
  }

  async begin({ number, hash }: BlockRef, network: IndexedNetwork, final?: BlockRef): Promise<void> {
    const { number: finalNumber, hash: finalHash } = final ?? { number, hash }
    await batch(this.db, [
      // Left by an index that is gone.
      this.db.delete(chainUnconfirmedLogs).where(sql`NOT EXISTS (SELECT 1 FROM ${chainCursor})`),
      this.db
        .insert(chainCursor)
        .values({
          ...{ id: 1, blockNumber: number, blockHash: hash, finalNumber, finalHash },
          ...{ network, isBehind: true, updatedAt: unixNow() },
        })
        .onConflictDoNothing(),
    ])
  }

  async recentBlocks(): Promise<Block[]> {
    return this.db
      .select({ number: chainBlocks.number, hash: chainBlocks.hash, timestamp: chainBlocks.timestamp })
      .from(chainBlocks)
      .orderBy(desc(chainBlocks.number))
  }

  /** Unix seconds of the newest indexed block; 0 before the first. */
  async newestTime(): Promise<number> {
    const [row] = await this.db
      .select({ timestamp: chainBlocks.timestamp })
      .from(chainBlocks)
      .orderBy(desc(chainBlocks.number))
      .limit(1)
    return row?.timestamp ?? 0
  }

  async vaults(): Promise<string[]> {
    const rows = await this.db
      .select({ vault: chainStates.subject })
      .from(chainStates)
      .where(eq(chainStates.kind, 'vault'))
    return rows.map(({ vault }) => vault)
  }

  async append(
    tip: Cursor,
    { headers, events, states, before, read: logs = [] }: NewBlocks,
    final: BlockRef,
    isBehind: boolean,
  ): Promise<StoreOutcome> {
    const last = headers.at(-1)
    if (!last) return 'done'
    const oldest = last.number - this.#blocksKept
    const blocks = headers
      .filter(({ number }) => number > oldest)
      .map(({ number, hash, parentHash, timestamp }) => ({ number, hash, parentHash, timestamp }))
    const guard = isAt(tip)
    const unconfirmed = logs.filter(({ blockNumber }) => blockNumber > final.number)
    return this.#write([
      ...jsonParts(events).map((part) =>
        insertFrom(
          chainEvents,
          { ...listed(chainEvents, membersOf(eventColumns)), provisional: true },
          sql`FROM json_each(${part}) WHERE ${guard}`,
        ),
      ),
      ...replaceAll(chainStatesBefore, before, guard),
      ...replaceAll(chainStates, states, guard),
      ...this.#effects(states, guard),
      ...replaceAll(chainUnconfirmedLogs, unconfirmed, guard),
      ...replaceAll(chainBlocks, blocks, guard),
      this.db.delete(chainBlocks).where(and(lte(chainBlocks.number, oldest), guard)),
      ...this.#finalize(final, guard),
      this.#moveCursor(tip, last, final, { isBehind, timestamp: last.timestamp }),
    ])
  }

  async finalize(tip: Cursor, final: BlockRef): Promise<StoreOutcome> {
    return this.#write([...this.#finalize(final, isAt(tip)), this.#moveCursor(tip, tip, final, tip)])
  }

  /** Which logs were read of those blocks that had events and are not final. */
  async readBlocks(from: number, to: number): Promise<ReadBlock[]> {
    return this.db
      .select()
      .from(chainUnconfirmedLogs)
      .where(between(chainUnconfirmedLogs.blockNumber, from, to))
  }

  /** Takes back everything after a block: each subject is what it was before the first block after that changed it. */
  async rollback(tip: Cursor, to: BlockRef): Promise<StoreOutcome> {
    return this.#write([...(await this.#takeBack(tip, to)), this.#moveCursor(tip, to, tip.final, tip)])
  }

  /** Deletes some of the events that nobody reads any longer. */
  async deleteOldEvents(): Promise<void> {
    await deleteOldEvents(this.db)
  }

  /** Takes everything back where nothing is final, so that the indexer begins once more. */
  async restart(tip: Cursor): Promise<StoreOutcome> {
    return this.#write([
      ...(await this.#takeBack(tip, { number: -1 })),
      this.db.delete(chainCursor).where(eq(chainCursor.blockHash, tip.hash)),
    ])
  }

  async #takeBack(tip: Cursor, to: Pick<BlockRef, 'number'>): Promise<SQLWrapper[]> {
    const { kind, subject, blockNumber, stateBlockNumber, state, owner } = chainStatesBefore
    const isAfter = gt(blockNumber, to.number)
    const touched = await this.db.selectDistinct({ kind, subject }).from(chainStatesBefore).where(isAfter)
    const guard = isAt(tip)
    const before = sql`${chainStatesBefore} WHERE ${isAfter} AND NOT EXISTS (
      SELECT 1 FROM ${chainStatesBefore} AS e WHERE e.kind = ${kind} AND e.subject = ${subject}
        AND e.block_number > ${to.number} AND e.block_number < ${blockNumber})`
    return [
      this.db.delete(chainEvents).where(and(gt(chainEvents.blockNumber, to.number), guard)),
      this.db.delete(chainUnconfirmedLogs).where(and(gt(chainUnconfirmedLogs.blockNumber, to.number), guard)),
      this.db.delete(chainBlocks).where(and(gt(chainBlocks.number, to.number), guard)),
      this.db.delete(chainStates).where(
        sql`${guard} AND (${chainStates.kind}, ${chainStates.subject}) IN (
            SELECT ${kind}, ${subject} FROM ${before} AND ${state} IS NULL)`,
      ),
      replaceInto(
        chainStates,
        { kind, subject, state, owner, blockNumber: stateBlockNumber },
        sql`FROM ${before} AND ${state} IS NOT NULL AND ${guard}`,
      ),
      this.db.delete(chainStatesBefore).where(and(isAfter, guard)),
      ...this.#effects(touched, guard),
    ]
  }

  /**
   * Deletes the chain index, and reverts the changes it made to the hub's own records. The indexer then starts again.
   * If two calls come at once, the second finds nothing to delete, and is still noted in the audit log.
   */
  async forget(decision: Decision, now: number): Promise<void> {
    const everyProject = sql`SELECT ${projects.projectId} FROM ${projects}`
    const always = sql`true`
    const { blockNumber, finalNumber, network } = chainCursor
    await batch(this.db, [
      auditStatement(
        { ...decision, action: 'chain.reindex', subject: 'chain', after: {} },
        now,
        sql`SELECT coalesce((SELECT json_object('block_number', ${blockNumber}, 'final_number', ${finalNumber},
          'network', json(${network})) FROM ${chainCursor}), '{}') AS value`,
      ),
      // Every write of the indexer is guarded by the cursor, so what is under way comes to nothing.
      ...[chainCursor, chainBlocks, chainEvents, chainStates, chainStatesBefore].map((table) =>
        this.db.delete(table),
      ),
      this.db.delete(chainUnconfirmedLogs),
      this.db.delete(beacons),
      ...registryEffects(everyProject, always, this.#params),
      minersOf(everyProject, always),
      claimEffect(everyClaim, always),
      ...epochEffects(everyEpoch, always),
    ])
  }

  /** The state of one subject on the chain, as of the indexed block; null if it has none. */
  async state(kind: Subject['kind'], subject: string): Promise<ChainState | null> {
    const [row] = await this.db
      .select({ state: chainStates.state })
      .from(chainStates)
      .where(isState(kind, subject))
    return row?.state ?? null
  }

  /** The states of those subjects that have one. */
  async states(subjects: readonly Subject[]): Promise<StateRow[]> {
    const parts = jsonParts(subjects).map((wanted) =>
      this.db
        .select()
        .from(chainStates)
        .where(
          sql`(${chainStates.kind}, ${chainStates.subject}) IN (
            SELECT value->>'kind', value->>'id' FROM json_each(${wanted}))`,
        ),
    )
    return (await Promise.all(parts)).flat()
  }

  /** Brings the hub's own records that follow from changed states in step; these are written already. */
  #effects(changed: readonly Pick<StateRow, 'kind' | 'subject'>[], guard: SQL): SQLWrapper[] {
    const subjects = (wanted: Subject['kind']) =>
      jsonParts(changed.flatMap(({ kind, subject }) => (kind === wanted ? [subject] : []))).map(
        (part) => sql`SELECT value FROM json_each(${part})`,
      )
    return [
      ...subjects('project').flatMap((part) => registryEffects(part, guard, this.#params)),
      ...subjects('subscription').map((part) => minersEffect(part, guard)),
      ...subjects('epoch').flatMap((part) => epochEffects(part, guard)),
      ...subjects('claim').map((part) => claimEffect(part, guard)),
      ...subjects('vault').map((part) => vaultEffect(part, guard)),
      ...subjects('posting').map(() => postingEffect(guard)),
    ]
  }

  #finalize(final: BlockRef, guard: SQL): SQLWrapper[] {
    const isFinal = (number: Column) => and(lte(number, final.number), guard)
    return [
      this.db
        .update(chainEvents)
        .set({ provisional: false })
        .where(sql`${chainEvents.provisional} = 1 AND ${isFinal(chainEvents.blockNumber)}`),
      this.db.delete(chainStatesBefore).where(isFinal(chainStatesBefore.blockNumber)),
      this.db.delete(chainUnconfirmedLogs).where(isFinal(chainUnconfirmedLogs.blockNumber)),
    ]
  }

  /** @param timestamp - Of a block that is new. */
  #moveCursor(
    tip: Cursor,
    to: BlockRef,
    final: BlockRef,
    { isBehind, timestamp = 0 }: { isBehind: boolean; timestamp?: number },
  ): SQLWrapper {
    const now = unixNow()
    return this.db
      .update(chainCursor)
      .set({
        ...{ blockNumber: to.number, blockHash: to.hash, finalNumber: final.number, finalHash: final.hash },
        ...{ isBehind, updatedAt: now, logDifferences: tip.logDifferences },
        leadSecs: sql`max(${chainCursor.leadSecs}, ${timestamp - now})`,
      })
      .where(eq(chainCursor.blockHash, tip.hash))
  }

  async #write(statements: readonly SQLWrapper[]): Promise<StoreOutcome> {
    const results = await batch(this.db, statements)
    return results.at(-1)?.meta.changes === 1 ? 'done' : 'moved'
  }
}

const { provisional: _, ...eventColumns } = getTableColumns(chainEvents)

const isAt = (tip: Cursor): SQL => sql`(SELECT ${chainCursor.blockHash} FROM ${chainCursor}) = ${tip.hash}`

/** The time of a local network begins with it, so its text is made once. */
const readLead = prepared(() => sql`SELECT ${chainCursor.leadSecs} AS leadSecs FROM ${chainCursor}`)

/**
 * Inserts rows in the place of those that have their keys. The builder updates these, and slashes follow the chain by a
 * trigger of rows that are inserted.
 */
function replaceInto<T extends SQLiteTable>(
  table: T,
  row: Record<keyof T['$inferSelect'], SQLWrapper>,
  from: SQL,
): SQL {
  const columns = Object.entries(getTableColumns(table) as Record<string, Column>)
  const names = columns.map(([, { name }]) => sql.identifier(name))
  const values = columns.map(([member]) => (row as Record<string, SQLWrapper>)[member])
  return sql`INSERT OR REPLACE INTO ${table} (${sql.join(names, sql`, `)}) SELECT ${sql.join(values, sql`, `)} ${from}`
}

const replaceAll = <T extends SQLiteTable>(table: T, rows: readonly T['$inferSelect'][], guard: SQL): SQL[] =>
  jsonParts(rows).map((part) =>
    replaceInto(
      table,
      listed(table, membersOf(getTableColumns(table)) as never) as never,
      sql`FROM json_each(${part}) WHERE ${guard}`,
    ),
  )

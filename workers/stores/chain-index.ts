import { between, desc, eq, type InferSelectModel, type SQL, sql } from 'drizzle-orm'
import { unixNow } from '../../durable-objects/clock.ts'
import type { Header } from '../../durable-objects/indexer/chain.ts'
import type {
  BlockRef,
  Cursor,
  IndexedNetwork,
  StoreOutcome,
} from '../../durable-objects/indexer/index-store.ts'
import type { ChainState, Subject } from '../chain/projections.ts'
import { auditStatement, type OperatorAction } from './audit-log.ts'
import { batch, type Database, Store } from './database.ts'
import { jsonParts } from './json-parts.ts'
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

type EventRow = Omit<InferSelectModel<typeof chainEvents>, 'provisional'>
export type StateRow = InferSelectModel<typeof chainStates>
/** What a subject was before a block changed it; members but the first three are null when it was nothing. */
export type StateBefore = InferSelectModel<typeof chainStatesBefore>

/** Blocks after the tip, with what their events say. */
export interface NewBlocks {
  headers: readonly Header[]
  events: readonly EventRow[]
  states: readonly StateRow[]
  before: readonly StateBefore[]
  /** Of the blocks with events, which logs these are from; left out for blocks that no node is asked about again. */
  read?: readonly ReadBlock[]
}

/** Which logs of a block became events. */
export type ReadBlock = InferSelectModel<typeof chainUnconfirmedLogs>

/**
 * What the chain's events say, and how far they are read. Events, states and cursor change together or not at all: every
 * statement of a batch holds only while the cursor is at the tip the batch builds on, and the last one moves it.
 */
export class ChainIndexStore extends Store {
  readonly #blocksKept: number
  /** @param blocksKept - Known blocks; a reorganisation that reaches deeper goes back to the final block. */
  constructor(db: Database, blocksKept: number) {
    super(db)
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
    const [row] = await this.db.select({ leadSecs: chainCursor.leadSecs }).from(chainCursor)
    return row?.leadSecs ?? 0
  }

  async begin({ number, hash }: BlockRef, network: IndexedNetwork, final?: BlockRef): Promise<void> {
    await batch(this.db, [
      // Left by an index that is gone.
      sql`DELETE FROM ${chainUnconfirmedLogs} WHERE NOT EXISTS (SELECT 1 FROM ${chainCursor})`,
      sql`
        INSERT INTO ${chainCursor}
          (id, block_number, block_hash, final_number, final_hash, updated_at, network, is_behind)
        VALUES (1, ${number}, ${hash}, ${final?.number ?? number}, ${final?.hash ?? hash}, ${unixNow()},
          ${JSON.stringify(network)}, 1)
        ON CONFLICT DO NOTHING`,
    ])
  }

  async recentBlocks(): Promise<BlockRef[]> {
    return this.db
      .select({ number: chainBlocks.number, hash: chainBlocks.hash })
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

  /** The addresses of all vaults. */
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
    const guard = sql`(SELECT block_hash FROM ${chainCursor}) = ${tip.hash}`
    return this.#write([
      ...jsonParts(events).map(
        (rows) => sql`
          INSERT INTO ${chainEvents}
            (block_hash, log_index, block_number, block_time, tx_hash, contract, name, args, provisional)
          SELECT value->>'blockHash', value->>'logIndex', value->>'blockNumber', value->>'blockTime',
            value->>'txHash', value->>'contract', value->>'name', value->'args', 1
          FROM json_each(${rows}) WHERE ${guard}`,
      ),
      ...jsonParts(before).map(
        (rows) => sql`
          INSERT OR REPLACE INTO ${chainStatesBefore}
            (kind, subject, block_number, state, owner, state_block_number)
          SELECT value->>'kind', value->>'subject', value->>'blockNumber', nullif(value->'state', 'null'),
            value->>'owner', value->>'stateBlockNumber'
          FROM json_each(${rows}) WHERE ${guard}`,
      ),
      ...jsonParts(states).map(
        (rows) => sql`
          INSERT OR REPLACE INTO ${chainStates} (kind, subject, state, owner, block_number)
          SELECT value->>'kind', value->>'subject', value->'state', value->>'owner', value->>'blockNumber'
          FROM json_each(${rows}) WHERE ${guard}`,
      ),
      ...this.#effects(states, guard),
      ...jsonParts(logs.filter(({ blockNumber }) => blockNumber > final.number)).map(
        (rows) => sql`
          INSERT OR REPLACE INTO ${chainUnconfirmedLogs} (block_number, block_hash, log_indexes)
          SELECT value->>'blockNumber', value->>'blockHash', value->>'logIndexes'
          FROM json_each(${rows}) WHERE ${guard}`,
      ),
      sql`
        INSERT OR REPLACE INTO ${chainBlocks} (number, hash, parent_hash, timestamp)
        SELECT value->>'number', value->>'hash', value->>'parentHash', value->>'timestamp'
        FROM json_each(${JSON.stringify(blocks)}) WHERE ${guard}`,
      sql`DELETE FROM ${chainBlocks} WHERE number <= ${oldest} AND ${guard}`,
      ...this.#finalize(final, guard),
      this.#moveCursor(tip, last, final, { isBehind, timestamp: last.timestamp }),
    ])
  }

  async finalize(tip: Cursor, final: BlockRef): Promise<StoreOutcome> {
    const guard = sql`(SELECT block_hash FROM ${chainCursor}) = ${tip.hash}`
    return this.#write([...this.#finalize(final, guard), this.#moveCursor(tip, tip, final, tip)])
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
      sql`DELETE FROM ${chainCursor} WHERE block_hash = ${tip.hash}`,
    ])
  }

  async #takeBack(tip: Cursor, to: Pick<BlockRef, 'number'>): Promise<SQL[]> {
    const touched = (await this.db.all(
      sql`SELECT DISTINCT kind, subject FROM ${chainStatesBefore} WHERE block_number > ${to.number}`,
    )) as Pick<StateRow, 'kind' | 'subject'>[]
    const guard = sql`(SELECT block_hash FROM ${chainCursor}) = ${tip.hash}`
    const before = sql`${chainStatesBefore} AS b WHERE b.block_number > ${to.number} AND NOT EXISTS (
      SELECT 1 FROM ${chainStatesBefore} AS e WHERE e.kind = b.kind AND e.subject = b.subject
        AND e.block_number > ${to.number} AND e.block_number < b.block_number)`
    return [
      sql`DELETE FROM ${chainEvents} WHERE block_number > ${to.number} AND ${guard}`,
      sql`DELETE FROM ${chainUnconfirmedLogs} WHERE block_number > ${to.number} AND ${guard}`,
      sql`DELETE FROM ${chainBlocks} WHERE number > ${to.number} AND ${guard}`,
      sql`
        DELETE FROM ${chainStates} WHERE ${guard} AND (kind, subject) IN
          (SELECT b.kind, b.subject FROM ${before} AND b.state IS NULL)`,
      sql`
        INSERT OR REPLACE INTO ${chainStates} (kind, subject, state, owner, block_number)
        SELECT b.kind, b.subject, b.state, b.owner, b.state_block_number FROM ${before}
          AND b.state IS NOT NULL AND ${guard}`,
      sql`DELETE FROM ${chainStatesBefore} WHERE block_number > ${to.number} AND ${guard}`,
      ...this.#effects(touched, guard),
    ]
  }

  /**
   * Deletes the chain index, and reverts the changes it made to the hub's own records. The indexer then starts again.
   * Of two calls at once the second finds nothing to delete, and is still noted in the audit log.
   */
  async forget(
    { operator, reason }: Pick<OperatorAction, 'operator' | 'reason'>,
    now: number,
  ): Promise<void> {
    const everyProject = sql`SELECT p.project_id FROM ${projects} AS p`
    const always = sql`true`
    await batch(this.db, [
      auditStatement(
        { operator, reason, action: 'chain.reindex', subject: 'chain', after: {} },
        now,
        sql`SELECT coalesce((SELECT json_object('block_number', block_number, 'final_number', final_number,
          'network', json(network)) FROM ${chainCursor}), '{}') AS value`,
      ),
      // Every write of the indexer is guarded by the cursor, so what is under way comes to nothing.
      ...[
        chainCursor,
        chainBlocks,
        chainEvents,
        chainStates,
        chainStatesBefore,
        chainUnconfirmedLogs,
        beacons,
      ].map((table) => sql`DELETE FROM ${table}`),
      ...registryEffects(everyProject, always),
      minersOf(everyProject, always),
      claimEffect(everyClaim, always),
      ...epochEffects(everyEpoch, always),
    ])
  }

  /** What the chain says about one thing as of the indexed block. */
  async state(kind: Subject['kind'], subject: string): Promise<ChainState | null> {
    const [row] = await this.db
      .select({ state: chainStates.state })
      .from(chainStates)
      .where(sql`kind = ${kind} AND subject = ${subject}`)
    return row?.state ?? null
  }

  /** The states of those subjects that have one. */
  async states(subjects: readonly Subject[]): Promise<StateRow[]> {
    const parts = jsonParts(subjects).map((wanted) =>
      this.db
        .select()
        .from(chainStates)
        .where(sql`(kind, subject) IN (SELECT value->>'kind', value->>'id' FROM json_each(${wanted}))`),
    )
    return (await Promise.all(parts)).flat()
  }

  /** Brings the hub's own records that follow from changed states in step; these are written already. */
  #effects(changed: readonly Pick<StateRow, 'kind' | 'subject'>[], guard: SQL): SQL[] {
    const subjects = (wanted: Subject['kind']) =>
      jsonParts(changed.flatMap(({ kind, subject }) => (kind === wanted ? [subject] : []))).map(
        (part) => sql`SELECT value FROM json_each(${part})`,
      )
    return [
      ...subjects('project').flatMap((part) => registryEffects(part, guard)),
      ...subjects('subscription').map((part) => minersEffect(part, guard)),
      ...subjects('epoch').flatMap((part) => epochEffects(part, guard)),
      ...subjects('claim').map((part) => claimEffect(part, guard)),
      ...subjects('vault').map((part) => vaultEffect(part, guard)),
      ...subjects('posting').map(() => postingEffect(guard)),
    ]
  }

  #finalize(final: BlockRef, guard: SQL): SQL[] {
    return [
      sql`UPDATE ${chainEvents} SET provisional = 0
          WHERE provisional = 1 AND block_number <= ${final.number} AND ${guard}`,
      sql`DELETE FROM ${chainStatesBefore} WHERE block_number <= ${final.number} AND ${guard}`,
      sql`DELETE FROM ${chainUnconfirmedLogs} WHERE block_number <= ${final.number} AND ${guard}`,
    ]
  }

  /** @param timestamp - Of a block that is new. */
  #moveCursor(
    tip: Cursor,
    to: BlockRef,
    final: BlockRef,
    { isBehind, timestamp = 0 }: { isBehind: boolean; timestamp?: number },
  ): SQL {
    const now = unixNow()
    return sql`
      UPDATE ${chainCursor} SET block_number = ${to.number}, block_hash = ${to.hash},
        final_number = ${final.number}, final_hash = ${final.hash}, updated_at = ${now},
        is_behind = ${Number(isBehind)}, lead_secs = max(lead_secs, ${timestamp - now}),
        log_differences = ${tip.logDifferences}
      WHERE block_hash = ${tip.hash}`
  }

  async #write(statements: readonly SQL[]): Promise<StoreOutcome> {
    const results = await batch(this.db, statements)
    return results.at(-1)?.meta.changes === 1 ? 'done' : 'moved'
  }
}

import { desc, type SQL, sql } from 'drizzle-orm'
import type { Header, Log } from '../../durable-objects/indexer/chain.ts'
import type { BlockRef, Cursor, IndexStore, StoreOutcome } from '../../durable-objects/indexer/step.ts'
import { type ChainEvent, isFromItsContract, readLog } from '../chain/events.ts'
import { applyEvent, type ChainState, ownerOf, type Subject, subjectsOf } from '../chain/projections.ts'
import { unixNow } from '../context.ts'
import type { Contracts } from '../env.ts'
import { batch, type Database, query, read } from './database.ts'
import { minersEffect, registryEffects } from './registry-effects.ts'
import { chainBlocks, chainCursor, chainEvents, chainStates } from './schema.ts'

interface StateRow {
  kind: string
  subject: string
  state: ChainState
  owner: string | null
  blockNumber: number
}

/**
 * What the chain's events say, and how far they are read. Events, states and cursor change together or not at all: every
 * statement of a batch holds only while the cursor is at the tip the batch builds on, and the last one moves it.
 */
export class ChainIndexStore implements IndexStore {
  readonly #db: Database
  readonly #contracts: Contracts | null
  readonly #blocksKept: number
  /** @param blocksKept - Known blocks; a reorganisation that reaches deeper goes back to the final block. */
  constructor(db: Database, contracts: Contracts | null, blocksKept: number) {
    this.#db = db
    this.#contracts = contracts
    this.#blocksKept = blocksKept
  }

  async cursor(): Promise<Cursor | null> {
    const [row] = await read(() => this.#db.select().from(chainCursor))
    if (!row) return null
    const { blockNumber: number, blockHash: hash, finalNumber, finalHash } = row
    return { number, hash, final: { number: finalNumber, hash: finalHash } }
  }

  async begin({ number, hash }: BlockRef): Promise<void> {
    await query(
      this.#db
        .insert(chainCursor)
        .values({
          id: 1,
          blockNumber: number,
          blockHash: hash,
          finalNumber: number,
          finalHash: hash,
          updatedAt: unixNow(),
        })
        .onConflictDoNothing(),
    )
  }

  async recentBlocks(): Promise<BlockRef[]> {
    return read(() =>
      this.#db
        .select({ number: chainBlocks.number, hash: chainBlocks.hash })
        .from(chainBlocks)
        .orderBy(desc(chainBlocks.number)),
    )
  }

  async append(
    tip: Cursor,
    headers: readonly Header[],
    logs: readonly Log[],
    final: BlockRef,
  ): Promise<StoreOutcome> {
    const last = headers.at(-1)
    if (!last) return 'done'
    const times = new Map(headers.map(({ hash, timestamp }) => [hash, timestamp]))
    const { events, links, states } = await this.#apply(
      logs.flatMap((log) => readLog(log, times.get(log.blockHash) ?? 0) ?? []),
    )
    const oldest = last.number - this.#blocksKept
    const blocks = headers
      .filter(({ number }) => number > oldest)
      .map(({ number, hash, parentHash, timestamp }) => ({ number, hash, parentHash, timestamp }))
    const guard = sql`(SELECT block_hash FROM ${chainCursor}) = ${tip.hash}`
    const eventWrites = [
      sql`
        INSERT INTO ${chainEvents}
          (block_hash, log_index, block_number, block_time, tx_hash, contract, name, args, provisional)
        SELECT value->>'blockHash', value->>'logIndex', value->>'blockNumber', value->>'blockTime',
          value->>'txHash', value->>'contract', value->>'name', value->'args', 1
        FROM json_each(${JSON.stringify(events)}) WHERE ${guard}`,
      sql`
        INSERT INTO chain_event_subjects (kind, subject, block_number, log_index)
        SELECT value->>'kind', value->>'subject', value->>'blockNumber', value->>'logIndex'
        FROM json_each(${JSON.stringify(links)}) WHERE ${guard}`,
      ...this.#putStates(states, guard),
    ]
    return this.#write([
      ...(events.length > 0 ? eventWrites : []),
      sql`
        INSERT OR REPLACE INTO ${chainBlocks} (number, hash, parent_hash, timestamp)
        SELECT value->>'number', value->>'hash', value->>'parentHash', value->>'timestamp'
        FROM json_each(${JSON.stringify(blocks)}) WHERE ${guard}`,
      sql`DELETE FROM ${chainBlocks} WHERE number <= ${oldest} AND ${guard}`,
      ...this.#finalize(final, guard),
      this.#moveCursor(tip, last, final),
    ])
  }

  async finalize(tip: Cursor, final: BlockRef): Promise<StoreOutcome> {
    const guard = sql`(SELECT block_hash FROM ${chainCursor}) = ${tip.hash}`
    return this.#write([...this.#finalize(final, guard), this.#moveCursor(tip, tip, final)])
  }

  /** Takes back everything after a block, and folds what is left of each state that it touched. */
  async rollback(tip: Cursor, to: BlockRef): Promise<StoreOutcome> {
    const touched = (await read(() =>
      this.#db.all(
        sql`SELECT DISTINCT kind, subject FROM chain_event_subjects WHERE block_number > ${to.number}`,
      ),
    )) as { kind: Subject['kind']; subject: string }[]
    const left = await this.#eventsOf(touched, to.number)
    const states = new Map<string, StateRow>()
    for (const { kind, subject, event } of left) fold(states, kind, subject, event)
    const gone = touched.filter(({ kind, subject }) => !states.has(keyOf(kind, subject)))
    const guard = sql`(SELECT block_hash FROM ${chainCursor}) = ${tip.hash}`
    return this.#write([
      sql`DELETE FROM ${chainEvents} WHERE block_number > ${to.number} AND ${guard}`,
      sql`DELETE FROM chain_event_subjects WHERE block_number > ${to.number} AND ${guard}`,
      sql`DELETE FROM ${chainBlocks} WHERE number > ${to.number} AND ${guard}`,
      sql`
        DELETE FROM ${chainStates} WHERE ${guard} AND (kind, subject) IN
          (SELECT value->>'kind', value->>'subject' FROM json_each(${JSON.stringify(gone)}))`,
      ...this.#putStates([...states.values()], guard, gone),
      this.#moveCursor(tip, to, tip.final),
    ])
  }

  /** What the chain says about one thing as of the indexed block. */
  async state(kind: Subject['kind'], subject: string): Promise<ChainState | null> {
    const [row] = await read(() =>
      this.#db
        .select({ state: chainStates.state })
        .from(chainStates)
        .where(sql`kind = ${kind} AND subject = ${subject}`),
    )
    return row?.state ?? null
  }

  /** Keeps the events of this network's contracts, and folds them into the states they change. */
  async #apply(candidates: ChainEvent[]) {
    const contracts = this.#contracts
    if (contracts === null || candidates.length === 0) return { events: [], links: [], states: [] }
    const states = await this.#statesAt(candidates.flatMap((event) => [vaultOf(event), ...subjectsOf(event)]))
    const isVault = (address: string) => states.has(keyOf('vault', address))
    const events: ChainEvent[] = []
    const links: { kind: string; subject: string; blockNumber: number; logIndex: number }[] = []
    const changed = new Set<string>()
    for (const event of candidates) {
      if (!isFromItsContract(event, contracts, isVault)) continue
      events.push(event)
      for (const { kind, id } of subjectsOf(event)) {
        fold(states, kind, id, event)
        changed.add(keyOf(kind, id))
        links.push({ kind, subject: id, blockNumber: event.blockNumber, logIndex: event.logIndex })
      }
    }
    return { events, links, states: [...states].flatMap(([key, row]) => (changed.has(key) ? [row] : [])) }
  }

  async #statesAt(subjects: readonly Subject[]): Promise<Map<string, StateRow>> {
    const rows = await read(() =>
      this.#db
        .select()
        .from(chainStates)
        .where(sql`(kind, subject) IN
        (SELECT value->>'kind', value->>'id' FROM json_each(${JSON.stringify(subjects)}))`),
    )
    return new Map(rows.map((row) => [keyOf(row.kind, row.subject), row]))
  }

  async #eventsOf(subjects: readonly { kind: Subject['kind']; subject: string }[], upTo: number) {
    const rows = (await read(() =>
      this.#db.all(sql`
        SELECT s.kind, s.subject, e.block_hash, e.log_index, e.block_number, e.block_time, e.tx_hash, e.contract,
          e.name, e.args
        FROM json_each(${JSON.stringify(subjects)}) AS t
        JOIN chain_event_subjects AS s ON s.kind = t.value->>'kind' AND s.subject = t.value->>'subject'
        JOIN ${chainEvents} AS e ON e.block_number = s.block_number AND e.log_index = s.log_index
        WHERE s.block_number <= ${upTo}
        ORDER BY s.block_number, s.log_index`),
    )) as Record<string, string & number>[]
    return rows.map((row) => ({
      kind: String(row.kind) as Subject['kind'],
      subject: String(row.subject),
      event: {
        blockHash: String(row.block_hash),
        logIndex: Number(row.log_index),
        blockNumber: Number(row.block_number),
        blockTime: Number(row.block_time),
        txHash: String(row.tx_hash),
        contract: String(row.contract),
        name: String(row.name),
        args: JSON.parse(String(row.args)) as Record<string, string>,
      },
    }))
  }

  /** Writes states, and brings the hub's own records that follow from them in step. */
  #putStates(
    states: readonly StateRow[],
    guard: SQL,
    gone: readonly { kind: string; subject: string }[] = [],
  ): SQL[] {
    const changed = (wanted: Subject['kind']) =>
      JSON.stringify([...states, ...gone].flatMap(({ kind, subject }) => (kind === wanted ? [subject] : [])))
    return [
      sql`
        INSERT OR REPLACE INTO ${chainStates} (kind, subject, state, owner, block_number)
        SELECT value->>'kind', value->>'subject', value->'state', value->>'owner', value->>'blockNumber'
        FROM json_each(${JSON.stringify(states)}) WHERE ${guard}`,
      ...registryEffects(changed('project'), guard),
      minersEffect(changed('subscription'), guard),
    ]
  }

  #finalize(final: BlockRef, guard: SQL): SQL[] {
    return [
      sql`UPDATE ${chainEvents} SET provisional = 0
          WHERE provisional = 1 AND block_number <= ${final.number} AND ${guard}`,
    ]
  }

  #moveCursor(tip: Cursor, to: BlockRef, final: BlockRef): SQL {
    return sql`
      UPDATE ${chainCursor} SET block_number = ${to.number}, block_hash = ${to.hash},
        final_number = ${final.number}, final_hash = ${final.hash}, updated_at = ${unixNow()}
      WHERE block_hash = ${tip.hash}`
  }

  async #write(statements: readonly SQL[]): Promise<StoreOutcome> {
    const results = await batch(this.#db, statements)
    return results.at(-1)?.meta.changes === 1 ? 'done' : 'moved'
  }
}

/** The vault that the emitter may be; whether it is one decides if its word counts. */
const vaultOf = ({ contract }: ChainEvent): Subject => ({ kind: 'vault', id: contract })

const keyOf = (kind: string, subject: string): string => `${kind} ${subject}`

function fold(
  states: Map<string, StateRow>,
  kind: Subject['kind'],
  subject: string,
  event: ChainEvent,
): void {
  const state = applyEvent(kind, states.get(keyOf(kind, subject))?.state ?? null, event)
  states.set(keyOf(kind, subject), {
    kind,
    subject,
    state,
    owner: ownerOf(kind, state),
    blockNumber: event.blockNumber,
  })
}

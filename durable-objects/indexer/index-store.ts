import type { Block } from '../../protocol/committees/index.ts'
import type { Header, Log } from './chain.ts'

export interface BlockRef {
  number: number
  hash: string
}

export interface Cursor extends BlockRef {
  /** The last block that no reorganisation removes, and whose logs were read twice; below the first block of the index, nothing is final. */
  final: BlockRef
  /** The settings with which the index was begun. */
  network: IndexedNetwork
  /** Whether far more was to be read, as while the chain is read from its beginning. An index is always some blocks late. */
  isBehind: boolean
  /** How often a node gave other logs of the same blocks than before. */
  logDifferences: number
}

/** The settings that decide the content of an index: with others, another index results. */
export type IndexedNetwork = Readonly<Record<string, string | number>>

/** Stores the data that an indexer read. A write changes nothing and answers `moved` unless `tip` is still the tip. */
export interface IndexStore {
  cursor(): Promise<Cursor | null>
  /** @param final - Before `at` where that itself is not final. */
  begin(at: BlockRef, network: IndexedNetwork, final: BlockRef): Promise<void>
  /** Known blocks up to the tip, highest first. */
  recentBlocks(): Promise<Block[]>
  vaults(): Promise<string[]>
  append(
    tip: Cursor,
    headers: readonly Header[],
    logs: readonly Log[],
    final: BlockRef,
    isBehind: boolean,
  ): Promise<StoreOutcome>
  /** The indexed blocks from `from` to `to` that are not final and whose events by these logs differ from the index, lowest first. */
  differing(from: number, to: number, logs: readonly Log[]): Promise<number[]>
  /** Stores the rest of `tip` with it. */
  finalize(tip: Cursor, final: BlockRef): Promise<StoreOutcome>
  /** Stores the rest of `tip` with it. */
  rollback(tip: Cursor, to: BlockRef): Promise<StoreOutcome>
  restart(tip: Cursor): Promise<StoreOutcome>
}

export type StoreOutcome = 'done' | 'moved'

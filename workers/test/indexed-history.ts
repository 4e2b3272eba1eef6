import { env } from 'cloudflare:workers'
import type { Cursor } from '../../durable-objects/indexer/index-store.ts'
import type { Block } from '../../protocol/committees/index.ts'
import { hashText } from '../../protocol/encoding/index.ts'
import type { ChainEvent } from '../chain/events.ts'
import { foldEvents, subjectKey } from '../chain/fold.ts'
import { subjectsOf } from '../chain/projections.ts'
import { services } from '../services.ts'

/** An event, before it is in a block; of the staking contract, in a transaction of its own, unless it says otherwise. */
export type Happening = Pick<ChainEvent, 'name' | 'args'> & Partial<Pick<ChainEvent, 'contract' | 'txHash'>>

/** Writes blocks into the index as the indexer does, without a chain. */
export class IndexedHistory {
  readonly blocks: Block[] = []
  /** Tells blocks of one number apart. */
  branch = 0

  async begin(first: Block): Promise<void> {
    this.blocks.push(first)
    await services(env).chainIndex.begin(first, {})
  }

  /**
   * Appends a block with these events. @param final - The number of the last final block. @param isBehind - Whether the chain has later
   * blocks.
   */
  async append(
    timestamp: number,
    happenings: readonly Happening[],
    final: number,
    { isBehind = false } = {},
  ): Promise<Block> {
    await this.appendAll([{ timestamp, happenings }], final, { isBehind })
    return this.blocks.at(-1) as Block
  }

  /** Appends several blocks at once, as the indexer does after a jump of the head. @param final - As for {@link append}. */
  async appendAll(
    added: readonly { timestamp: number; happenings: readonly Happening[] }[],
    final: number,
    { isBehind = false } = {},
  ): Promise<void> {
    const { chainIndex } = services(env)
    const events: ChainEvent[] = []
    const headers = added.map(({ timestamp, happenings }) => {
      const parent = this.blocks.at(-1) as Block
      const number = parent.number + 1
      const block = { number, hash: hashText(`${this.branch} ${number}`), timestamp }
      this.blocks.push(block)
      for (const [logIndex, happening] of happenings.entries())
        events.push({
          txHash: block.hash,
          contract: `0x${'c5'.repeat(20)}`,
          ...happening,
          blockHash: block.hash,
          blockNumber: number,
          blockTime: timestamp,
          logIndex,
        })
      return { ...block, parentHash: parent.hash, logsBloom: '0x' as const }
    })
    const rows = await chainIndex.states(events.flatMap(subjectsOf))
    const known = new Map(rows.map((row) => [subjectKey({ kind: row.kind, id: row.subject }), row]))
    const { states, before } = foldEvents(events, known, final)
    await chainIndex.append(
      (await chainIndex.cursor()) as Cursor,
      { headers, events, states, before },
      this.blocks.find((one) => one.number === final) as Block,
      isBehind,
    )
  }

  /** Takes blocks back, as a reorganisation does. */
  async rollback(to: number): Promise<void> {
    const { chainIndex } = services(env)
    const at = this.blocks.findIndex(({ number }) => number === to)
    this.blocks.length = at + 1
    this.branch += 1
    await chainIndex.rollback((await chainIndex.cursor()) as Cursor, this.blocks[at] as Block)
  }
}

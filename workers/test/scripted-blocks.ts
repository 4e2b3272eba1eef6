import { vi } from 'vitest'
import type { Block } from '../../protocol/committees/index.ts'
import { runSql } from './tables.ts'

interface Call {
  id: number
  method: string
  params: [string]
}

/** A chain behind `fetch` that has these blocks and no others, and knows of nothing else. */
export class ScriptedBlocks {
  down = false
  /** How many of the next requests a rate limit refuses. */
  limited = 0
  /** Calls so far. */
  calls = 0
  #blocks: readonly Block[] = []

  /** The answers of other hosts, by host. */
  readonly hosts = new Map<string, (request: Request) => Response | Promise<Response>>()

  install(): void {
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
      const { host } = new URL(input instanceof Request ? input.url : input)
      const other = this.hosts.get(host)
      if (other) return other(new Request(input, init))
      if (this.down) throw new TypeError('no connection')
      if (this.limited-- > 0) return new Response('too many requests', { status: 429 })
      const asked = JSON.parse(String(init?.body)) as Call | Call[]
      const answers = [asked].flat().map((call) => this.#answer(call))
      return Response.json(Array.isArray(asked) ? answers : answers[0])
    })
  }

  /** Has the chain be of these blocks, of which the index has read all up to `final`, the last one if left out. */
  async setBlocks(blocks: readonly Block[], final = blocks.at(-1) as Block): Promise<void> {
    this.serve(blocks)
    await runSql(
      `INSERT OR REPLACE INTO chain_cursor (id, block_number, block_hash, final_number, final_hash, updated_at)
       VALUES (1, ?1, ?2, ?1, ?2, 1)`,
      final.number,
      final.hash,
    )
  }

  /** Has the chain be of these blocks. */
  serve(blocks: readonly Block[]): void {
    this.#blocks = blocks
  }

  #answer({ id, params: [number] }: Call) {
    this.calls += 1
    const block =
      number === 'latest' ? this.#blocks.at(-1) : this.#blocks.find((one) => one.number === Number(number))
    const result = block && {
      number: `0x${block.number.toString(16)}`,
      hash: block.hash,
      timestamp: `0x${block.timestamp.toString(16)}`,
    }
    return { jsonrpc: '2.0', id, result: result ?? null }
  }
}

import { sql } from 'drizzle-orm'
import type { ExecutionReceipt } from '../../protocol/execution/index.ts'
import { Store } from './database.ts'
import { rounds } from './schema/index.ts'

/** The result of rounds. */
export interface ExecutedReceipt {
  receipt: ExecutionReceipt
  /** Newest first. */
  roundIds: string[]
  /** When the newest of them came to it, in Unix seconds. */
  at: number
}

interface Row extends Omit<ExecutionReceipt, 'v' | 'success'> {
  round_id: string
  success: number
  at: number
}

/** Receipts of runs, which follow from what rounds came to. */
export class ReceiptStore extends Store {
  /** Null where no round came to it. @param roundsMax - How many rounds are named. */
  async executed(receiptHash: string, roundsMax: number): Promise<ExecutedReceipt | null> {
    const rows = await this.db.all<Row>(sql`
        SELECT round_id, module_address, function, input_hash, output_hash, events_hash, gas_used, success,
          coalesce(agreed_at, finalized_at, issued_at) AS at
        FROM ${rounds} WHERE receipt_hash = ${receiptHash} AND output_hash IS NOT NULL
        ORDER BY issued_at DESC, round_id DESC LIMIT ${roundsMax}`)
    const [newest] = rows
    if (newest === undefined) return null
    const { round_id: _, at, success, ...run } = newest
    return {
      receipt: { v: 1, ...run, success: success === 1 },
      roundIds: rows.map(({ round_id }) => round_id),
      at,
    }
  }
}

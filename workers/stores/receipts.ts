import { and, desc, eq, isNotNull, sql } from 'drizzle-orm'
import type { ExecutionReceipt } from '../../protocol/execution/index.ts'
import { Store } from './database.ts'
import { rounds } from './schema/index.ts'

export interface ExecutedReceipt {
  receipt: ExecutionReceipt
  /** Newest first. */
  rounds: { roundId: string; issuedAt: number }[]
  /** When the newest of them came to it, in Unix seconds. */
  at: number
}

/** Receipts of runs, which follow from what rounds came to. */
export class ReceiptStore extends Store {
  /** Null if no round came to it. @param roundsMax - How many rounds are named. */
  async executed(receiptHash: string, roundsMax: number): Promise<ExecutedReceipt | null> {
    const { moduleAddress, inputHash, outputHash, eventsHash, gasUsed, success, issuedAt, roundId } = rounds
    const rows = await this.db
      .select({
        ...{ roundId, module_address: moduleAddress, function: rounds.function, input_hash: inputHash },
        ...{ output_hash: outputHash, events_hash: eventsHash, gas_used: gasUsed, success, issuedAt },
        at: sql<number>`coalesce(${rounds.agreedAt}, ${rounds.finalizedAt}, ${issuedAt})`,
      })
      .from(rounds)
      .where(and(eq(rounds.receiptHash, receiptHash), isNotNull(outputHash)))
      .orderBy(desc(issuedAt), desc(roundId))
      .limit(roundsMax)
    const [newest] = rows
    if (newest === undefined) return null
    const { roundId: _, issuedAt: __, at, ...run } = newest
    const receipt = { v: 1, ...run, success: run.success === true } as ExecutionReceipt
    return { receipt, rounds: rows.map((row) => ({ roundId: row.roundId, issuedAt: row.issuedAt })), at }
  }
}

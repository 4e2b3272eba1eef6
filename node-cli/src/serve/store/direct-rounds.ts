import type { DatabaseSync } from 'node:sqlite'
import { VoteWithheld } from '../slashing-protection/votes.ts'
import type { FactStore } from './facts.ts'

/** How long, how many and how much direct rounds are kept. */
export interface DirectRetention {
  readonly seconds: number
  readonly rounds: number
  readonly bytes: number
}

/** A direct round as it is kept with its vote. */
export interface KeptDirectRound {
  readonly roundId: string
  readonly issuedAt: number
  readonly ledgerId: number
  /** The size of vote, answer and receipt together. */
  readonly bytes: number
  readonly createdAt: number
}

const droppedFact = 'direct_votes_not_before'
/** Takes some milliseconds. */
const droppedAtOnce = 50

export type DirectRoundStore = Readonly<ReturnType<typeof directRoundStore>>

/** Direct rounds, which anybody may have the node run, with their votes, answers and receipts. They are kept for a while. */
export function directRoundStore(db: DatabaseSync, facts: FactStore, transaction: <T>(work: () => T) => T) {
  const insert = db.prepare(
    'INSERT INTO direct_rounds (round_id, ledger_id, issued_at, bytes, created_at) VALUES (?, ?, ?, ?, ?)',
  )
  const oldest = db.prepare('SELECT * FROM direct_rounds ORDER BY id LIMIT ?')
  const drop = db.prepare('DELETE FROM direct_rounds WHERE id = ?')
  const dropVote = db.prepare("DELETE FROM votes WHERE kind = 'execution' AND round_id = ?")
  const dropHeard = db.prepare("DELETE FROM round_votes WHERE kind = 'execution' AND round_id = ?")
  const dropReceipt = db.prepare('DELETE FROM ledger WHERE id = ?')
  const totals = db.prepare('SELECT rounds, bytes FROM direct_totals')
  const readTotals = () => totals.get() as { rounds: number; bytes: number }
  const notBefore = (): number => Number(facts.get(droppedFact) ?? 0)

  const dropOne = ({ id, round_id: roundId, ledger_id: ledgerId }: Row): void => {
    dropVote.run(roundId)
    dropHeard.run(roundId)
    dropReceipt.run(ledgerId)
    drop.run(id)
  }

  return {
    /** Within the transaction of its vote. */
    keep: ({ roundId, ledgerId, issuedAt, bytes, createdAt }: KeptDirectRound) =>
      void insert.run(roundId, ledgerId, issuedAt, bytes, createdAt),
    /** Drops some of the oldest that are more than may be kept. @returns How many. */
    prune: (retention: DirectRetention, now: number): number =>
      transaction(() => {
        const dropped: Row[] = []
        const left = readTotals()
        for (const row of oldest.all(droppedAtOnce) as unknown as Row[]) {
          const isOld = row.created_at < now - retention.seconds
          if (!isOld && left.rounds <= retention.rounds && left.bytes <= retention.bytes) break
          dropOne(row)
          left.rounds -= 1
          left.bytes -= row.bytes
          dropped.push(row)
        }
        // Asked again, a round whose vote is gone could get another one.
        const latest = dropped.reduce((time, { issued_at }) => Math.max(time, issued_at + 1), notBefore())
        if (latest > notBefore()) facts.set(droppedFact, String(latest))
        return dropped.length
      }),
    /** @throws {@link VoteWithheld} for a round whose vote may have been dropped. */
    checkAllowed: (issuedAt: number): void => {
      if (issuedAt < notBefore())
        throw new VoteWithheld(
          `This node has dropped what it voted in direct rounds that began before ${notBefore()}, and does not vote in them again.`,
        )
    },
    totals: readTotals,
  }
}

interface Row {
  readonly id: number
  readonly round_id: string
  readonly ledger_id: number
  readonly issued_at: number
  readonly bytes: number
  readonly created_at: number
}

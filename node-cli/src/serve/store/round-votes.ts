import type { DatabaseSync } from 'node:sqlite'
import type { ExecutionVote, FinalityVote, TaskVote } from '../../../../protocol/rounds/index.ts'

/** A vote of a round that was checked, with its subject. */
export interface CheckedVote<V extends RoundVote = RoundVote> {
  readonly vote: V
  /** Hash of the document that the vote is for. Two votes of one key with different subjects contradict each other. */
  readonly subject: string
}

export type RoundVote = ExecutionVote | TaskVote | FinalityVote
export type RoundVoteKind = RoundVote['kind']
type VoteOf<Kind extends RoundVoteKind> = Extract<RoundVote, { kind: Kind }>

/** Two different votes of one key prove an offence; more prove nothing else. */
const keptOfOneKey = 2

/** How long votes are kept, in seconds: nobody asks for votes of rounds that became final longer ago. */
const keptSeconds = 30 * 86_400
const droppedAtOnce = 1_000

export type RoundVoteStore = Readonly<ReturnType<typeof roundVoteStore>>

/** The votes of rounds, of this node and of others, each once. */
export function roundVoteStore(db: DatabaseSync) {
  const insert = db.prepare(
    'INSERT INTO round_votes (round_id, kind, public_key, subject, vote, kept_at) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const subjects = db.prepare(
    'SELECT subject FROM round_votes WHERE round_id = ? AND kind = ? AND public_key = ?',
  )
  const select = db.prepare(
    'SELECT subject, vote FROM round_votes WHERE round_id = ? AND kind = ? ORDER BY public_key, subject',
  )
  const drop = db.prepare(
    'DELETE FROM round_votes WHERE id IN (SELECT id FROM round_votes WHERE kept_at < ? LIMIT ?)',
  )
  const dropRound = db.prepare('DELETE FROM round_votes WHERE round_id = ?')
  return {
    /**
     * Keeps a vote that was checked.
     *
     * @returns Whether it is new, known, or contradicts one that was kept before. Of more than two contradicting ones the
     * further are dropped.
     */
    keep: ({ vote, subject }: CheckedVote, now: number): 'new' | 'known' | 'conflict' | 'dropped' => {
      const { round_id: roundId, kind, public_key: key } = vote
      const kept = (subjects.all(roundId, kind, key) as { subject: string }[]).map((row) => row.subject)
      if (kept.includes(subject)) return 'known'
      if (kept.length >= keptOfOneKey) return 'dropped'
      insert.run(roundId, kind, key, subject, JSON.stringify(vote), now)
      return kept.length === 0 ? 'new' : 'conflict'
    },
    /** The votes of a kind, in the order of keys and then of subjects. */
    ofRound: <Kind extends RoundVoteKind>(
      roundId: string,
      kind: Kind,
    ): readonly CheckedVote<VoteOf<Kind>>[] =>
      (select.all(roundId, kind) as { subject: string; vote: string }[]).map(({ subject, vote }) => ({
        subject,
        vote: JSON.parse(vote) as VoteOf<Kind>,
      })),
    /** Drops all votes of a round. */
    dropRound: (roundId: string) => void dropRound.run(roundId),
    /** Drops some of the votes of long ago. The records of their rounds stay. */
    dropOld: (now: number) => void drop.run(now - keptSeconds, droppedAtOnce),
  }
}

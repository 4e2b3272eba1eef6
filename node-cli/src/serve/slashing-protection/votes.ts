import type { DatabaseSync } from 'node:sqlite'
import type { VoteKind } from '../../../../protocol/rounds/index.ts'
import { inTransaction } from '../../data-dir/database.ts'
import type { FactStore } from '../store/facts.ts'

export interface OwnVote {
  readonly kind: VoteKind
  readonly round_id: string
  readonly public_key: string
}

/** A vote as it was given first, and the answer that was sent with it. */
export interface GivenVote {
  readonly vote: string
  readonly answer: string | null
}

/** A vote that is stored if it is the first of its round, with its answer and times. */
export interface VoteToGive {
  readonly vote: OwnVote
  /** When its round began, in Unix seconds. */
  readonly issuedAt: number
  readonly answer?: string
  readonly createdAt: number
}

/** Thrown for a round that this node may have voted on from a data directory that this one is a copy of. */
export class VoteWithheld extends Error {
  override readonly name = 'VoteWithheld'
}

const withheldFact = 'votes_not_before'

/** Rounds that began before this time get no vote of this node. */
export const withholdVotesBefore = (facts: FactStore, time: number): void =>
  facts.set(withheldFact, String(time))

/**
 * The votes of this node: one for each key, kind and round. A vote leaves the process only as this store gives it. Votes of
 * direct rounds are dropped after a while (`direct-rounds.ts`), and their rounds get no other vote. Of the votes on tasks only
 * the answer is dropped (`task-data.ts`).
 */
export function voteStore(db: DatabaseSync, facts: FactStore) {
  const select = db.prepare(
    'SELECT vote, answer FROM votes WHERE public_key = ? AND kind = ? AND round_id = ?',
  )
  const insert = db.prepare(
    `INSERT INTO votes (public_key, kind, round_id, vote, answer, created_at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
  )
  // Counts every vote that was ever given: the oldest ones of direct rounds are dropped.
  const last = db.prepare('SELECT coalesce(max(id), 0) AS count FROM votes')
  const find = (publicKey: string, kind: VoteKind, roundId: string): GivenVote | null =>
    (select.get(publicKey, kind, roundId) as GivenVote | undefined) ?? null
  const withheldBefore = (): number => Number(facts.get(withheldFact) ?? 0)
  /** @throws {@link VoteWithheld} for a round that gets no vote. */
  const checkAllowed = (issuedAt: number): void => {
    const notBefore = withheldBefore()
    if (issuedAt < notBefore)
      throw new VoteWithheld(
        `This data directory is a copy: the node may have voted in rounds that began before ${notBefore}, and does not vote in them again.`,
      )
  }
  return {
    checkAllowed,
    /** Rounds that began before this time, in Unix seconds, get no vote; 0 unless the data directory is a copy. */
    withheldBefore,
    find,
    /**
     * Stores a vote, and the rows that `alongside` writes, in one transaction that is on the disk when this returns. If the
     * round already has a vote, nothing is written.
     *
     * @returns The vote of the round: this one, or the one that was given before.
     * @throws {@link VoteWithheld}
     */
    give: (
      { vote, issuedAt, answer, createdAt }: VoteToGive,
      alongside = () => {},
    ): GivenVote & { readonly isNew: boolean } =>
      inTransaction(db, () => {
        const { public_key, kind, round_id } = vote
        const text = JSON.stringify(vote)
        const { changes } = insert.run(public_key, kind, round_id, text, answer ?? null, createdAt)
        if (Number(changes) === 0) return { ...find(public_key, kind, round_id)!, isNew: false }
        checkAllowed(issuedAt)
        alongside()
        return { vote: text, answer: answer ?? null, isNew: true }
      }),
    count: (): number => (last.get() as { count: number }).count,
  }
}

import type { DatabaseSync } from 'node:sqlite'
import type { FinalityRecord, RoundState, Tally, Task } from '../../../../protocol/rounds/index.ts'

export type Fallback = 'too_few_members' | 'underfunded'

/** A drawn member, with what evidence against it names. */
export interface RoundMember {
  readonly node_key: string
  readonly role: 'primary' | 'backup'
  readonly subscription_id: string
}

/** The findings of this node when it judged a round. */
export interface Judgement {
  readonly agreed_at: number
  readonly audit_block: { readonly number: number; readonly hash: string; readonly timestamp: number }
  readonly fallback: Fallback | null
  /** Nobody, in a fallback. */
  readonly members: readonly RoundMember[]
  readonly tally: Tally
}

/** A round as far as this node knows it. */
export interface RoundRecord {
  readonly roundId: string
  /** Null for a direct round, as are epoch and task. */
  readonly projectId: string | null
  readonly epoch: number | null
  readonly state: RoundState
  /** Null while this node has not judged the round, as is the judgement. */
  readonly task: Task | null
  readonly judgement: Judgement | null
  /** The record that a quorum of the validators signed; null before. */
  readonly final: FinalityRecord | null
  /** The hash of the final record: the subject of the votes for it. */
  readonly finalityHash: string | null
  /** Rises with each round that became final here; null before. */
  readonly finalSeq: number | null
}

interface JudgedRound {
  readonly roundId: string
  readonly task: Task
  readonly judgement: Judgement
}

/** Which final rounds are wanted, in the order in which they became final here. */
export interface FinalRoundQuery {
  readonly projectId: string | null
  readonly epoch: number | null
  /** The `finalSeq` that was read last; 0 before. */
  readonly after: number
  readonly limit: number
}

type JsonMember = 'task' | 'judgement' | 'final'
type Row = Omit<RoundRecord, JsonMember> & Record<JsonMember, string | null>

const columns =
  'round_id AS roundId, project_id AS projectId, epoch, state, task, judgement, final, finality_hash AS finalityHash, final_seq AS finalSeq'
const nextSeq = '(SELECT coalesce(max(final_seq), 0) + 1 FROM rounds)'

/** A round that is open for this time has failed: nobody makes it final any more. One that only votes tell of is forgotten. */
export const givenUpSeconds = 2 * 86_400

/** Rounds that one key may tell of while nothing else is known about them: more than a project has in an hour. */
const heardMax = 100_000

/** Rounds of an epoch whose bytes are counted. */
const countedMax = 64

export type RoundStore = Readonly<ReturnType<typeof roundStore>>

/** The rounds that this node judged or heard of. Their votes are in `RoundVoteStore`. */
export function roundStore(db: DatabaseSync) {
  const select = (rest: string) => db.prepare(`SELECT ${columns} FROM rounds ${rest}`)
  const one = select('WHERE round_id = ?')
  const finalOfEpoch = select(
    'WHERE project_id = ? AND epoch = ? AND final IS NOT NULL AND final_seq > ? ORDER BY final_seq LIMIT ?',
  )
  const finalOfAll = select('WHERE final IS NOT NULL AND final_seq > ? ORDER BY final_seq LIMIT ?')
  const openJudged = db.prepare(
    `SELECT ${columns} FROM rounds INDEXED BY rounds_judged
     WHERE final_seq IS NULL AND judgement IS NOT NULL AND state <> 'failed' AND seen_at >= ? AND seen_at < ?
     ORDER BY seen_at LIMIT ?`,
  )
  const openHeard = db.prepare(
    `SELECT ${columns} FROM heard_rounds AS heard CROSS JOIN rounds USING (round_id)
     WHERE project_id IS NOT NULL AND heard.seen_at >= ? AND heard.seen_at < ? ORDER BY heard.seen_at LIMIT ?`,
  )
  const openOfEpoch = db.prepare(
    `SELECT round_id AS roundId FROM rounds
     WHERE project_id = ? AND epoch = ? AND final_seq IS NULL AND judgement IS NOT NULL AND state <> 'failed'
     ORDER BY round_id`,
  )
  const isOpen = db.prepare(
    "SELECT 1 FROM rounds WHERE round_id = ? AND final_seq IS NULL AND state <> 'failed'",
  )
  const fail = db.prepare("UPDATE rounds SET state = 'failed' WHERE round_id = ? AND final_seq IS NULL")
  const insert = db.prepare(
    `INSERT INTO rounds (round_id, project_id, epoch, state, seen_at) VALUES (?, ?, ?, 'pending', ?)
     ON CONFLICT DO NOTHING`,
  )
  const insertHeard = db.prepare('INSERT INTO heard_rounds VALUES (?, ?, ?)')
  const isKnown = db.prepare('SELECT 1 FROM rounds WHERE round_id = ?')
  const heardOf = db.prepare('SELECT rounds FROM heard_totals WHERE public_key = ?')
  const oldHeard = db.prepare(
    'SELECT round_id AS roundId FROM heard_rounds WHERE seen_at < ? ORDER BY seen_at LIMIT ?',
  )
  const dropHeard = db.prepare('DELETE FROM heard_rounds WHERE round_id = ?')
  const drop = db.prepare('DELETE FROM rounds WHERE round_id = ?')
  const judge = db.prepare(
    `UPDATE rounds SET project_id = ?, epoch = ?, task = ?, judgement = ?, state = CASE WHEN final_seq IS NULL THEN ? ELSE state END
     WHERE round_id = ? AND judgement IS NULL`,
  )
  const finalize = db.prepare(
    `UPDATE rounds SET project_id = ?, epoch = ?, final = ?, finality_hash = ?, final_seq = ${nextSeq}, state = 'finalized'
     WHERE round_id = ? AND final_seq IS NULL`,
  )
  const close = db.prepare(
    `UPDATE rounds SET final_seq = ${nextSeq}, state = 'finalized' WHERE round_id = ? AND final_seq IS NULL`,
  )
  const finalBytes = db.prepare(
    `SELECT count(*) AS rounds, coalesce(sum(length(final)), 0) AS bytes
     FROM (SELECT final FROM rounds WHERE project_id = ? AND epoch = ? AND final IS NOT NULL LIMIT ${countedMax})`,
  )
  // Only rounds of votes that came to nothing are removed, so the last numbers are how many there were.
  const count = db.prepare(
    `SELECT (SELECT coalesce(max(id), 0) FROM rounds) AS known, (SELECT coalesce(max(final_seq), 0) FROM rounds) AS final`,
  )
  type Place = Pick<RoundRecord, 'roundId' | 'projectId' | 'epoch'>
  /** An existing record stays. */
  const see = ({ roundId, projectId, epoch }: Place, now: number) =>
    void insert.run(roundId, projectId, epoch, now)
  return {
    find: (roundId: string): RoundRecord | null => {
      const row = one.get(roundId) as Row | undefined
      return row === undefined ? null : recordOf(row)
    },
    see,
    /**
     * Creates the record of a round that only another's vote tells of, which may be wrong about project and epoch. An existing record stays.
     *
     * @returns False for a new round of a key that told first of `heardMax` rounds about which nothing else is known.
     */
    hear: (place: Place, from: string, now: number): boolean => {
      if (isKnown.get(place.roundId) !== undefined) return true
      if (Number(heardOf.get(from)?.rounds ?? 0) >= heardMax) return false
      see(place, now)
      insertHeard.run(place.roundId, from, now)
      return true
    },
    /** Removes some of the rounds that only votes told of, before a time. @returns Their ids. */
    dropHeard: (before: number, limit: number): readonly string[] => {
      const ids = (oldHeard.all(before, limit) as { roundId: string }[]).map(({ roundId }) => roundId)
      for (const id of ids) {
        drop.run(id)
        dropHeard.run(id)
      }
      return ids
    },
    /** Adds this node's judgement; a round keeps its first judgement, and a final round keeps its state. */
    judge: ({ roundId, task, judgement }: JudgedRound, state: RoundState, now: number): void => {
      const { project_id: projectId, epoch } = task
      see({ roundId, projectId, epoch }, now)
      judge.run(projectId, epoch, JSON.stringify(task), JSON.stringify(judgement), state, roundId)
    },
    /** Adds the record that a quorum signed. @returns False when the round was final before. */
    finalize: (record: FinalityRecord, finalityHash: string, now: number): boolean => {
      const { round_id: roundId, project_id: projectId, epoch } = record
      see({ roundId, projectId, epoch }, now)
      const { changes } = finalize.run(projectId, epoch, JSON.stringify(record), finalityHash, roundId)
      return Number(changes) === 1
    },
    /** Marks a direct round as decided. */
    close: (roundId: string, now: number): boolean => {
      see({ roundId, projectId: null, epoch: null }, now)
      return Number(close.run(roundId).changes) === 1
    },
    /** Rounds of a project and epoch that this node judged and that may still become final, by id. Others, one vote may have made up. */
    openOfEpoch: (projectId: string, epoch: number): readonly string[] =>
      (openOfEpoch.all(projectId, epoch) as { roundId: string }[]).map(({ roundId }) => roundId),
    isOpen: (roundId: string): boolean => isOpen.get(roundId) !== undefined,
    /** Notes that a round ended without a result, as the hub says; a quorum of votes still makes it final. */
    fail: (roundId: string) => void fail.run(roundId),
    finalPage: ({ projectId, epoch, after, limit }: FinalRoundQuery): readonly RoundRecord[] =>
      recordsOf(
        projectId === null || epoch === null
          ? finalOfAll.all(after, limit)
          : finalOfEpoch.all(projectId, epoch, after, limit),
      ),
    /** The bytes of the final records of an epoch, without a scan: infinite for many. */
    finalBytes: ({ projectId, epoch }: { readonly projectId: string; readonly epoch: number }): number => {
      const row = finalBytes.get(projectId, epoch) as { rounds: number; bytes: number }
      return row.rounds < countedMax ? row.bytes : Number.POSITIVE_INFINITY
    },
    /**
     * Task rounds that may still become final, seen within a span of time: so many that this node judged, and so many that votes tell of, the
     * oldest first.
     */
    open: (from: number, to: number, limit: number): readonly RoundRecord[] =>
      [openJudged, openHeard].flatMap((some) => recordsOf(some.all(from, to, limit))),
    count: () => count.get() as { known: number; final: number },
  }
}

const recordsOf = (rows: unknown[]): RoundRecord[] => (rows as Row[]).map(recordOf)

const recordOf = (row: Row): RoundRecord => ({
  ...row,
  task: parsed(row.task),
  judgement: parsed(row.judgement),
  final: parsed(row.final),
})

const parsed = <T>(text: string | null): T | null => (text === null ? null : (JSON.parse(text) as T))

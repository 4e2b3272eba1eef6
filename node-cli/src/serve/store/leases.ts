import type { DatabaseSync } from 'node:sqlite'

/**
 * How far a node is with an offer that it took.
 *
 * | state       | meaning                                                    |
 * | ----------- | ---------------------------------------------------------- |
 * | `leased`    | it was accepted, and runs or waits to                      |
 * | `voted`     | the vote is stored here, and the hub has not confirmed it  |
 * | `counted`   | the hub has stored the vote                                |
 * | `refused`   | the hub refused the vote                                   |
 * | `cancelled` | the hub took the offer back                                |
 * | `missed`    | there was no vote in time                                  |
 */
export type LeaseState = 'leased' | 'voted' | 'counted' | 'refused' | 'cancelled' | 'missed'

/** A state in which a lease stays. */
export type EndedLease = Exclude<LeaseState, 'leased' | 'voted'>

export interface Lease {
  readonly offer_id: string
  readonly round_id: string
  readonly project_id: string
  readonly function: string
  readonly position: number
  readonly role: 'primary' | 'backup'
  /** Network time, Unix seconds. */
  readonly vote_by: number
  readonly state: LeaseState
  /** Why it ended without a vote that counts. */
  readonly reason: string | null
  /** Time of the last change, Unix seconds. */
  readonly changed_at: number
}

export interface LeaseResult {
  readonly output_b64: string
  readonly events: readonly unknown[]
  /** Why the run failed. */
  readonly error?: string
}

const keptMax = 1000

const columns = 'offer_id, round_id, project_id, function, position, role, vote_by, state, reason, changed_at'

/** The offers that a miner took: those that are open, and the last ones that were. */
export function leaseStore(db: DatabaseSync) {
  const insert = db.prepare(
    `INSERT INTO leases (offer_id, round_id, project_id, function, position, role, vote_by, state, changed_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, 'leased', ?)
     ON CONFLICT (offer_id) DO UPDATE SET
       state = 'leased', reason = NULL, result = NULL, vote_by = excluded.vote_by, changed_at = excluded.changed_at
     WHERE state <> 'voted'`,
  )
  const wasTaken = db.prepare('SELECT 1 FROM leases WHERE offer_id = ?')
  // A vote is sent with the result that the row has.
  const prune = db.prepare(
    "DELETE FROM leases WHERE id <= (SELECT max(id) FROM leases) - ? AND state NOT IN ('leased', 'voted')",
  )
  const vote = db.prepare(
    "UPDATE leases SET state = 'voted', result = ?, changed_at = ? WHERE offer_id = ? AND state = 'leased'",
  )
  const end = db.prepare(
    `UPDATE leases SET state = ?, reason = ?, result = NULL, changed_at = ?
     WHERE offer_id = ? AND state IN ('leased', 'voted')`,
  )
  const endStale = db.prepare(
    `UPDATE leases SET state = 'missed', result = NULL, changed_at = ?,
       reason = CASE state WHEN 'voted' THEN 'the hub did not say in time that it has the vote'
         ELSE 'the node was stopped' END
     WHERE state = 'leased' OR (state = 'voted' AND vote_by < ?)`,
  )
  const open = db.prepare(`SELECT ${columns} FROM leases WHERE state IN ('leased', 'voted') ORDER BY id`)
  const result = db.prepare('SELECT result FROM leases WHERE offer_id = ?')
  const newest = db.prepare(`SELECT ${columns} FROM leases ORDER BY id DESC LIMIT ?`)
  return {
    /** Keeps an offer that is accepted, also one that was taken before. */
    take: (lease: Omit<Lease, 'state' | 'reason'>): void => {
      const { offer_id, round_id, project_id, position, role, vote_by, changed_at } = lease
      insert.run(offer_id, round_id, project_id, lease.function, position, role, vote_by, changed_at)
      prune.run(keptMax)
    },
    /** Whether an offer is among the last that were accepted, whatever became of it. */
    wasTaken: (offerId: string): boolean => wasTaken.get(offerId) !== undefined,
    /** Within the transaction that stores the vote. */
    vote: (offerId: string, result: LeaseResult, at: number) =>
      void vote.run(JSON.stringify(result), at, offerId),
    /** Ends a lease that is open; one that has ended stays as it is. */
    end: (offerId: string, state: EndedLease, reason: string | null, at: number) =>
      void end.run(state, reason, at, offerId),
    /** Ends the leases that another process was at, and whose vote the hub cannot take any more. */
    endStale: (now: number) => void endStale.run(now, now),
    /** Leases that run, and leases whose vote the hub has not confirmed. */
    open: () => open.all() as unknown as Lease[],
    resultOf: (offerId: string): LeaseResult | null => {
      const row = result.get(offerId) as { result: string | null } | undefined
      return row?.result == null ? null : (JSON.parse(row.result) as LeaseResult)
    },
    newest: (limit: number) => newest.all(limit) as unknown as Lease[],
  }
}

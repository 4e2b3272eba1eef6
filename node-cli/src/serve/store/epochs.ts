import type { DatabaseSync } from 'node:sqlite'
import type { EpochReceipt } from '../../../../protocol/earnings/index.ts'

export interface ProjectEpoch {
  readonly projectId: string
  readonly epoch: number
}

/** An epoch that is not settled as far as this node knows. */
export interface OpenEpoch extends ProjectEpoch {
  /** Whether a quorum attested its receipt, which the hub still has to take. */
  readonly isAttested: boolean
}

export type EpochStore = Readonly<ReturnType<typeof epochStore>>

/** Epochs whose receipts this node helps to settle. */
export function epochStore(db: DatabaseSync) {
  const collect = db.prepare(
    `INSERT INTO epochs (project_id, epoch, state)
     SELECT DISTINCT project_id, epoch, 'open' FROM rounds
     WHERE final_seq > ? AND final IS NOT NULL AND project_id IS NOT NULL
     ON CONFLICT DO UPDATE SET state = 'open' WHERE state = 'empty'`,
  )
  const lastSeq = db.prepare('SELECT coalesce(max(final_seq), 0) AS last FROM rounds')
  const add = db.prepare(
    "INSERT INTO epochs (project_id, epoch, state) VALUES (?, ?, 'open') ON CONFLICT DO NOTHING",
  )
  const due = db.prepare(
    `SELECT project_id AS projectId, epoch, receipt IS NOT NULL AS isAttested FROM epochs
     WHERE state = 'open' AND coalesce(due_at, 0) <= ? ORDER BY epoch, project_id`,
  )
  const postpone = db.prepare('UPDATE epochs SET due_at = ? WHERE project_id = ? AND epoch = ?')
  const receipt = db.prepare('SELECT receipt FROM epochs WHERE project_id = ? AND epoch = ?')
  const keepReceipt = db.prepare('UPDATE epochs SET receipt = ? WHERE project_id = ? AND epoch = ?')
  const close = db.prepare('UPDATE epochs SET state = ?, receipt = NULL WHERE project_id = ? AND epoch = ?')
  // Of a settled epoch, due_at is the time at which this node knew it.
  const settled = db.prepare(
    "SELECT epoch FROM epochs WHERE project_id = ? AND state = 'settled' AND due_at >= ? ORDER BY epoch",
  )
  const reopen = db.prepare(
    "UPDATE epochs SET state = 'open', due_at = NULL WHERE project_id = ? AND epoch = ? AND state = 'settled'",
  )
  const count = db.prepare(
    "SELECT count(*) FILTER (WHERE state = 'open') AS open, count(*) FILTER (WHERE state = 'settled') AS settled FROM epochs",
  )
  let collected = 0
  return {
    /** Adds the epochs of rounds that became final here since the last call. */
    collect: (): void => {
      const { last } = lastSeq.get() as { last: number }
      if (last === collected) return
      collect.run(collected)
      collected = last
    },
    /** Adds an epoch that others have rounds of. */
    add: ({ projectId, epoch }: ProjectEpoch) => void add.run(projectId, epoch),
    /** Open epochs whose first attempt is not known to begin later, the oldest first. */
    due: (now: number): OpenEpoch[] =>
      (due.all(now) as unknown as OpenEpoch[]).map((row) => ({
        ...row,
        isAttested: Boolean(row.isAttested),
      })),
    /** Says when the first attempt begins. */
    postpone: ({ projectId, epoch }: ProjectEpoch, dueAt: number) =>
      void postpone.run(dueAt, projectId, epoch),
    /** The receipt that is kept, with its attestations. */
    receipt: ({ projectId, epoch }: ProjectEpoch): EpochReceipt | null => {
      const { receipt: text } = receipt.get(projectId, epoch) as { receipt: string | null }
      return text === null ? null : (JSON.parse(text) as EpochReceipt)
    },
    /** Keeps an attested receipt until the hub has it; null drops one that it refuses. */
    keepReceipt: ({ projectId, epoch }: ProjectEpoch, receipt: EpochReceipt | null) =>
      void keepReceipt.run(receipt && JSON.stringify(receipt), projectId, epoch),
    /** An epoch that is empty is opened again by the first final round. */
    close: ({ projectId, epoch }: ProjectEpoch, state: 'settled' | 'empty', now: number): void => {
      close.run(state, projectId, epoch)
      if (state === 'settled') postpone.run(now, projectId, epoch)
    },
    /** Epochs of a project that this node has known to be settled since a time, ascending. */
    settledSince: (projectId: string, since: number): readonly number[] =>
      (settled.all(projectId, since) as { epoch: number }[]).map(({ epoch }) => epoch),
    /** Opens a settled epoch again, whose receipt the hub does not have. */
    reopen: ({ projectId, epoch }: ProjectEpoch) => void reopen.run(projectId, epoch),
    count: () => count.get() as { open: number; settled: number },
  }
}

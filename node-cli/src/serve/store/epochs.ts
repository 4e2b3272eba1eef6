import type { DatabaseSync } from 'node:sqlite'
import type { EpochReceipt } from '../../../../protocol/earnings/index.ts'

/** An epoch of a project. */
export interface ProjectEpoch {
  readonly projectId: string
  readonly epoch: number
}

/** An epoch that is not settled as far as this node knows. */
export interface OpenEpoch extends ProjectEpoch {
  /** Whether a quorum attested its receipt, which the hub still has to take. */
  readonly isAttested: boolean
}

/** Epochs whose receipts this node helps to settle. */
export interface EpochStore {
  /** Adds the epochs of rounds that became final here since the last call. */
  readonly collect: () => void
  /** Adds an epoch that others have rounds of. */
  readonly add: (epoch: ProjectEpoch) => void
  /** What is open and not known to begin later, the oldest first. */
  readonly due: (now: number) => readonly OpenEpoch[]
  /** Says when the first attempt begins. */
  readonly postpone: (epoch: ProjectEpoch, dueAt: number) => void
  /** The receipt that is kept, with its attestations. */
  readonly receipt: (epoch: ProjectEpoch) => EpochReceipt | null
  /** Keeps an attested receipt until the hub has it; null drops one that it refuses. */
  readonly keepReceipt: (epoch: ProjectEpoch, receipt: EpochReceipt | null) => void
  /** An epoch that is empty is opened again by the first final round. */
  readonly close: (epoch: ProjectEpoch, state: 'settled' | 'empty') => void
  readonly count: () => { readonly open: number; readonly settled: number }
}

export function epochStore(db: DatabaseSync): EpochStore {
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
  const count = db.prepare(
    "SELECT count(*) FILTER (WHERE state = 'open') AS open, count(*) FILTER (WHERE state = 'settled') AS settled FROM epochs",
  )
  let collected = 0
  return {
    collect: () => {
      const { last } = lastSeq.get() as { last: number }
      if (last === collected) return
      collect.run(collected)
      collected = last
    },
    add: ({ projectId, epoch }) => void add.run(projectId, epoch),
    due: (now) =>
      (due.all(now) as unknown as OpenEpoch[]).map((row) => ({
        ...row,
        isAttested: Boolean(row.isAttested),
      })),
    postpone: ({ projectId, epoch }, dueAt) => void postpone.run(dueAt, projectId, epoch),
    receipt: ({ projectId, epoch }) => {
      const { receipt: text } = receipt.get(projectId, epoch) as { receipt: string | null }
      return text === null ? null : (JSON.parse(text) as EpochReceipt)
    },
    keepReceipt: ({ projectId, epoch }, receipt) =>
      void keepReceipt.run(receipt && JSON.stringify(receipt), projectId, epoch),
    close: ({ projectId, epoch }, state) => void close.run(state, projectId, epoch),
    count: () => count.get() as { open: number; settled: number },
  }
}

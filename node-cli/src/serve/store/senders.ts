import type { DatabaseSync } from 'node:sqlite'
import { inTransaction } from '../../data-dir/database.ts'

export type SenderRole = 'validator' | 'coordinator'

/** A node whose signed requests are taken. */
export interface Sender {
  readonly publicKey: string
  readonly role: SenderRole
  /** The URL of a validator; null if it is not known, and for the coordinator. */
  readonly url: string | null
}

export type SenderStore = Readonly<ReturnType<typeof senderStore>>

/** Validators of generations that still count, and the coordinator. */
export function senderStore(db: DatabaseSync) {
  const read = () =>
    db
      .prepare('SELECT public_key AS publicKey, role, url FROM senders ORDER BY public_key')
      .all() as unknown as Sender[]
  let known = new Map(read().map((sender) => [sender.publicKey, sender]))
  return {
    roleOf: (publicKey: string): SenderRole | null => known.get(publicKey)?.role ?? null,
    all: (): readonly Sender[] => [...known.values()],
    /** Puts another set in the place of the one there is. */
    replace: (senders: readonly Sender[]): void => {
      inTransaction(db, () => {
        db.exec('DELETE FROM senders')
        const insert = db.prepare('INSERT INTO senders VALUES (?, ?, ?)')
        for (const { publicKey, role, url } of senders) insert.run(publicKey, role, url)
      })
      known = new Map(senders.map((sender) => [sender.publicKey, sender]))
    },
  }
}

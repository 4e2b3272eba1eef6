import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { databaseFile } from '../scripts/wrangler-hub.ts'

/** Has the hub of a local network keep a message as failed. @param folder of the network. */
export const keepLetter = (folder: string, id: string): void =>
  change(
    folder,
    "INSERT INTO dead_letters (message_id, queue, body, attempts, died_at) VALUES (?, 'action-dead-letters', ?, 11, 1)",
    id,
    JSON.stringify({ v: 1, id: `0x${id.repeat(2)}` }),
  )

/** Has the hub of a local network keep a node as one that waits for its operator. @param folder of the network. */
export const keepPending = (folder: string, nodeId: string): void =>
  change(folder, "UPDATE nodes SET status = 'pending' WHERE node_id = ?", nodeId)

/** Changes the database of a network as no request can. */
function change(folder: string, sql: string, ...values: string[]): void {
  const file = databaseFile(path.join(folder, 'storage'))!
  // The hub writes as well.
  const database = new DatabaseSync(file, { timeout: 10_000 })
  try {
    database.prepare(sql).run(...values)
  } finally {
    database.close()
  }
}

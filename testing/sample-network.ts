import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pickPort } from '../localnet/port.ts'
import { databaseFile } from '../scripts/wrangler-hub.ts'
import { freePorts, NpmStart, type Ports, type Started } from './npm-start.ts'

/** A local network with its sample project and its nodes, and what only its operator reaches. */
export interface SampleNetwork {
  readonly origin: string
  readonly rpcUrl: string
  /** The folder of its data. */
  readonly folder: string
  readonly ports: Ports
  readonly nodePort: number
  readonly started: Started
  /** Has the hub keep a message as failed. */
  keepLetter(id: string): void
  /** Has the hub keep a node as one that waits for its operator. */
  keepPending(nodeId: string): void
  stop(): Promise<void>
}

/** Starts a network as `npm start` does, and returns once it is ready. */
export async function startSampleNetwork(npmStart = new NpmStart()): Promise<SampleNetwork> {
  const [ports, nodePort] = [await freePorts(), await pickPort(7)]
  const args = ports.args.filter((arg) => !arg.startsWith('--no-'))
  const own = ['--node-port', String(nodePort), '--block-time', '2']
  const started = await npmStart.start([...args, ...own], { through: 'npm' })
  return {
    origin: `http://localhost:${ports.hub}`,
    rpcUrl: `http://127.0.0.1:${ports.chain}`,
    folder: npmStart.folder,
    ...{ ports, nodePort, started },
    keepLetter: (id) => keepLetter(npmStart.folder, id),
    keepPending: (nodeId) =>
      change(npmStart.folder, "UPDATE nodes SET status = 'pending' WHERE node_id = ?", nodeId),
    stop: () => npmStart.clear(),
  }
}

/** Has the hub of a network keep a message as failed. @param folder of the network. */
export const keepLetter = (folder: string, id: string): void =>
  change(
    folder,
    "INSERT INTO dead_letters (message_id, queue, body, attempts, died_at) VALUES (?, 'action-dead-letters', ?, 11, 1)",
    id,
    JSON.stringify({ v: 1, id: `0x${id.repeat(2)}` }),
  )

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

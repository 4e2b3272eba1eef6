import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { attestSnapshot, hashSnapshot, type Snapshot } from '../../../protocol/committees/index.ts'
import { deriveNodeId, type Profile } from '../../../protocol/identity/index.ts'
import { ed25519PublicKey } from '../../../protocol/signatures/index.ts'
import type { AttesterMode } from './plan.ts'

export interface NodeKey {
  seed: string
  publicKey: string
  nodeId: string
}

export interface Validator extends NodeKey {
  url: string
}

export interface Validators {
  nodes: Validator[]
  /** Decides what a validator does about the sets of a project. */
  behave: (projectId: string, modes: readonly AttesterMode[]) => void
  stop: () => Promise<void>
}

export function createNodeKey(profile: Profile): NodeKey {
  const seed = `0x${randomBytes(32).toString('hex')}`
  const publicKey = ed25519PublicKey(seed)
  return { seed, publicKey, nodeId: deriveNodeId(profile, publicKey) }
}

/** Validators that hubs can call: they attest what they are asked for, or do what dishonest or broken ones do. */
export async function startValidators(profile: Profile, count: number): Promise<Validators> {
  const modes = new Map<string, readonly AttesterMode[]>()
  const asked = new Set<string>()

  const attestationOf = (index: number, snapshot: Snapshot): unknown => {
    const { seed } = nodes[index] as Validator
    const setHash = hashSnapshot(snapshot)
    const mode = modes.get(snapshot.project_id)?.[index] ?? 'attests'
    const isFirst = !asked.has(`${index}:${setHash}`)
    asked.add(`${index}:${setHash}`)
    if (mode === 'vanishes' || mode === 'by_itself' || (mode === 'second_time' && isFirst)) return null
    const other = hashSnapshot({ ...snapshot, epoch: snapshot.epoch + 1 })
    return attestSnapshot(profile, seed, mode === 'lies' ? other : setHash)
  }

  const server = createServer(async (request, response) => {
    try {
      const index = Number(request.url?.split('/')[1])
      const answer = attestationOf(index, JSON.parse(await readBody(request)) as Snapshot)
      if (answer === null) return void request.socket.destroy()
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer))
    } catch {
      // The hub was killed while it asked.
      request.socket.destroy()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const nodes = Array.from({ length: count }, (_, index) => ({
    ...createNodeKey(profile),
    url: `http://127.0.0.1:${port}/${index}`,
  }))
  return {
    nodes,
    behave: (projectId, chosen) => void modes.set(projectId, chosen),
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of request) chunks.push(chunk as Uint8Array)
  return Buffer.concat(chunks).toString('utf8')
}

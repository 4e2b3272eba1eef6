import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { deriveNodeId, type Profile } from '../../protocol/identity/index.ts'
import { ed25519PublicKey } from '../../protocol/signatures/index.ts'

export interface NodeKey {
  seed: string
  publicKey: string
  nodeId: string
}

/** A validator with a key, which the hub reaches by HTTP. */
export interface Validator extends NodeKey {
  url: string
}

/** A call of the hub to one of the validators. */
export interface ValidatorCall {
  /** The number of the validator. */
  readonly index: number
  /** Below the URL of the validator. */
  readonly path: string
  readonly body: string
  readonly request: IncomingMessage
}

export interface ValidatorServer {
  readonly nodes: Validator[]
  readonly stop: () => Promise<void>
}

export function createNodeKey(profile: Profile): NodeKey {
  const seed = `0x${randomBytes(32).toString('hex')}`
  const publicKey = ed25519PublicKey(seed)
  return { seed, publicKey, nodeId: deriveNodeId(profile, publicKey) }
}

/**
 * Validators in one process that a hub can call.
 *
 * @param answer - The body of the answer; null breaks the connection, and an error is answered with 422.
 */
export async function startValidatorServer(
  profile: Profile,
  count: number,
  answer: (call: ValidatorCall) => Promise<unknown>,
): Promise<ValidatorServer> {
  const server = createServer(async (request, response) => {
    const send = (status: number, body: unknown) =>
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
    try {
      const [, index, path = ''] = /^\/(\d+)(\/[^?]*)/.exec(request.url ?? '') ?? []
      const body = await answer({ index: Number(index), path, body: await readBody(request), request })
      if (body === null) request.socket.destroy()
      else send(200, body)
    } catch (error) {
      send(422, { error: String(error) })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    nodes: Array.from({ length: count }, (_, index) => ({
      ...createNodeKey(profile),
      url: `http://127.0.0.1:${port}/${index}`,
    })),
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

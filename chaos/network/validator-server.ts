import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { deriveNodeId, type Profile } from '../../protocol/identity/index.ts'
import { ed25519PublicKey } from '../../protocol/signatures/index.ts'
import { sendJson, startLocalServer } from '../../testing/local-server.ts'

export interface NodeKey {
  seed: string
  publicKey: string
  nodeId: string
}

/** A validator with a key, which the hub reaches by HTTP. */
export interface Validator extends NodeKey {
  url: string
}

export interface ValidatorCall {
  readonly index: number
  /** Below the URL of the validator. */
  readonly path: string
  readonly body: string
  readonly request: IncomingMessage
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
) {
  const server = await startLocalServer(async (request, response) => {
    try {
      const [, index, path = ''] = /^\/(\d+)(\/[^?]*)/.exec(request.url ?? '') ?? []
      const body = await answer({ index: Number(index), path, body: await text(request), request })
      if (body === null) request.socket.destroy()
      else sendJson(response, body)
    } catch (error) {
      sendJson(response, { error: String(error) }, 422)
    }
  })
  return {
    nodes: Array.from(
      { length: count },
      (_, index): Validator => ({
        ...createNodeKey(profile),
        url: `${server.url}/${index}`,
      }),
    ),
    stop: server.stop,
  }
}

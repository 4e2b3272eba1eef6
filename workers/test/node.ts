import { env } from 'cloudflare:workers'
import { bytesToHex } from '../../protocol/encoding/index.ts'
import { deriveNodeId, resolveProfile, signRequest } from '../../protocol/identity/index.ts'
import { ed25519PublicKey } from '../../protocol/signatures/index.ts'
import { client } from './client.ts'
import { networkNow } from './network-time.ts'

export const freshNonce = (): string => bytesToHex(crypto.getRandomValues(new Uint8Array(16))).slice(2)

export interface TestNode {
  seed: string
  publicKey: string
  nodeId: string
  /** A request signed with the node's key. */
  call: (method: string, path: string, json?: unknown) => Promise<Response>
}

const freshSeed = (): string => bytesToHex(crypto.getRandomValues(new Uint8Array(32)))

/** A node of its own, or the one of a seed, of the network of the hub it talks to. */
export function createNode(hub: Parameters<typeof client>[0] = {}, seed = freshSeed()): TestNode {
  const profile = resolveProfile(JSON.parse(hub.bindings?.PROFILE ?? '{}'))
  const publicKey = ed25519PublicKey(seed)
  const caller = client(hub)
  return {
    seed,
    publicKey,
    nodeId: deriveNodeId(profile, publicKey),
    call: async (method, path, json) => {
      const body = json === undefined ? '' : JSON.stringify(json)
      const { headers } = signRequest(profile, seed, {
        method,
        target: path,
        body,
        timestamp: await networkNow(),
        nonce: freshNonce(),
      })
      return caller.fetch(path, { method, headers, ...(json !== undefined && { json }) })
    },
  }
}

/** Makes a key one that the hub knows: an approved miner's. */
export const insertNode = ({ nodeId, publicKey }: Pick<TestNode, 'nodeId' | 'publicKey'>) =>
  env.DB.prepare(
    "INSERT INTO nodes (node_id, public_key, role, status, url, registered_at) VALUES (?, ?, 'miner', 'approved', 'https://node.example', 1)",
  )
    .bind(nodeId, publicKey)
    .run()

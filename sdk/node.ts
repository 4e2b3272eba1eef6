/** Calls of a hub that a node signs with its key (section 10 of the protocol). */
import { signRequest } from '../protocol/identity/index.ts'
import type { SigningKey } from '../protocol/signatures/index.ts'
import { Client, type ClientOptions, type Credential, freshId } from './client.ts'
import { unlessAborted } from './deadline.ts'
import { type Hub, hubOf } from './hub.ts'
import { type Network, readNetwork } from './network.ts'

export interface NodeHubOptions extends ClientOptions {
  /** The seed of the node, `0x` and 64 hex digits; or what signs with it. */
  readonly key: SigningKey
}

/** A hub whose calls carry the signature of a node. */
export function hubWithNodeKey({ key, ...options }: NodeHubOptions): Hub {
  const anyone = new Client(options)
  return hubOf(anyone.as(nodeCredential(anyone, key)), anyone)
}

/** Signs each try afresh. @param anyone calls without a credential. */
export function nodeCredential(anyone: Client, key: SigningKey): Credential {
  let facts: Promise<{ profile: Network['profile']; aheadSecs: number }> | null = null
  const readFacts = async () => {
    const [{ profile }, { time }] = await Promise.all([readNetwork(anyone), anyone.call('GET /v1/status')])
    // The hub's time may differ from this machine's, as on a local network.
    return { profile, aheadSecs: time - unixNow() }
  }
  return {
    headers: async ({ method, path, body = '' }, signal) => {
      facts ??= readFacts().catch((error) => {
        facts = null
        throw error
      })
      const { profile, aheadSecs } = await unlessAborted(signal, facts)
      const timestamp = unixNow() + aheadSecs
      const nonce = freshId().replaceAll('-', '')
      return signRequest(profile, key, { method, target: path, body, timestamp, nonce }).headers
    },
    renew: async () => {
      facts = null
    },
  }
}

const unixNow = (): number => Math.floor(Date.now() / 1000)

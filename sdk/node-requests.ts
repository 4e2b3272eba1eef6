import { randomBytes } from 'node:crypto'
import { signRequest } from '../protocol/identity/index.ts'
import type { Network } from './network.ts'

/** A call that a node makes itself: the headers carry the signature of its key. One without a body has undefined. */
export const signedByNode =
  ({ profile, now }: Pick<Network, 'profile' | 'now'>, seed: string) =>
  async <Body>(method: string, target: string, body: Body) => {
    const { headers } = signRequest(profile, seed, {
      method,
      target,
      body: body === undefined ? '' : JSON.stringify(body),
      timestamp: await now(),
      nonce: randomBytes(16).toString('hex'),
    })
    return { headers, body }
  }

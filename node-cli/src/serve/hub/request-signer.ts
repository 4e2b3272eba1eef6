import { randomBytes } from 'node:crypto'
import { type Profile, signRequest } from '../../../../protocol/identity/index.ts'
import type { Ed25519Signer } from '../../../../protocol/signatures/index.ts'
import type { Clock } from '../clock.ts'

/** Signs a request; gives the headers to send with it. */
export type RequestSigner = (request: {
  readonly method: string
  readonly target: string
  readonly body: string
}) => Record<string, string>

/** Signs requests with the key of a node, each with a nonce of its own. @param clock Network time. */
export const requestSigner =
  (profile: Profile, node: Ed25519Signer, clock: Clock): RequestSigner =>
  (request) => {
    const nonce = randomBytes(16).toString('hex')
    return signRequest(profile, node, { ...request, timestamp: clock.now(), nonce }).headers
  }

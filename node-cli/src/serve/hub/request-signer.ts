import { randomBytes } from 'node:crypto'
import {
  deriveNodeId,
  type Profile,
  profileStrings,
  requestText,
} from '../../../../protocol/identity/index.ts'
import type { NodeSigner } from '../../node-signer.ts'
import type { Clock } from '../clock.ts'

/** Signs a request; gives the headers to send with it. */
export type RequestSigner = (request: {
  readonly method: string
  readonly target: string
  readonly body: string
}) => Record<string, string>

/** Signs requests with the key of a node, each with a nonce of its own. @param clock Network time. */
export function requestSigner(profile: Profile, node: NodeSigner, clock: Clock): RequestSigner {
  const names = profileStrings(profile)
  return (request) => {
    const timestamp = clock.now()
    const nonce = randomBytes(16).toString('hex')
    return {
      [names.node_header]: deriveNodeId(profile, node.publicKey),
      [names.public_key_header]: node.publicKey,
      [names.timestamp_header]: String(timestamp),
      [names.nonce_header]: nonce,
      [names.signature_header]: node.sign(requestText(profile, { ...request, timestamp, nonce })),
    }
  }
}

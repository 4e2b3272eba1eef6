import type { IncomingHttpHeaders } from 'node:http'
import {
  deriveNodeId,
  type Profile,
  profileStrings,
  readRequestSignature,
  verifyRequestSignature,
} from '../../protocol/identity/index.ts'
import type { Findings } from '../findings.ts'
import { params, unixNow } from './network.ts'

/** A request that a node has to sign, as it came. */
export interface SignedCall {
  readonly method: string
  readonly target: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Judges every signed request of a node. @param nodeKey - The public key that it was given. */
export function requestJudge(profile: Profile, nodeKey: string) {
  const nonces = new Set<string>()
  const nodeId = deriveNodeId(profile, nodeKey)
  const names = profileStrings(profile)
  return (findings: Findings, { method, target, headers, body }: SignedCall): void => {
    const header = (name: string) => headers[name.toLowerCase()] as string | undefined
    const what = `${method} ${target}`
    const now = unixNow()
    const signature = readRequestSignature(profile, header, now, Number.POSITIVE_INFINITY)
    const isOwn = signature?.public_key === nodeKey && signature.node_id === nodeId
    findings.require(
      'N1.1',
      isOwn,
      `${what}: expected ${names.node_header} ${nodeId} and the other four headers`,
    )
    if (signature === null) return
    const { timestamp, nonce, public_key } = signature
    const skew = Math.abs(now - timestamp)
    findings.require(
      'N1.2',
      skew <= params.max_skew,
      `${what}: the timestamp differs from network time by ${skew} s`,
    )
    findings.require('N1.3', !nonces.has(nonce), `${what}: the nonce ${nonce} was already used`)
    nonces.add(nonce)
    // Whether the id is that of the key is a clause of its own.
    const signed = { ...signature, node_id: deriveNodeId(profile, public_key) }
    const holds = verifyRequestSignature(profile, { method, target, body }, signed)
    findings.require('N1.4', holds, `${what}: the signature does not verify`)
  }
}

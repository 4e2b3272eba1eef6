import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isLoopbackHost } from '../../../../protocol/encoding/index.ts'
import {
  type HeaderReader,
  type Profile,
  profileStrings,
  type RequestSignature,
  readRequestSignature,
} from '../../../../protocol/identity/index.ts'
import { verifyNodeSignature } from '../../node-verifier.ts'
import type { Clock } from '../clock.ts'
import type { NonceStore } from '../store/nonces.ts'
import type { SenderRole, SenderStore } from '../store/senders.ts'
import { ApiError } from './api-error.ts'
import type { Access, Caller } from './route.ts'

/** The caller that a request claims to have. The claim of a node is proved once the body is read. */
export type Claim =
  | Extract<Caller, { kind: 'anyone' | 'operator' }>
  | { readonly kind: 'node'; readonly signature: RequestSignature; readonly role: SenderRole }

export interface CredentialRules {
  readonly profile: Profile
  readonly clock: Clock
  /** Parameter `max_skew` of the network, in seconds. */
  readonly maxSkew: () => number
  readonly apiToken: string | null
  readonly senders: SenderStore
  readonly nonces: NonceStore
}

export type Credentials = ReturnType<typeof createCredentials>

/** Decides who calls. */
export function createCredentials(rules: CredentialRules) {
  const { profile, clock, maxSkew, apiToken, senders, nonces } = rules
  const isToken = apiToken === null ? () => false : bearerCheck(apiToken)
  const names = profileStrings(profile)
  const signedHeaders = [
    names.node_header,
    names.public_key_header,
    names.timestamp_header,
    names.nonce_header,
    names.signature_header,
  ]

  const readSender = (request: IncomingMessage): Claim => {
    const header: HeaderReader = (name) => onlyOne(request, name)
    const signature = readRequestSignature(profile, header, clock.now(), maxSkew())
    if (signature === null)
      throw unauthorized(
        `The request needs all five signature headers, well formed, with a time within ${maxSkew()} s of this node's.`,
      )
    const role = senders.roleOf(signature.public_key)
    if (role === null)
      throw new ApiError(
        'forbidden',
        'This key is neither a validator nor the coordinator of the network: no generation that this node knows, and that may still count, contains it.',
        { details: { reason: 'unknown_key' } },
      )
    return { kind: 'node', signature, role }
  }

  const readOperator = (request: IncomingMessage): Claim => {
    const values = request.headersDistinct.authorization
    if (values === undefined)
      return { kind: apiToken === null && isLocalProgram(request) ? 'operator' : 'anyone' }
    const [value = ''] = values
    const { token } = /^Bearer +(?<token>[\x21-\x7e]+)$/i.exec(value)?.groups ?? {}
    if (values.length > 1 || token === undefined || !isToken(token))
      throw unauthorized(
        'The token is not that of this node; send one header Authorization: Bearer <NODE_API_TOKEN>.',
      )
    return { kind: 'operator' }
  }

  return {
    /** Reads the claim of a request, before its body. @throws {@link ApiError} 401, 403. */
    readClaim: (request: IncomingMessage, access: Access): Claim => {
      const isSigned = signedHeaders.some((name) => request.headers[name.toLowerCase()] !== undefined)
      if (isSigned && request.headers.authorization !== undefined)
        throw unauthorized('Send a token or a signature, not both.')
      const claim = isSigned ? readSender(request) : readOperator(request)
      authorize(claim, access)
      return claim
    },
    /** Proves a claim with the body that came. @throws {@link ApiError} 401. */
    prove: (request: IncomingMessage, claim: Claim, body: Uint8Array): Caller => {
      if (claim.kind !== 'node') return claim
      const { public_key: publicKey, node_id: nodeId, nonce } = claim.signature
      const received = { method: request.method ?? '', target: request.url ?? '', body }
      if (!verifyNodeSignature(profile, received, claim.signature))
        throw new ApiError('bad_signature', 'The signature does not verify over this request.')
      if (!nonces.spend(publicKey, nonce, clock.now(), 2 * maxSkew()))
        throw unauthorized('The nonce was used before; sign each request with a fresh one.')
      return { kind: 'node', publicKey, nodeId, role: claim.role }
    },
  }
}

function authorize(claim: Claim, access: Access): void {
  if (access === 'open') return
  const takesToken = access.includes('bearer')
  if (claim.kind === 'operator' && takesToken) return
  if (claim.kind === 'node' && (access.includes('node') || access.includes(claim.role))) return
  if (claim.kind === 'anyone')
    throw new ApiError('unauthorized', `This call needs ${neededFor[access]}.`, {
      headers: takesToken ? { 'WWW-Authenticate': 'Bearer' } : {},
    })
  throw new ApiError('forbidden', `This call takes ${neededFor[access]}, and no other credential.`)
}

const neededFor = {
  coordinator: "the signature of the network's coordinator",
  bearer: "the node's token, as Authorization: Bearer <NODE_API_TOKEN>",
  node: 'the signature of a node of the network',
  'node or bearer': "the signature of a node of the network, or the node's token",
  'coordinator or bearer': "the signature of the network's coordinator, or the node's token",
} as const

/**
 * Whether a program of this machine calls, on a node without a token, which only listens there. A page in a browser is no
 * such program: it sends its origin, and one that had its own name lead here sends that name as the host.
 */
function isLocalProgram({ headers }: IncomingMessage): boolean {
  if (headers.origin !== undefined || headers['sec-fetch-site'] !== undefined) return false
  const url = URL.parse(`http://${headers.host}`)
  return url !== null && isLoopbackHost(url.hostname)
}

const onlyOne = ({ headersDistinct }: IncomingMessage, name: string): string | null => {
  const values = headersDistinct[name.toLowerCase()]
  return values?.length === 1 ? values[0]! : null
}

const unauthorized = (message: string): ApiError => new ApiError('unauthorized', message)

/** Compares a text with a token; how long it takes says nothing about either. */
function bearerCheck(token: string): (text: string) => boolean {
  // Hashes have one length, which the comparison needs.
  const expected = digest(token)
  return (text) => timingSafeEqual(digest(text), expected)
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

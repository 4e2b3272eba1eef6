import { sha256 } from '@noble/hashes/sha2'
import { unixNow } from '../../durable-objects/clock.ts'
import { bytesToHex } from '../../protocol/encoding/index.ts'
import {
  defaultNetworkParams,
  isSessionToken,
  type Profile,
  parseApiKey,
  profileStrings,
  type RequestSignature,
  readRequestSignature,
  verifyRequestSignature,
} from '../../protocol/identity/index.ts'
import { type Claim, type Credential, holderOf, type NodeClaim, type Principal } from '../auth/principal.ts'
import type { HubContext } from '../context.ts'
import { ApiError } from '../errors.ts'
import { jsonBytesMax, readBody } from '../http/body.ts'
import { readTicket, type Ticket } from '../link/tickets.ts'
import { verifyNatively } from '../native-ed25519.ts'
import type { RouteDeclaration } from '../route.ts'
import { type Wallet, walletOfCredential } from '../stores/caller.ts'
import type { KeyStanding } from '../stores/node-request-nonces.ts'

/** SHA-256 of a secret's text: what the hub stores in its place. */
export const hashSecret = (secret: string): string => bytesToHex(sha256(new TextEncoder().encode(secret)))

/**
 * Reads the credential that the request carries, on open routes too, and checks its form alone; null when it carries none.
 * @throws {@link ApiError} 401 for one that cannot be right.
 */
export async function readClaim(c: HubContext): Promise<Claim | null> {
  const authorization = c.req.header('authorization')
  const nodeSigned = isNodeSigned(c)
  if (authorization !== undefined && nodeSigned)
    throw new ApiError('unauthorized', 'Send either an Authorization header or a node signature, not both.')
  if (nodeSigned) return readNodeClaim(c)
  if (authorization === undefined) return null
  c.var.credential = readBearer(c, authorization)
  return c.var.credential
}

function readBearer(c: HubContext, authorization: string): Credential {
  // Two headers arrive joined by a comma, which no token contains.
  const token = /^Bearer +([^\s,]+)$/i.exec(authorization)?.[1]
  if (token === undefined)
    throw new ApiError('unauthorized', 'The Authorization header must be one "Bearer <token>".')

  const { PROFILE: profile } = c.var.settings
  if (isSessionToken(profile, token)) return { kind: 'session', tokenHash: hashSecret(token) }
  const apiKey = parseApiKey(profile, token)
  if (apiKey !== null) return { kind: 'api_key', keyId: apiKey.id, secretHash: hashSecret(apiKey.secret) }
  throw unknownCredential()
}

async function readNodeClaim(c: HubContext): Promise<NodeClaim> {
  const skew = defaultNetworkParams.max_skew
  const signature = readRequestSignature(
    c.var.settings.PROFILE,
    (name) => c.req.header(name),
    await c.var.services.clock.now(),
    skew,
  )
  if (signature === null)
    throw new ApiError(
      'unauthorized',
      `The node signature headers are incomplete or malformed, or the timestamp is more than ${skew} s off.`,
    )
  return { kind: 'node', signature }
}

/** Finds out who calls. @throws {@link ApiError} 401 for a credential that does not hold. */
export function authenticate(c: HubContext, claim: Claim, route?: RouteDeclaration): Promise<Principal> {
  switch (claim.kind) {
    case 'session':
      return authenticateSession(c, claim.tokenHash)
    case 'api_key':
      return authenticateApiKey(c, claim)
    case 'node':
      return authenticateNode(c, claim.signature, route)
  }
}

const unknownCredential = (): ApiError =>
  new ApiError('unauthorized', 'This token is unknown or revoked. Sign in again or use another key.')

async function authenticateSession(c: HubContext, tokenHash: string): Promise<Principal> {
  const session = await c.var.database.runCheck(() => c.var.services.sessions.find(tokenHash))
  if (session === null || session.revokedAt !== null) throw unknownCredential()
  if (session.expiresAt <= unixNow())
    throw new ApiError('session_expired', 'This session has expired. Sign in again.')
  return { kind: 'session', address: session.address, tokenHash, expiresAt: session.expiresAt }
}

async function authenticateApiKey(
  c: HubContext,
  { keyId, secretHash }: Extract<Credential, { kind: 'api_key' }>,
): Promise<Principal> {
  const key = await c.var.database.runCheck(() => c.var.services.apiKeys.find(keyId))
  // Compared also when the id is unknown, so that the two cases take the same steps.
  const matches = equalHashes(secretHash, key?.secretHash ?? hashSecret(''))
  const live = key !== null && key.revokedAt === null && (key.expiresAt === null || key.expiresAt > unixNow())
  if (!live || !matches) throw unknownCredential()
  const { apiKeys } = c.var.services
  const now = unixNow()
  if (!apiKeys.isUseNoted(key, now)) c.executionCtx.waitUntil(apiKeys.noteUse(keyId, now).catch(() => {}))
  const { owner: address, scopes, projectIds } = key
  return { kind: 'api_key', address, keyId, scopes, projectIds }
}

/** Looks at every character whatever the first difference is. */
const equalHashes = (a: string, b: string): boolean => {
  let difference = a.length ^ b.length
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i)
  return difference === 0
}

export const isNodeSigned = (c: HubContext): boolean =>
  signatureHeaders(c.var.settings.PROFILE).some((name) => c.req.header(name) !== undefined)

const headersOf = new WeakMap<Profile, readonly string[]>()

function signatureHeaders(profile: Profile): readonly string[] {
  const known = headersOf.get(profile)
  if (known !== undefined) return known
  const names = profileStrings(profile)
  const headers = [
    names.node_header,
    names.public_key_header,
    names.timestamp_header,
    names.nonce_header,
    names.signature_header,
  ]
  headersOf.set(profile, headers)
  return headers
}

async function authenticateNode(
  c: HubContext,
  signature: RequestSignature,
  route?: RouteDeclaration,
): Promise<Principal> {
  // A signature that this route does not accept gives no right to a larger body.
  const bytesMax = route?.auth?.node && (route.raw?.bytesMax ?? route.json?.bytesMax)
  const request = {
    method: c.req.method,
    target: c.req.url.slice(c.req.url.indexOf('/', 'https://'.length)),
    body: isBodiless(c) ? '' : await readBody(c, bytesMax || jsonBytesMax),
  }
  if (!verifyRequestSignature(c.var.settings.PROFILE, request, signature, verifyNatively))
    throw new ApiError(
      'bad_signature',
      'The node signature does not verify for this request, key and node id.',
    )

  const { node_id: nodeId, public_key: publicKey, nonce, timestamp } = signature
  const node = { kind: 'node', nodeId, publicKey, signature: { nonce, timestamp } } as const
  const ticket = route?.auth?.link ? ticketOf(c, publicKey) : null
  if (ticket !== null) return { ...node, vouched: ticket.isVouched, ticket }
  const takes = route?.auth?.node ?? 'known_key'
  const { fresh, standing } = await c.var.database.runCheck(() =>
    spendNonce(c, publicKey, nonce, route?.auth),
  )
  if (standing === 'unknown' && takes === 'known_key') throw unknownKey(nodeId)
  if (!fresh)
    throw new ApiError(
      'unauthorized',
      'This request nonce was used before. Sign each request with a fresh one.',
    )
  return { ...node, vouched: standing === 'vouched', ticket: null }
}

/** A malformed ticket is ignored. */
function ticketOf(c: HubContext, publicKey: string): Ticket | null {
  const ticket = c.req.header(profileStrings(c.var.settings.PROFILE).ticket_header)
  return ticket === undefined ? null : readTicket(c.var.services.cursors, publicKey, ticket)
}

async function spendNonce(
  c: HubContext,
  publicKey: string,
  nonce: string,
  auth: RouteDeclaration['auth'],
): Promise<{ fresh: boolean; standing: KeyStanding }> {
  const { nodeRequestNonces, clock } = c.var.services
  // Reading twice changes nothing, so a read writes no nonce; who repeats one learns what its sender was told.
  if (isBodiless(c)) return { fresh: true, standing: await nodeRequestNonces.standing(publicKey) }
  const expiresAt = (await clock.now()) + 2 * defaultNetworkParams.max_skew
  return nodeRequestNonces.spend({ publicKey, nonce, expiresAt }, auth?.node ?? 'known_key')
}

const unknownKey = (nodeId: string): ApiError =>
  new ApiError(
    'unauthorized',
    `The key of ${nodeId} is neither registered nor bound. POST /v1/nodes/register registers it.`,
    { details: { reason: 'unknown_key' } },
  )

/** Whether the request reads: it has no body, whatever its headers say, and its signature is of the empty one. */
const isBodiless = (c: HubContext): boolean => c.req.method === 'GET' || c.req.method === 'HEAD'

/** Decides whether the caller may use the route. @throws {@link ApiError} 401 without a credential it takes, 403 with one that is not enough. */
export function authorize(c: HubContext, route: RouteDeclaration): void {
  const { auth } = route
  const { principal, settings } = c.var
  if (!auth) return
  if (principal === null) throw new ApiError('unauthorized', `This call needs ${accepted(auth)}.`)
  const requireOperator = () => {
    if (auth.operator && !settings.OPERATOR_ADDRESSES.includes(holderOf(principal)))
      throw new ApiError('forbidden', 'This call is for operators of the hub.')
  }
  switch (principal.kind) {
    case 'session':
      requireOperator()
      if (auth.session || auth.operator) return
      break
    case 'api_key':
      if (auth.apiKey && !principal.scopes.includes(auth.apiKey))
        throw new ApiError('scope_missing', `This API key lacks the scope ${auth.apiKey}.`, {
          details: { scope: auth.apiKey },
        })
      if (auth.apiKey) {
        requireOperator()
        const projectId = auth.project === undefined ? undefined : c.req.param(auth.project)
        // Which project a slug names is known later, and checked against the key then.
        if (projectId !== undefined && /^0x.{64}$/i.test(projectId))
          requireKeyProject(c, projectId.toLowerCase())
        return
      }
      break
    case 'node':
      if (auth.node) return
  }
  throw new ApiError('forbidden', `This call needs ${accepted(auth)}.`)
}

/** Refuses an API key of other projects, where the path does not name the project. @throws {@link ApiError} 403 `forbidden`. */
export function requireKeyProject(c: HubContext, projectId: string): void {
  const { principal } = c.var
  if (principal?.kind !== 'api_key' || principal.projectIds === null) return
  if (!principal.projectIds.includes(projectId))
    throw new ApiError('forbidden', `This API key is not for the project ${projectId}.`)
}

const accepted = (auth: NonNullable<RouteDeclaration['auth']>): string =>
  [
    auth.session && 'a session',
    auth.operator && "an operator's session",
    auth.apiKey && `an API key${auth.operator ? ' of an operator' : ''} with the scope ${auth.apiKey}`,
    auth.node && 'a node signature',
  ]
    .filter(Boolean)
    .join(' or ')

/** The session of a route that takes nothing else; {@link authorize} has made sure of it. */
export function sessionOf(c: HubContext): Extract<Principal, { kind: 'session' }> {
  const { principal } = c.var
  if (principal?.kind !== 'session') throw new Error('the route does not declare that it takes sessions only')
  return principal
}

/** The calling wallet for the first reads of a handler, which begin before it is known who calls. */
export const callerOf = (c: HubContext): Wallet => walletOfCredential(c.var.credential)

/** The wallet that looks on, where everybody may look and an owner sees more. */
export function viewerOf(c: HubContext): string | null {
  const { principal } = c.var
  return principal?.kind === 'session' ? principal.address : null
}

/** The node that signed, on a route that takes nothing else. */
export function nodeOf(c: HubContext): Extract<Principal, { kind: 'node' }> {
  const { principal } = c.var
  if (principal?.kind !== 'node') throw new Error('the route does not declare that it takes nodes only')
  return principal
}

export function walletOf(c: HubContext): string {
  const { principal } = c.var
  if (principal?.kind !== 'session' && principal?.kind !== 'api_key')
    throw new Error('the route does not declare that it takes sessions or API keys only')
  return principal.address
}

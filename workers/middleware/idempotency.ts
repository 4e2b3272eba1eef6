import { sha256 } from '@noble/hashes/sha2'
import { bytesToHex } from '../../protocol/hex.ts'
import { type HubContext, type Principal, unixNow } from '../context.ts'
import { ApiError, invalidField } from '../errors.ts'
import { clientSubject } from '../http/client-address.ts'
import type { IdempotentRequest } from '../stores/idempotency-keys.ts'

const keptHeaders = ['content-type', 'location', 'etag']

/**
 * Runs the handler once per `Idempotency-Key`, caller and body, and repeats its first answer for a day. A failure that
 * may pass (429, 5xx) is not kept.
 */
export async function runOnce(c: HubContext, handle: () => Promise<Response>): Promise<Response> {
  const key = c.req.header('idempotency-key')
  if (key === undefined) return handle()
  if (!/^[\x21-\x7e]{1,255}$/.test(key))
    throw invalidField('Idempotency-Key', 'must be 1 to 255 visible ASCII characters')

  const { idempotencyKeys, sealer } = c.var.services
  const request: IdempotentRequest = { caller: callerName(c), key, requestHash: hashRequest(c) }
  const claim = await idempotencyKeys.claim(request, unixNow())
  switch (claim.status) {
    case 'answered': {
      const { status, headers, body: sealed } = claim.answer
      const body = await sealer.open(sealed, contextOf(request))
      return new Response(body, { status, headers: { ...headers, 'Idempotency-Replayed': 'true' } })
    }
    case 'other_request':
      throw new ApiError('conflict', 'This Idempotency-Key was used with another request. Use a fresh key.')
    case 'running':
      throw new ApiError('conflict', 'The first request with this Idempotency-Key is still running.', {
        headers: { 'Retry-After': '1' },
      })
    case 'claimed':
      return answerFirst(request, c, handle)
  }
}

async function answerFirst(
  request: IdempotentRequest,
  c: HubContext,
  handle: () => Promise<Response>,
): Promise<Response> {
  const { idempotencyKeys, sealer } = c.var.services
  let response: Response
  try {
    response = await handle()
  } catch (error) {
    await idempotencyKeys.release(request)
    throw error
  }
  const headers = Object.fromEntries(
    keptHeaders.flatMap((name) => {
      const value = response.headers.get(name)
      return value === null ? [] : [[name, value]]
    }),
  )
  const text = await response.clone().text()
  // What was done is done: an answer that cannot be kept must not turn it into a failure.
  await sealer
    .seal(text, contextOf(request))
    .then((body) => idempotencyKeys.complete(request, { status: response.status, headers, body }))
    .catch((error) => console.error(`${c.var.requestId} the answer could not be kept`, error))
  return response
}

const callerName = (c: HubContext): string => {
  const principal: Principal | null = c.var.principal
  switch (principal?.kind) {
    case 'session':
    case 'api_key':
      return principal.address
    case 'node':
      return principal.publicKey
    default:
      return clientSubject(c.req.header('cf-connecting-ip'))
  }
}

const hashRequest = (c: HubContext): string => {
  const hash = sha256.create().update(new TextEncoder().encode(`${c.req.method} ${c.req.path}\n`))
  return bytesToHex(hash.update(c.var.body ?? new Uint8Array()).digest())
}

const contextOf = ({ caller, key }: IdempotentRequest): string => `${caller}\n${key}`

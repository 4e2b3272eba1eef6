import { sha256 } from '@noble/hashes/sha2'
import { unixNow } from '../../durable-objects/clock.ts'
import { bytesToHex } from '../../protocol/encoding/index.ts'
import type { Principal } from '../auth/principal.ts'
import type { HubContext } from '../context.ts'
import { ApiError, invalidField } from '../errors.ts'
import { type Answer, errorAnswer } from '../http/answer.ts'
import { clientSubject } from '../http/client-address.ts'
import type { IdempotentRequest, KeptAnswer } from '../stores/idempotency-keys.ts'

const keptHeaders = ['content-type', 'location', 'etag', 'retry-after']

/**
 * Runs the handler once per `Idempotency-Key`, caller and body, and repeats its first answer for a day, a refusal too. A
 * failure that may pass (429, 5xx) is not kept.
 */
export async function runOnce(c: HubContext, handle: () => Promise<Answer>): Promise<Answer> {
  const key = c.req.header('idempotency-key')
  if (key === undefined) return handle()
  if (!/^[\x21-\x7e]{1,255}$/.test(key))
    throw invalidField('Idempotency-Key', 'must be 1 to 255 visible ASCII characters')

  const { idempotencyKeys } = c.var.services
  const request: IdempotentRequest = { caller: callerName(c), key, requestHash: hashRequest(c) }
  const claim = await idempotencyKeys.claim(request, unixNow())
  switch (claim.status) {
    case 'answered':
      return replay(c, request, claim.answer)
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

async function replay(c: HubContext, request: IdempotentRequest, answer: KeptAnswer): Promise<Answer> {
  const { status, headers, body: sealed } = answer
  let body: string
  try {
    body = await c.var.services.sealer.open(sealed, contextOf(request))
  } catch (error) {
    // Only a change of the deployment's secret makes a kept answer unreadable.
    console.error(`${c.var.requestId} a kept answer cannot be opened`, error)
    throw new ApiError(
      'conflict',
      'This Idempotency-Key was used before, and the hub can no longer read the first answer. Look up what was done, or use a fresh key.',
    )
  }
  // An error names the request it answers, and that is this one.
  const text = status < 400 ? body : JSON.stringify({ ...JSON.parse(body), request_id: c.var.requestId })
  return { status, headers: { ...headers, 'Idempotency-Replayed': 'true' }, body: text }
}

async function answerFirst(
  request: IdempotentRequest,
  c: HubContext,
  handle: () => Promise<Answer>,
): Promise<Answer> {
  const { idempotencyKeys, sealer } = c.var.services
  let first: Answer
  try {
    first = await handle()
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500 || error.status === 429) {
      // The key comes free by itself a minute later, so nothing hangs on this.
      await idempotencyKeys.release(request).catch((cause) => {
        console.error(`${c.var.requestId} an Idempotency-Key could not be released`, cause)
      })
      throw error
    }
    first = errorAnswer(c, error)
  }
  const { status } = first
  const headers = Object.fromEntries(
    Object.entries(first.headers).filter(([name]) => keptHeaders.includes(name.toLowerCase())),
  )
  // Routes that honour the key answer with text or with nothing.
  const kept = String(first.body ?? '')
  // What was done is done: an answer that cannot be kept must not turn it into a failure.
  await sealer
    .seal(kept, contextOf(request))
    .then((body) => idempotencyKeys.complete(request, { status, headers, body }))
    .catch((error) => console.error(`${c.var.requestId} the answer could not be kept`, error))
  return first
}

const callerName = (c: HubContext): string => {
  const principal: Principal | null = c.var.principal
  switch (principal?.kind) {
    case 'session':
      return principal.address
    case 'api_key':
      // Not its owner: what one key was answered may be about projects that another is not for.
      return principal.keyId
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

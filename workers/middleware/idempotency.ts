import { sha256 } from '@noble/hashes/sha2'
import { unixNow } from '../../durable-objects/clock.ts'
import { addressSubject, bytesToHex } from '../../protocol/encoding/index.ts'
import { callerIdOf } from '../auth/principal.ts'
import type { HubContext } from '../context.ts'
import { ApiError, invalidField, isRefusal } from '../errors.ts'
import type { Answer } from '../http/answer.ts'
import type { ClaimResult, IdempotentRequest, KeptAnswer } from '../stores/idempotency-keys.ts'

const keptHeaders = ['content-type', 'location', 'etag']
/** How much longer than its request, which was paid for, an answer may be that is kept. */
const keptBytesMax = 16_384

/**
 * Lets the handler do its work once per `Idempotency-Key`, caller and body, and repeats its first answer for a day. A long one that its handler
 * can make again, as the output of a task, is not kept; nor is a refusal, which changed nothing. After a failure the next try takes the
 * operation over, finds what there is by its ids, and does what is missing.
 */
export async function runOnce(c: HubContext, handle: () => Promise<Answer>): Promise<Answer> {
  const key = readIdempotencyKey(c)
  if (key === null) return handle()

  const request: IdempotentRequest = {
    caller: callerName(c),
    key,
    requestHash: hashRequest(c),
    requestId: c.var.requestId,
    operationId: c.var.operation.id,
  }
  const claim = await claimKey(request, c)
  switch (claim.status) {
    case 'answered': {
      const { status, headers, body } = claim.answer
      c.var.operation = { id: claim.operationId, isRetry: true, location: headers.Location }
      const again = body === null ? await handle() : await openKept(c, request, claim.answer, body)
      return { ...again, status, headers: { ...again.headers, 'Idempotency-Replayed': 'true' } }
    }
    case 'other_request':
      throw new ApiError('conflict', 'This Idempotency-Key was used with another request. Use a fresh key.')
    case 'running':
      throw new ApiError('conflict', 'The first request with this Idempotency-Key is still running.', {
        headers: { 'Retry-After': '1' },
      })
    case 'claimed':
      c.var.operation = { id: claim.operationId, isRetry: claim.operationId !== request.operationId }
      return answerFirst(request, c, handle)
  }
}

/** Null if none was sent. @throws {@link ApiError} 400 `invalid_field`. */
export function readIdempotencyKey(c: HubContext): string | null {
  const key = c.req.header('idempotency-key')
  if (key !== undefined && !/^[\x21-\x7e]{1,255}$/.test(key))
    throw invalidField('Idempotency-Key', 'must be 1 to 255 visible ASCII characters')
  return key ?? null
}

async function claimKey(request: IdempotentRequest, c: HubContext): Promise<ClaimResult> {
  const { idempotencyKeys } = c.var.services
  try {
    return await idempotencyKeys.claim(request, unixNow())
  } catch (error) {
    // The claim may stand, though its answer was lost.
    await settle(c, idempotencyKeys.yield(request))
    throw error
  }
}

async function openKept(
  c: HubContext,
  request: IdempotentRequest,
  { status, headers }: KeptAnswer,
  sealed: string,
): Promise<Answer> {
  try {
    return { status, headers, body: await c.var.services.sealer.open(sealed, contextOf(request)) }
  } catch (error) {
    // Only a change of the deployment's secret makes a kept answer unreadable.
    console.error(`${c.var.requestId} a kept answer cannot be opened`, error)
    throw new ApiError(
      'conflict',
      'This Idempotency-Key was used before, and the hub can no longer read the first answer. Read the record that the first request made, or use a fresh key.',
    )
  }
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
    // A refused retry keeps its operation: the next try still has to find the effects of an earlier one.
    const didNothing = isRefusal(error) && !c.var.operation.isRetry
    await settle(c, didNothing ? idempotencyKeys.forget(request) : idempotencyKeys.yield(request))
    throw error
  }
  const { status } = first
  const headers = Object.fromEntries(
    Object.entries(first.headers).filter(([name]) => keptHeaders.includes(name.toLowerCase())),
  )
  try {
    // Routes that honour the key answer with text or with nothing.
    const text = String(first.body ?? '')
    const isLong =
      first.canBeRemade && new TextEncoder().encode(text).length > c.var.bodyLength + keptBytesMax
    const body = isLong ? null : await sealer.seal(text, contextOf(request))
    await idempotencyKeys.complete(request, { status, headers, body })
  } catch (error) {
    // The handler has done its work: an answer that cannot be kept must not turn that into a failure.
    console.error(`${c.var.requestId} the answer could not be kept`, error)
    await settle(c, idempotencyKeys.yield(request))
  }
  return first
}

/** Waits for the end of a claim, which may fail: a claim that is not ended expires a minute later. */
async function settle(c: HubContext, ending: Promise<void>): Promise<void> {
  await ending.catch((error) => {
    console.error(`${c.var.requestId} the claim on an Idempotency-Key could not be ended`, error)
  })
}

/** The name of a caller, by which its keys are told from those of others. */
export const callerName = (c: HubContext): string => {
  const { principal } = c.var
  return principal === null ? addressSubject(c.req.header('cf-connecting-ip')) : callerIdOf(principal)
}

const hashRequest = (c: HubContext): string => {
  const hash = sha256.create().update(new TextEncoder().encode(`${c.req.method} ${c.req.path}\n`))
  return bytesToHex(hash.update(c.var.bodyHash ?? c.var.body ?? new Uint8Array()).digest())
}

const contextOf = ({ caller, key }: IdempotentRequest): string => `${caller}\n${key}`

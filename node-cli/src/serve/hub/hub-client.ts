import { isLocalUrl, isObject } from '../../../../protocol/encoding/index.ts'
import {
  type JsonAnswer,
  type JsonRequest,
  NoAnswer,
  OversizedAnswer,
  requestBytes,
  requestJson,
} from '../../http-json.ts'
import { HubError, invalidAnswer } from './hub-error.ts'
import type { RequestSigner } from './request-signer.ts'
import { readRetryAfter } from './retry-after.ts'

/** Answers are small, but those that say so. */
const answerBytesMax = 2 ** 20

const timeoutSeconds = 10

export interface HubRequest {
  readonly method: 'GET' | 'POST' | 'PUT'
  /** Path, and `?` with the query string when there is one. */
  readonly target: string
  readonly body?: object
  /** Left out for a call without credential. */
  readonly signer?: RequestSigner
  /** Left out, 1 MiB. */
  readonly answerBytesMax?: number
}

/** Turns the JSON of an answer into what the caller needs. @throws {@link HubError} for what a hub does not answer. */
export type AnswerReader<T> = (answer: unknown) => T

/** Calls of one hub. */
export interface HubClient {
  readonly origin: string
  /** Whether it is the hub of a local network, on this machine. */
  readonly isLocal: boolean
  /** @throws {@link HubError} */
  readonly call: <T>(request: HubRequest, read: AnswerReader<T>) => Promise<T>
  /** Asks for bytes, which nobody has checked. @throws {@link HubError} */
  readonly download: (target: string, bytesMax: number) => Promise<Uint8Array>
}

/**
 * A client of the hub at `url`. It follows no redirect, waits 10 s at most, and reads 1 MiB of JSON at most where the call
 * does not say otherwise.
 *
 * @param stop ends calls under way.
 */
export const hubClient = (url: URL, stop?: AbortSignal): HubClient => ({
  origin: url.origin,
  isLocal: isLocalUrl(url),
  call: async (request, read) => read(await answerOf(url.origin, request, stop)),
  download: (target, bytesMax) => downloadFrom(url.origin, target, bytesMax, stop),
})

async function downloadFrom(
  origin: string,
  target: string,
  bytesMax: number,
  stop: AbortSignal | undefined,
): Promise<Uint8Array> {
  const { status, headers, bytes } = await orHubError(origin, () =>
    requestBytes(origin + target, 'application/octet-stream', {
      timeoutSeconds,
      answerBytesMax: bytesMax,
      stop,
    }),
  )
  if (status === 200 && bytes !== undefined) return bytes
  throw refusalOf(origin, { method: 'GET', target }, { status, headers, value: undefined })
}

async function answerOf(
  origin: string,
  request: HubRequest,
  stop: AbortSignal | undefined,
): Promise<unknown> {
  const answer = await send(origin, request, stop)
  const { status, value } = answer
  if (status >= 200 && status < 300 && value !== undefined) return value
  throw refusalOf(origin, request, answer)
}

async function send(origin: string, request: HubRequest, stop: AbortSignal | undefined): Promise<JsonAnswer> {
  const { method, target, body, signer } = request
  const text = body === undefined ? undefined : JSON.stringify(body)
  const sent: JsonRequest = {
    method,
    headers: signer?.({ method, target, body: text ?? '' }) ?? {},
    ...(text !== undefined && { body: text }),
    timeoutSeconds,
    answerBytesMax: request.answerBytesMax ?? answerBytesMax,
    stop,
  }
  return orHubError(origin, () => requestJson(origin + target, sent))
}

async function orHubError<T>(origin: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof OversizedAnswer)
      throw invalidAnswer(`${origin} sent ${error.message}; this is no answer of a hub`)
    if (!(error instanceof NoAnswer)) throw error
    throw new HubError('unreachable', 'hub_unreachable', `no hub answers on ${origin}: ${error.message}`, {
      hint: 'Is the address right (--hub-url), and is this machine connected?',
    })
  }
}

function refusalOf(
  origin: string,
  { method, target }: HubRequest,
  { status, headers, value }: JsonAnswer,
): HubError {
  if (status >= 300 && status < 400)
    return invalidAnswer(
      `${origin} sends callers on to ${headers.get('location') ?? 'another place'}, which is not followed`,
      'Name the hub by the address it has itself.',
    )
  const retryAfterSeconds = readRetryAfter(headers)
  const details = { status, ...(retryAfterSeconds !== null && { retryAfterSeconds }) }
  const failure = status >= 500 ? 'unreachable' : 'refused'
  if (isObject(value) && typeof value.error === 'string' && typeof value.message === 'string') {
    const reason = isObject(value.details) ? value.details.reason : undefined
    return new HubError(failure, value.error, `the hub refuses: ${value.message}`, {
      ...details,
      ...(typeof reason === 'string' && { reason }),
    })
  }
  if (failure === 'unreachable')
    return new HubError(
      failure,
      'hub_unreachable',
      `the hub on ${origin} cannot answer now (${status})`,
      details,
    )
  const type = headers.get('content-type') ?? 'no content type'
  return invalidAnswer(
    `${origin} does not answer as a hub does: ${method} ${target} gave ${status} with ${type}`,
    'Is this the address of a hub (--hub-url)?',
  )
}

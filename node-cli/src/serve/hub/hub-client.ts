import { isLocalUrl, isObject } from '../../../../protocol/encoding/index.ts'
import {
  type AnswerHeaders,
  type JsonAnswer,
  type JsonRequest,
  jsonOf,
  NoAnswer,
  OversizedAnswer,
  requestBytes,
  requestJson,
} from '../../http-json.ts'
import { HubError, invalidAnswer } from './hub-error.ts'
import type { RequestSigner } from './request-signer.ts'

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
  /** Left out, 10 s. */
  readonly timeoutSeconds?: number
}

export interface DownloadBounds {
  /** Their content type; null for any. */
  readonly type: string | null
  readonly answerBytesMax: number
  readonly timeoutSeconds: number
}

/** Turns the JSON of an answer into what the caller needs. @throws {@link HubError} for what a hub does not answer. */
export type AnswerReader<T> = (answer: unknown) => T

export type HubClient = ReturnType<typeof hubClient>

/**
 * A client of the hub at `url`. It follows no redirect. It waits 10 s at most, and reads 1 MiB of JSON at most, unless the
 * call says otherwise.
 *
 * @param stop ends calls under way.
 */
export const hubClient = (url: URL, stop?: AbortSignal) => ({
  origin: url.origin,
  /** Whether it is the hub of a local network, on this machine. */
  isLocal: isLocalUrl(url),
  call: async <T>(request: HubRequest, read: AnswerReader<T>): Promise<T> =>
    read(await answerOf(url.origin, request, stop)),
  /** Asks for bytes, which nobody has checked. @throws {@link HubError} */
  download: (target: string, bounds: DownloadBounds): Promise<Uint8Array> =>
    downloadFrom(url.origin, target, bounds, stop),
})

async function downloadFrom(
  origin: string,
  target: string,
  { type, answerBytesMax, timeoutSeconds }: DownloadBounds,
  stop: AbortSignal | undefined,
): Promise<Uint8Array> {
  const headers = type === null ? {} : { Accept: type }
  // A refusal is JSON, so every type is read.
  const answer = await orHubError(origin, () =>
    requestBytes(origin + target, null, { headers, timeoutSeconds, answerBytesMax, stop }),
  )
  const isWanted = type === null || answer.type === type
  if (answer.status === 200 && isWanted && answer.bytes !== undefined) return answer.bytes
  throw refusalOf(origin, { method: 'GET', target }, { ...answer, value: jsonOf(answer) })
}

async function answerOf(
  origin: string,
  request: HubRequest,
  stop: AbortSignal | undefined,
): Promise<unknown> {
  const { method, target, body, signer } = request
  const text = body === undefined ? undefined : JSON.stringify(body)
  const sent: JsonRequest = {
    method,
    headers: signer?.({ method, target, body: text ?? '' }) ?? {},
    ...(text !== undefined && { body: text }),
    timeoutSeconds: request.timeoutSeconds ?? timeoutSeconds,
    answerBytesMax: request.answerBytesMax ?? answerBytesMax,
    stop,
  }
  const answer = await orHubError(origin, () => requestJson(origin + target, sent))
  const { status, value } = answer
  if (status >= 200 && status < 300 && value !== undefined) return value
  throw refusalOf(origin, request, answer)
}

async function orHubError<T>(origin: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof OversizedAnswer)
      throw invalidAnswer(`${origin} sent ${error.message}; a hub does not send such answers`)
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
      `${origin} redirects to ${headers.get('location') ?? 'another place'}, which nodectl does not follow`,
      'Name the hub by its own address.',
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
  // A proxy in front of a hub answers in words of its own.
  if (failure === 'unreachable' || status === 429)
    return new HubError(
      failure,
      'hub_unreachable',
      `the hub on ${origin} cannot answer now (${status})`,
      details,
    )
  const type = headers.get('content-type') ?? 'no content type'
  return invalidAnswer(
    `${origin} does not answer like a hub: ${method} ${target} returned ${status} with ${type}`,
    'Is this the address of a hub (--hub-url)?',
  )
}

/** No hub is worth waiting longer for, whatever it says. */
const secondsMax = 3600

/** The seconds that an answer asks its caller to wait; null if it names none. */
function readRetryAfter(headers: AnswerHeaders): number | null {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  return seconds >= 0 ? Math.min(seconds, secondsMax) : null
}

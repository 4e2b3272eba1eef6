import { isLocalUrl, isObject } from '../../../../protocol/encoding/index.ts'
import { HubError, invalidAnswer } from './hub-error.ts'
import type { RequestSigner } from './request-signer.ts'

/** Answers are small: the largest is the list of validators. */
const answerBytesMax = 2 ** 20

const timeoutMs = 10_000

/** No hub is worth waiting longer for, whatever it says. */
const retryAfterSecondsMax = 3600

export interface HubRequest {
  readonly method: 'GET' | 'POST' | 'PUT'
  /** Path, and `?` with the query string when there is one. */
  readonly target: string
  readonly body?: object
  /** Left out for a call without credential. */
  readonly signer?: RequestSigner
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
}

/**
 * A client of the hub at `url`. It follows no redirect, waits 10 s at most, and reads 1 MiB of JSON at most.
 *
 * @param stop ends calls under way.
 */
export const hubClient = (url: URL, stop?: AbortSignal): HubClient => ({
  origin: url.origin,
  isLocal: isLocalUrl(url),
  call: async (request, read) => read(await answerOf(url.origin, request, stop)),
})

async function answerOf(
  origin: string,
  request: HubRequest,
  stop: AbortSignal | undefined,
): Promise<unknown> {
  const { method, target, body, signer } = request
  const text = body === undefined ? '' : JSON.stringify(body)
  const timeout = AbortSignal.timeout(timeoutMs)
  let response: Response
  let answer: string | null
  try {
    response = await fetch(origin + target, {
      method,
      redirect: 'manual',
      signal: stop === undefined ? timeout : AbortSignal.any([timeout, stop]),
      headers: {
        Accept: 'application/json',
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...signer?.({ method, target, body: text }),
      },
      ...(body !== undefined && { body: text }),
    })
    answer = isJson(response) ? await readText(origin, response) : null
  } catch (error) {
    if (error instanceof HubError) throw error
    throw new HubError('unreachable', 'hub_unreachable', `no hub answers on ${origin}: ${reasonOf(error)}`, {
      hint: 'Is the address right (--hub-url), and is this machine connected?',
    })
  }
  const value = answer === null ? undefined : parseJson(answer)
  if (response.ok && value !== undefined) return value
  await response.body?.cancel().catch(() => {})
  throw refusalOf(origin, request, response, value)
}

const isJson = ({ headers }: Response): boolean =>
  /^application\/json\b/i.test(headers.get('content-type') ?? '')

async function readText(origin: string, response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length
    // Leaving the loop ends the transfer.
    if (length > answerBytesMax)
      throw invalidAnswer(`${origin} sent more than ${answerBytesMax} bytes; this is no answer of a hub`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function refusalOf(
  origin: string,
  { method, target }: HubRequest,
  response: Response,
  value: unknown,
): HubError {
  const { status, headers } = response
  if (status >= 300 && status < 400)
    return invalidAnswer(
      `${origin} sends callers on to ${headers.get('location') ?? 'another place'}, which is not followed`,
      'Name the hub by the address it has itself.',
    )
  const retryAfter = Number(headers.get('retry-after') ?? Number.NaN)
  const details = {
    status,
    ...(retryAfter >= 0 && { retryAfterSeconds: Math.min(retryAfter, retryAfterSecondsMax) }),
  }
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
      `the hub on ${origin} cannot answer at the moment (${status})`,
      details,
    )
  const type = headers.get('content-type') ?? 'no content type'
  return invalidAnswer(
    `${origin} does not answer as a hub does: ${method} ${target} gave ${status} with ${type}`,
    'Is this the address of a hub (--hub-url)?',
  )
}

/** fetch says "fetch failed" and hides the reason. */
function reasonOf(error: unknown): string {
  const { name, message, cause } = error as Error
  if (name === 'TimeoutError') return `nothing came within ${timeoutMs / 1000} s`
  if (!(cause instanceof Error)) return message
  const { code } = cause as NodeJS.ErrnoException
  if (code === 'ECONNREFUSED') return 'the connection is refused'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'its name is not known'
  if (code?.startsWith('ERR_SSL')) return 'what is there speaks no TLS, so its address begins with http:'
  return cause.message || String(cause)
}

/** How long an answer may take, and how long it may be. */
interface AnswerBounds {
  /** Until the whole answer is there. */
  readonly timeoutSeconds: number
  readonly answerBytesMax: number
  /** Ends the request. */
  readonly stop?: AbortSignal | undefined
}

/** What is asked of a server. */
export interface JsonRequest extends AnswerBounds {
  readonly method?: 'GET' | 'POST' | 'PUT'
  readonly headers?: Readonly<Record<string, string>>
  /** JSON text; left out, there is no body. */
  readonly body?: string
}

export interface JsonAnswer {
  readonly status: number
  readonly headers: Headers
  /** Undefined for what is not JSON. */
  readonly value: unknown
}

/** Nobody answered; the message says why. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer'
}

/** An answer of more bytes than anybody would send who means well. */
export class OversizedAnswer extends Error {
  override readonly name = 'OversizedAnswer'
}

/**
 * Asks a server for JSON. Redirects are answers like any other, and what is not declared as JSON is not read.
 *
 * @throws {@link NoAnswer}, {@link OversizedAnswer}
 */
export function requestJson(url: string, request: JsonRequest): Promise<JsonAnswer> {
  const { method = 'GET', headers, body, answerBytesMax } = request
  const call = {
    method,
    headers: {
      Accept: 'application/json',
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body }),
  }
  return fetchBounded(url, call, request, async (response) => ({
    status: response.status,
    headers: response.headers,
    value: await readJson(response, answerBytesMax),
  }))
}

/**
 * Asks a server for bytes. Redirects are answers like any other.
 *
 * @returns The body of an answer of status 200; null with the status of any other.
 * @throws {@link NoAnswer}, {@link OversizedAnswer}
 */
export function requestBytes(
  url: string,
  bounds: AnswerBounds,
): Promise<{ readonly status: number; readonly bytes: Uint8Array | null }> {
  return fetchBounded(url, {}, bounds, async (response) => {
    const { status } = response
    if (status === 200) return { status, bytes: await readBytes(response, bounds.answerBytesMax) }
    await response.body?.cancel()
    return { status, bytes: null }
  })
}

/** @throws {@link NoAnswer}, {@link OversizedAnswer} */
async function fetchBounded<T>(
  url: string,
  call: RequestInit,
  { timeoutSeconds, stop }: AnswerBounds,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  const timeout = AbortSignal.timeout(1000 * timeoutSeconds)
  const signal = stop === undefined ? timeout : AbortSignal.any([timeout, stop])
  try {
    return await read(await fetch(url, { ...call, redirect: 'manual', signal }))
  } catch (error) {
    if (error instanceof OversizedAnswer) throw error
    throw new NoAnswer(reasonOf(error, timeoutSeconds))
  }
}

async function readJson(response: Response, bytesMax: number): Promise<unknown> {
  if (!/^application\/json\b/i.test(response.headers.get('content-type') ?? '')) {
    await response.body?.cancel()
    return undefined
  }
  const text = (await readBytes(response, bytesMax)).toString('utf8')
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function readBytes(response: Response, bytesMax: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let length = 0
  // Leaving the loop ends the transfer.
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length
    if (length > bytesMax) throw new OversizedAnswer(`more than ${bytesMax} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** fetch says "fetch failed" and hides the reason. */
function reasonOf(error: unknown, timeoutSeconds: number): string {
  const { name, message, cause } = error as Error
  if (name === 'TimeoutError') return `nothing came within ${timeoutSeconds} s`
  if (!(cause instanceof Error)) return message
  const { code } = cause as NodeJS.ErrnoException
  if (code === 'ECONNREFUSED') return 'the connection is refused'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'its name is not known'
  if (code?.startsWith('ERR_SSL')) return 'what is there speaks no TLS, so its address begins with http:'
  return cause.message || String(cause)
}

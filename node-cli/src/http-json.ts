/** What is asked of a server. */
export interface JsonRequest {
  readonly method?: 'GET' | 'POST' | 'PUT'
  readonly headers?: Readonly<Record<string, string>>
  /** JSON text; left out, there is no body. */
  readonly body?: string
  /** Until the whole answer is there. */
  readonly timeoutSeconds: number
  readonly answerBytesMax: number
  /** Ends the request. */
  readonly stop?: AbortSignal | undefined
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

export interface BytesAnswer {
  readonly status: number
  /** Empty for an answer that is no success. */
  readonly bytes: Uint8Array
}

/**
 * Asks a server for JSON. Redirects are answers like any other, and what is not declared as JSON is not read.
 *
 * @throws {@link NoAnswer}, {@link OversizedAnswer}
 */
export const requestJson = (url: string, request: JsonRequest): Promise<JsonAnswer> =>
  exchange(url, request, 'application/json', async (response) => ({
    status: response.status,
    headers: response.headers,
    value: await readJson(response, request.answerBytesMax),
  }))

/** Asks a server for bytes, by the same rules. @throws {@link NoAnswer}, {@link OversizedAnswer} */
export const requestBytes = (url: string, request: JsonRequest): Promise<BytesAnswer> =>
  exchange(url, request, 'application/octet-stream', async (response) => {
    const { status } = response
    if (response.ok) return { status, bytes: await readBytes(response, request.answerBytesMax) }
    await response.body?.cancel()
    return { status, bytes: new Uint8Array() }
  })

async function exchange<T>(
  url: string,
  { method = 'GET', headers, body, timeoutSeconds, stop }: JsonRequest,
  accepted: string,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  const timeout = AbortSignal.timeout(1000 * timeoutSeconds)
  try {
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      signal: stop === undefined ? timeout : AbortSignal.any([timeout, stop]),
      headers: {
        Accept: accepted,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body }),
    })
    return await read(response)
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
  const bytes = await readBytes(response, bytesMax)
  try {
    return JSON.parse(bytes.toString('utf8'))
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

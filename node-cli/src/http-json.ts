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
  readonly headers: Headers
  /** Undefined for what is of another type than was asked for. */
  readonly bytes: Uint8Array | undefined
}

/**
 * Asks a server for JSON. Redirects are answers like any other, and what is not declared as JSON is not read.
 *
 * @throws {@link NoAnswer}, {@link OversizedAnswer}
 */
export async function requestJson(url: string, request: JsonRequest): Promise<JsonAnswer> {
  const { status, headers, bytes } = await requestBytes(url, 'application/json', request)
  return { status, headers, value: bytes === undefined ? undefined : parsed(bytes) }
}

/**
 * Asks a server for bytes. Redirects are answers like any other, and what is declared as another type is not read.
 *
 * @param type null for any.
 * @throws {@link NoAnswer}, {@link OversizedAnswer}
 */
export async function requestBytes(
  url: string,
  type: string | null,
  request: JsonRequest,
): Promise<BytesAnswer> {
  const { method = 'GET', headers, body, timeoutSeconds, answerBytesMax, stop } = request
  const timeout = AbortSignal.timeout(1000 * timeoutSeconds)
  try {
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      signal: stop === undefined ? timeout : AbortSignal.any([timeout, stop]),
      headers: {
        ...(type !== null && { Accept: type }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body }),
    })
    return {
      status: response.status,
      headers: response.headers,
      bytes: await readBytes(response, type, answerBytesMax),
    }
  } catch (error) {
    if (error instanceof OversizedAnswer) throw error
    throw new NoAnswer(reasonOf(error, timeoutSeconds))
  }
}

async function readBytes(
  response: Response,
  type: string | null,
  bytesMax: number,
): Promise<Uint8Array | undefined> {
  const [declared = ''] = (response.headers.get('content-type') ?? '').toLowerCase().split(';')
  if (type !== null && declared.trim() !== type) {
    await response.body?.cancel()
    return undefined
  }
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

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
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

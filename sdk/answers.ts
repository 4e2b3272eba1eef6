import { AnswerError, refusalOf } from './errors.ts'
import type { Schemas } from './operations.ts'

const shownLengthMax = 200

/** The JSON, the bytes, the text or the nothing of a successful answer. @throws {@link Refusal}, {@link AnswerError} */
export async function readAnswer(operation: string, response: Response): Promise<unknown> {
  if (response.ok && isBinary(response.headers.get('Content-Type')))
    return new Uint8Array(await response.arrayBuffer())
  const text = await response.text()
  if (response.ok && isText(response.headers.get('Content-Type'))) return text
  if (response.status === 204) return undefined
  const body = tryParse(text)
  if (response.ok && body !== undefined) return body
  const { status } = response
  if (!response.ok && isErrorBody(body))
    throw refusalOf({ operation, status, body, retryAfter: readRetryAfter(response.headers) })
  // A proxy between here and the hub answers in a form of its own.
  throw new AnswerError(
    `${operation} answered ${status}: ${JSON.stringify(text.slice(0, shownLengthMax))}`,
    status,
    readRetryAfter(response.headers),
  )
}

const isBinary = (type: string | null): boolean =>
  type !== null && /^(application\/(octet-stream|gzip)|image\/)/.test(type)

/** Types of the hub's pages and metrics. A plain `text/plain` comes from another server. */
const isText = (type: string | null): boolean =>
  type !== null && /^text\/(markdown|plain; version=)/.test(type)

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Whether a body has the form in which a hub refuses. */
const isErrorBody = (body: unknown): body is Schemas['Error'] =>
  typeof (body as { error?: unknown } | null)?.error === 'string'

/** Seconds of a header that has these, or a date. */
function readRetryAfter(headers: Headers): number | undefined {
  const text = headers.get('Retry-After')
  if (text === null) return undefined
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}

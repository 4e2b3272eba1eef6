import type { Attempt } from '../stores/schema/webhooks.ts'

const answerMsMax = 10_000
/** The part of an answer that is read, and that is kept, as JSON. */
const answerBytesMax = 1_024

/** Posts a delivery to its receiver, follows no redirect, and reads the beginning of the answer. It never throws. */
export async function call(
  url: string,
  { body, headers }: { body: string; headers: Record<string, string> },
  msMax = answerMsMax,
): Promise<Attempt> {
  const begunMs = Date.now()
  const at = Math.floor(begunMs / 1000)
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), msMax)
  const made = (rest: Pick<Attempt, 'status' | 'answer' | 'error'>): Attempt => ({
    ...{ at, durationMs: Date.now() - begunMs },
    ...rest,
  })
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body,
      // Nobody has checked the address to which a receiver redirects.
      redirect: 'manual',
      signal: late.signal,
    })
    const { status } = response
    const answer = await beginningOf(response)
    return made({ status, answer, error: isSuccess({ status }) ? null : problemOf(status) })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return made({
      ...{ status: null, answer: null },
      error: late.signal.aborted
        ? `no answer within ${msMax / 1000} s`
        : `no connection: ${reason}`.slice(0, 200),
    })
  } finally {
    clearTimeout(timer)
  }
}

export const isSuccess = ({ status }: Pick<Attempt, 'status'>): boolean =>
  status !== null && status >= 200 && status < 300

const problemOf = (status: number): string =>
  status >= 300 && status < 400 ? 'redirects are not followed' : 'the status is not 2xx'

/** The beginning of a body, until it is long enough, ends or times out: the status alone decides success. */
async function beginningOf({ body }: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  try {
    for await (const chunk of body ?? []) {
      const part = chunk.subarray(0, answerBytesMax - bytes)
      text += decoder.decode(part, { stream: true })
      bytes += part.byteLength
      // Leaving the loop cancels the rest.
      if (bytes === answerBytesMax) break
    }
  } catch {
    // Cut off.
  }
  return keptOf(text + decoder.decode())
}

const encoder = new TextEncoder()

/** A text as a database keeps it: JSON writes control characters, quotes and others with more bytes than they came in. */
function keptOf(text: string): string {
  let kept = ''
  let bytes = 0
  for (const character of text.replaceAll(/\p{Cc}/gu, ' ')) {
    bytes += encoder.encode(JSON.stringify(character)).byteLength - 2
    if (bytes > answerBytesMax) break
    kept += character
  }
  return kept
}

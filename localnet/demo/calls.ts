import { setTimeout as wait } from 'node:timers/promises'
import { gist, shorten, show } from './show.ts'

interface Init {
  token?: string
  json?: unknown
  bytes?: Uint8Array
  headers?: Record<string, string>
}

/** What the hub answers: read by its members, and shown as it is. */
// biome-ignore lint/suspicious/noExplicitAny: the demo is about these answers, not about their types
export type Answer = any

/** One request. */
async function ask(hub: string, method: string, target: string, { token, json, bytes, headers }: Init) {
  const response = await fetch(hub + target, {
    method,
    headers: {
      // Compiling takes long enough for an idle connection to be closed under us.
      Connection: 'close',
      ...headers,
      ...(token && { Authorization: `Bearer ${token}` }),
      ...(json !== undefined && { 'Content-Type': 'application/json' }),
      ...(bytes && { 'Content-Type': 'application/octet-stream' }),
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
    ...(bytes && { body: bytes as Uint8Array<ArrayBuffer> }),
  })
  const body = new Uint8Array(await response.arrayBuffer())
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  const text = isJson ? new TextDecoder().decode(body) : body.length > 0 ? `${body.length} bytes` : ''
  return { response, body, text, json: isJson ? (JSON.parse(text) as Answer) : undefined }
}

/** One request, printed with what it answered. Throws for a status that is not the expected one. */
export async function call(
  hub: string,
  method: string,
  target: string,
  { expect, ...init }: Init & { expect?: number } = {},
) {
  const { bytes, json } = init
  const size = bytes
    ? `  (${bytes.length} bytes)`
    : json === undefined
      ? ''
      : `  ${shorten(JSON.stringify(json))}`
  show('→', `${method} ${shorten(target)}${size}`)
  const answer = await ask(hub, method, target, init)
  const { status, ok } = answer.response
  show('←', `${status}  ${shorten(answer.text)}`)
  if (expect === undefined ? !ok : status !== expect)
    throw new Error(`${method} ${target} answered ${status}: ${answer.text}`)
  return answer
}

const patienceMs = 60_000
const pauseMs = 200

/** Reads again and again until it is as it should be, and prints that once. */
export async function until(
  hub: string,
  target: string,
  isThere: (answer: Answer) => boolean,
  token?: string,
): Promise<Answer> {
  for (const limit = Date.now() + patienceMs; ; await wait(pauseMs)) {
    const { json, text } = await ask(hub, 'GET', target, { ...(token && { token }) })
    if (isThere(json)) {
      show('→', `GET ${shorten(target)}`)
      show('←', shorten(gist(json) || text))
      return json
    }
    if (Date.now() > limit) throw new Error(`${target} is still ${text}`)
  }
}

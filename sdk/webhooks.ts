/** Checks what a hub sends to a web server of yours, signed by Standard Webhooks. */
import { HubError } from './errors.ts'

/** A message that a hub did not sign, or signed too long ago. */
export class BadWebhook extends HubError {
  override readonly code = 'bad_webhook'
}

export interface ReceivedWebhook {
  /** Headers of the request, however your server holds them. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>
  /** Exactly as it arrived: parsed and written again, it has another signature. */
  readonly body: string | Uint8Array
}

export interface WebhookOptions {
  /** How far the time of the message may be from that of this machine; seconds. Default: 300. */
  readonly tolerance?: number
}

export interface Webhook<Payload = unknown> {
  /** The same whenever the message is sent again. */
  readonly id: string
  /** Unix seconds. */
  readonly timestamp: number
  readonly payload: Payload
}

const encoder = new TextEncoder()

/**
 * Checks a message and returns what it says.
 *
 * @param secrets `whsec_` and base64; several while one replaces another.
 * @throws {@link BadWebhook}
 */
export async function verifyWebhook<Payload = unknown>(
  received: Request | ReceivedWebhook,
  secrets: string | readonly string[],
  { tolerance = 300 }: WebhookOptions = {},
): Promise<Webhook<Payload>> {
  const header = (name: string): string => {
    const value =
      received.headers instanceof Headers ? received.headers.get(name) : ownHeader(received.headers, name)
    if (!value) throw new BadWebhook(`The header ${name} is missing.`)
    return value
  }
  const body = received instanceof Request ? new Uint8Array(await received.arrayBuffer()) : received.body
  if (typeof body !== 'string' && !(body instanceof Uint8Array))
    throw new BadWebhook(
      'body must be the text or the bytes that arrived: pass the raw body, before it is parsed.',
    )
  const id = header('webhook-id')
  const time = header('webhook-timestamp')
  const timestamp = /^\d{1,15}$/.test(time) ? Number(time) : Number.NaN
  if (!(Math.abs(Date.now() / 1000 - timestamp) <= tolerance))
    throw new BadWebhook('webhook-timestamp is too far from the time of this machine.')
  const bytes = typeof body === 'string' ? encoder.encode(body) : body
  const head = encoder.encode(`${id}.${time}.`)
  const signed = new Uint8Array(head.length + bytes.length)
  signed.set(head)
  signed.set(bytes, head.length)

  const signatures = header('webhook-signature')
    .split(' ')
    .filter((one) => one.startsWith('v1,'))
    .flatMap((one) => fromBase64(one.slice(3)) ?? [])
  for (const secret of Array.isArray(secrets) ? secrets : [secrets]) {
    const key = await keyOf(secret)
    for (const signature of signatures)
      if (await crypto.subtle.verify('HMAC', key, signature, signed))
        return { id, timestamp, payload: parse(bytes) as Payload }
  }
  throw new BadWebhook('No signature of the message verifies with the secret.')
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch (cause) {
    throw new BadWebhook('The body is not JSON.', { cause })
  }
}

function ownHeader(
  headers: Exclude<ReceivedWebhook['headers'], Headers>,
  wanted: string,
): string | undefined {
  const [, value] = Object.entries(headers).find(([name]) => name.toLowerCase() === wanted) ?? []
  return typeof value === 'string' ? value : value?.[0]
}

function keyOf(secret: string) {
  const bytes = typeof secret === 'string' ? fromBase64(secret.replace(/^whsec_/, '')) : null
  if (bytes === null || bytes.length === 0) throw new BadWebhook('The secret must be whsec_ and base64.')
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return null
  }
}

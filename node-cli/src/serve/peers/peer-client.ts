import { type JsonAnswer, NoAnswer, OversizedAnswer, requestBytes, requestJson } from '../../http-json.ts'
import type { RequestSigner } from '../hub/request-signer.ts'

/** Thrown when a peer is away, refuses a request, or gives an impossible answer. */
export class PeerError extends Error {
  override readonly name = 'PeerError'
}

export interface PeerRequest {
  /** Path below the address of the peer, and `?` with the query string when there is one. */
  readonly target: string
  /** Sent as JSON with POST; left out for GET. */
  readonly body?: object
  readonly timeoutSeconds?: number
  readonly answerBytesMax?: number
}

const answerBytesDefault = 4 * 1024 * 1024
const timeoutSecondsDefault = 10

export type PeerClient = ReturnType<typeof peerClient>

/**
 * Calls another validator, signed with the key of this node. Its answers are not verified here.
 *
 * @param stop ends calls under way.
 */
export function peerClient(
  { publicKey, url }: { readonly publicKey: string; readonly url: string },
  sign: RequestSigner,
  stop?: AbortSignal,
) {
  const signed = ({ target, body, timeoutSeconds, answerBytesMax }: PeerRequest) => {
    const address = new URL(new URL(url).pathname.replace(/\/$/, '') + target, url)
    const method = body === undefined ? 'GET' : 'POST'
    const text = body === undefined ? undefined : JSON.stringify(body)
    const headers = sign({ method, target: address.pathname + address.search, body: text ?? '' })
    return {
      href: address.href,
      options: {
        method,
        headers,
        ...(text !== undefined && { body: text }),
        timeoutSeconds: timeoutSeconds ?? timeoutSecondsDefault,
        answerBytesMax: answerBytesMax ?? answerBytesDefault,
        stop,
      } as const,
    }
  }
  /** The answer, whatever its status. @throws {@link PeerError} for none. */
  const ask = (request: PeerRequest): Promise<JsonAnswer> => {
    const { href, options } = signed(request)
    return orPeerError(requestJson(href, options))
  }
  return {
    publicKey,
    ask,
    /** JSON of a 200. @throws {@link PeerError} */
    read: async (request: PeerRequest): Promise<unknown> => {
      const { status, value } = await ask(request)
      if (status !== 200 || value === undefined) throw new PeerError(`it answers ${status}`)
      return value
    },
    /** Bytes of a 200. @throws {@link PeerError} */
    readBytes: async (request: PeerRequest): Promise<Uint8Array> => {
      const { href, options } = signed(request)
      const { status, bytes } = await orPeerError(requestBytes(href, 'application/octet-stream', options))
      if (status !== 200 || bytes === undefined) throw new PeerError(`it answers ${status}`)
      return bytes
    },
  }
}

async function orPeerError<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    if (error instanceof NoAnswer || error instanceof OversizedAnswer) throw new PeerError(error.message)
    throw error
  }
}

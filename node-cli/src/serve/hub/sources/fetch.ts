import { artifactBytesMax } from '../../../../../protocol/hbc/artifact.ts'
import { limits } from '../../../engine/index.ts'
import type { AnswerReader, DownloadBounds, HubClient } from '../hub-client.ts'
import { HubError } from '../hub-error.ts'

/** The kinds of things that a node fetches from its hub to judge by them. */
export type SourceKind = 'set' | 'rules' | 'module' | 'round' | 'input'

const mebibyte = 1024 * 1024
const json = 'application/json'

const boundsOf: Readonly<Record<SourceKind, DownloadBounds>> = {
  // 65,536 entries take up to 33 MB, and the signatures of 1,024 validators less than one.
  set: { type: json, answerBytesMax: 48 * mebibyte, timeoutSeconds: 60 },
  rules: { type: json, answerBytesMax: mebibyte, timeoutSeconds: 10 },
  module: { type: 'application/octet-stream', answerBytesMax: artifactBytesMax, timeoutSeconds: 30 },
  round: { type: json, answerBytesMax: 4 * mebibyte, timeoutSeconds: 10 },
  input: { type: null, answerBytesMax: limits.input, timeoutSeconds: 10 },
}

/** Thrown while the hub cannot give something. The same request may be answered later. */
export class SourceAway extends Error {
  override readonly name = 'SourceAway'
  readonly kind: SourceKind
  readonly retryAfterSeconds: number | null

  constructor(kind: SourceKind, message: string, retryAfterSeconds: number | null = null) {
    super(message)
    this.kind = kind
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** Thrown for something that the hub does not have, and for an answer that fails a check. */
export class SourceRefused extends Error {
  override readonly name = 'SourceRefused'
  readonly kind: SourceKind
  readonly code: string

  constructor(kind: SourceKind, code: string, message: string) {
    super(message)
    this.kind = kind
    this.code = code
  }
}

export type SourceFetch = ReturnType<typeof sourceFetch>

/**
 * Asks the hub, within the bounds of each kind. Nobody has checked the answers. Both calls throw {@link SourceAway} and
 * {@link SourceRefused}, whose code is `not_found` for a 404.
 *
 * @param client Null on a node without a hub, which can fetch nothing.
 */
export function sourceFetch(client: HubClient | null) {
  const ask = async <T>(kind: SourceKind, call: (hub: HubClient) => Promise<T>): Promise<T> => {
    if (client === null) throw new SourceAway(kind, 'this node has no hub to ask; name one with --hub-url')
    try {
      return await call(client)
    } catch (error) {
      if (!(error instanceof HubError)) throw error
      const { message, isPassing, retryAfterSeconds, status } = error
      if (isPassing) throw new SourceAway(kind, message, retryAfterSeconds)
      throw new SourceRefused(kind, status === 404 ? 'not_found' : 'hub_answer', message)
    }
  }
  return {
    read: <T>(kind: SourceKind, target: string, read: AnswerReader<T>): Promise<T> => {
      const { answerBytesMax, timeoutSeconds } = boundsOf[kind]
      return ask(kind, (hub) => hub.call({ method: 'GET', target, answerBytesMax, timeoutSeconds }, read))
    },
    bytes: (kind: SourceKind, target: string): Promise<Uint8Array> =>
      ask(kind, (hub) => hub.download(target, boundsOf[kind])),
  }
}

/** The result of `fetch`; for a 404 of the hub, the error has the message of the caller. */
export async function orMissing<T>(fetch: Promise<T>, message: string): Promise<T> {
  try {
    return await fetch
  } catch (error) {
    if (error instanceof SourceRefused && error.code === 'not_found')
      throw new SourceRefused(error.kind, 'not_found', message)
    throw error
  }
}

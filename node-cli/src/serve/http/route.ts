import type { SenderRole } from '../store/senders.ts'

/** Allowed callers: anybody, the operator with the bearer token, nodes with a signed request, or only the coordinator with one. */
export type Access = 'open' | 'bearer' | 'node' | 'node or bearer' | 'coordinator' | 'coordinator or bearer'

/** The caller. On an open route the operator is known too, if the token comes with the request. */
export type Caller =
  | { readonly kind: 'anyone' }
  | { readonly kind: 'operator' }
  | { readonly kind: 'node'; readonly publicKey: string; readonly nodeId: string; readonly role: SenderRole }

export interface RouteRequest {
  readonly method: string
  /** The segments that stand for the names in the path, as they came; not decoded. */
  readonly params: Readonly<Record<string, string>>
  readonly query: ReadonlyMap<string, string>
  /** Empty if the route takes no body. */
  readonly body: Uint8Array
  readonly caller: Caller
  readonly requestId: string
  readonly signal: AbortSignal
}

export type Pieces = AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>

export interface Answer {
  readonly status: number
  /** An object is written as JSON. Pieces are asked for one by one, as fast as the caller reads. */
  readonly body: object | Uint8Array | Pieces
  readonly contentType?: string
  /** Must be there for a body in pieces whose length is known. */
  readonly length?: number
  readonly headers?: Readonly<Record<string, string>>
}

export interface Route {
  /** HEAD is answered wherever GET is. */
  readonly method: 'GET' | 'POST' | 'PUT'
  /** Segments that begin with a colon stand for any text: `/modules/:address`. */
  readonly path: string
  readonly access: Access
  /** Names of the parameters it takes; any other is refused. */
  readonly query?: readonly string[]
  /** The body it takes; any is refused when left out. */
  readonly body?: { readonly contentType: string; readonly bytesMax: number }
  readonly handle: (request: RouteRequest) => Answer | Promise<Answer>
}

export const json = (status: number, body: object): Answer => ({ status, body })

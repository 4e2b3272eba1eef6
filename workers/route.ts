import type * as z from 'zod'
import type { ErrorCode } from '../protocol/errors.ts'
import type { Scope } from './auth/principal.ts'
import type { HubContext } from './context.ts'
import type { Answer, CachePolicy } from './http/answer.ts'
import type { ExtraBudget, Stored } from './middleware/budgets.ts'

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** The credentials that a route takes. Without any, the route is open, yet a credential sent along is checked. */
export interface RouteAuth {
  session?: true
  apiKey?: Scope
  /** The path parameter that names the project: a key that is for other projects is refused. */
  project?: string
  /**
   * Signed by a key that is registered or bound here, or by any key: then the body must name its hub, as the signed text names
   * no host.
   */
  node?: 'known_key' | 'any_key'
  /** The call opens a link, whose object takes each signature once. A ticket replaces the records of the key. */
  link?: true
  operator?: true
}

export interface JsonBody {
  schema: z.ZodType
  example: unknown
  /** 1 MiB unless the route says otherwise. */
  bytesMax?: number
  /** Most values in the body, lists and objects included; 10,000 unless the route says otherwise. */
  valuesMax?: number
  /** For documents of the client's own, which nobody hashes: numbers may have a fraction or an exponent. */
  fractions?: true
  /** The caller may leave the body out, which says as much as `{}`. */
  optional?: true
  /** Reads the body where that takes more than the schema, which is then for the OpenAPI document only. */
  parse?: (c: HubContext, bytes: Uint8Array) => unknown
  /** Reads the body itself, where it is not to be held in memory whole. */
  read?: (c: HubContext) => Promise<unknown>
}

export interface RawBody {
  contentType: 'application/octet-stream'
  bytesMax: number
  description: string
}

export interface RouteResponse {
  description: string
  schema?: z.ZodType
  example?: unknown
  /** The code of an answer that is an error with a status of its own. */
  code?: ErrorCode
  /** For bytes, pages and streams; with a schema, the caller chooses between these and JSON. */
  contentType?: string | readonly string[]
  headers?: Record<string, string>
}

/** All that the hub and its OpenAPI document know of one endpoint; requests are validated against the schemas of the document. */
export interface RouteDeclaration {
  method: Method
  /** OpenAPI form: `/v1/modules/{address}`. */
  path: string
  operationId: string
  tag: string
  summary: string
  description: string
  auth?: RouteAuth
  budget?: ExtraBudget
  /** The data that a request leaves behind: its size counts against what callers of one client address may have stored in a day. */
  stores?: Stored
  params?: z.ZodObject
  query?: z.ZodObject
  json?: JsonBody
  raw?: RawBody
  headers?: Record<string, string>
  /** Honours `Idempotency-Key`. */
  idempotent?: true
  cache?: CachePolicy
  responses: Record<number, RouteResponse>
  /** The body is a signed document: a signature in it that does not verify is answered with 422 `bad_signature`. */
  signed?: true
  /** Codes beyond those every route can answer. */
  errors?: readonly ErrorCode[]
}

type Output<T> = T extends z.ZodType ? z.output<T> : undefined

export interface RouteInput<D extends RouteDeclaration> {
  params: Output<D['params']>
  query: Output<D['query']>
  json: D['json'] extends { parse: (...given: never) => infer Body }
    ? Body
    : D['json'] extends { read: (...given: never) => Promise<infer Body> }
      ? Body
      : D['json'] extends JsonBody
        ? z.output<D['json']['schema']>
        : undefined
  raw: D['raw'] extends RawBody ? Uint8Array : undefined
}

export interface Route {
  declaration: RouteDeclaration
  handle: (c: HubContext, input: RouteInput<RouteDeclaration>) => Promise<Answer> | Answer
  /** Puts into the answer, fresh or repeated, what the request itself brings and is too large to be kept with it. */
  complete?: (answer: Answer, input: RouteInput<RouteDeclaration>) => Answer
}

/** Joins a declaration and its handler; the handler's input types follow from the declaration. */
export function defineRoute<const D extends RouteDeclaration>(
  declaration: D,
  handle: (c: HubContext, input: RouteInput<D>) => Promise<Answer> | Answer,
  complete?: (answer: Answer, input: RouteInput<D>) => Answer,
): Route {
  return { declaration, handle, ...(complete && { complete }) } as unknown as Route
}

/** A response with JSON. */
export const reply = (
  status: number,
  description: string,
  schema: z.ZodType,
  example: unknown,
  headers?: Record<string, string>,
): Record<number, RouteResponse> => ({
  [status]: { description, schema, example, ...(headers && { headers }) },
})

export const ok = (description: string, schema: z.ZodType, example: unknown) =>
  reply(200, description, schema, example)

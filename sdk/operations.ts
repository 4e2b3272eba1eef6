import type { components, paths } from './api.generated.ts'

/** The shapes of the API, by their names in its OpenAPI document. */
export type Schemas = components['schemas']

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** A call of the API, by method and path: `GET /v1/projects/{project_id}`. */
export type Operation = {
  [Path in keyof paths]: {
    [M in Method]: [paths[Path][M]] extends [undefined] ? never : `${Uppercase<M>} ${Path}`
  }[Method]
}[keyof paths]

type Declaration<O extends Operation> = O extends `${infer M} ${infer Path extends keyof paths}`
  ? paths[Path][Lowercase<M> & keyof paths[Path]]
  : never

type Parameters<O extends Operation, Place extends 'path' | 'query'> =
  Declaration<O> extends { parameters: infer Places extends { [P in Place]?: unknown } }
    ? Places[Place]
    : undefined

/** Bytes have no shape in the document. */
type BodyContent<Content> = 'application/json' extends keyof Content
  ? Content['application/json']
  : Uint8Array

type Body<O extends Operation> =
  Declaration<O> extends { requestBody: { content: infer Content } }
    ? BodyContent<Content>
    : Declaration<O> extends { requestBody?: { content: infer Content } }
      ? BodyContent<Content> | undefined
      : undefined

type Nothing = Record<never, never>

type Member<Name extends string, T> = [T] extends [undefined]
  ? { readonly [N in Name]?: undefined }
  : Nothing extends T
    ? { readonly [N in Name]?: T }
    : undefined extends T
      ? { readonly [N in Name]?: T }
      : { readonly [N in Name]: T }

/** Options of every call. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  /** For all tries together, reading the answer included; milliseconds. */
  readonly timeout?: number | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** For a call that takes an `Idempotency-Key`: by default a fresh one, which all tries share. `null` sends none. */
  readonly idempotencyKey?: string | null | undefined
  /**
   * Whether it may be sent again when nobody knows whether it arrived. By default reads, PUT, DELETE, and calls with an
   * `Idempotency-Key`.
   */
  readonly repeatable?: boolean | undefined
}

/** Parameters and body of a call, and its options. */
export type CallArguments<O extends Operation> = Member<'path', Parameters<O, 'path'>> &
  Member<'query', Parameters<O, 'query'>> &
  Member<'body', Body<O>> &
  CallOptions

/** May be left out where a call needs none. */
export type Given<O extends Operation> =
  Nothing extends CallArguments<O> ? [args?: CallArguments<O>] : [args: CallArguments<O>]

type Success = 200 | 201 | 202 | 204
type AnswerContent<Response> = Response extends { content: infer Content }
  ? 'application/json' extends keyof Content
    ? Content['application/json']
    : Uint8Array
  : undefined

/** The answer of a successful call: its JSON, its bytes, or nothing. */
export type Answer<O extends Operation> =
  Declaration<O> extends { responses: infer Responses }
    ? { [Status in keyof Responses & Success]: AnswerContent<Responses[Status]> }[keyof Responses & Success]
    : never

/** A call that answers a list page by page. */
export type ListOperation = {
  [O in Operation]: 'cursor' extends keyof NonNullable<Parameters<O, 'query'>>
    ? Answer<O> extends { items: unknown[]; next_cursor: string | null }
      ? O
      : never
    : never
}[Operation]

/** An item of such a list. */
export type Item<O extends ListOperation> = Answer<O> extends { items: (infer One)[] } ? One : never

import type { paths } from '../../sdk/api.generated.ts'

/** The operator API, and the public lists of what operators decide about. */
export type OperatorPath =
  | Extract<keyof paths, `/admin/${string}` | '/v1/validators' | '/v1/validators/generations'>
  | '/v1/explorer/slashes'
  | '/v1/explorer/epochs'

/** One call of the hub, as the typed client takes it. */
export interface OperatorCall {
  readonly method: 'get' | 'post' | 'put'
  readonly path: OperatorPath
  readonly params?: {
    readonly path?: Record<string, string>
    readonly query?: Record<string, string | undefined>
  }
  readonly body?: Record<string, unknown>
}

/** Options of all commands, as they are typed. */
export interface Options {
  readonly reason?: string
  readonly notes?: string
  readonly condition?: readonly string[]
  readonly status?: string
  readonly role?: string
  readonly project?: string
  readonly subject?: string
  readonly amount?: string
  readonly 'eth-amount'?: string
  readonly node?: readonly string[]
  readonly approve?: readonly string[]
  readonly revoke?: readonly string[]
  readonly emergency?: boolean
  readonly 'at-once'?: boolean
}

/** A command, and the call it makes. */
export interface Command {
  /** Words the command begins with; a word in angle brackets stands for any. */
  readonly words: readonly string[]
  readonly does: string
  /** Options of an example; its words are those of the command. */
  readonly example?: string
  readonly options?: readonly (keyof Options)[]
  readonly call: (given: readonly string[], options: Options) => OperatorCall
}

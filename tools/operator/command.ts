import type { parseArgs } from 'node:util'
import type { Operation } from '../../sdk/index.ts'

type PathOf<O> = O extends `${string} ${infer Path}` ? Path : never

/** The operator API, and the public lists of what operators decide about. */
export type OperatorPath =
  | Extract<PathOf<Operation>, `/admin/${string}` | '/v1/validators' | '/v1/validators/generations'>
  | '/v1/explorer/slashes'
  | '/v1/explorer/epochs'
  | '/v1/status'
  | '/v1/developers/api-keys'

/** One call of the hub, as the typed client takes it. */
export interface OperatorCall {
  readonly method: 'get' | 'post' | 'put' | 'delete'
  readonly path: OperatorPath
  readonly params?: {
    readonly path?: Record<string, string>
    readonly query?: Record<string, string | undefined>
  }
  readonly body?: Record<string, unknown>
}

/** Options of all commands. */
export const commandOptions = {
  reason: { type: 'string' },
  notes: { type: 'string' },
  condition: { type: 'string', multiple: true },
  status: { type: 'string' },
  role: { type: 'string' },
  project: { type: 'string' },
  subject: { type: 'string' },
  cursor: { type: 'string' },
  amount: { type: 'string' },
  'eth-amount': { type: 'string' },
  cooldown: { type: 'string' },
  node: { type: 'string', multiple: true },
  approve: { type: 'string', multiple: true },
  revoke: { type: 'string', multiple: true },
  title: { type: 'string' },
  kind: { type: 'string' },
  description: { type: 'string' },
  member: { type: 'string', multiple: true },
  emergency: { type: 'boolean' },
  'at-once': { type: 'boolean' },
} as const

/** The same as they are typed. */
export type Options = ReturnType<typeof parseArgs<{ options: typeof commandOptions }>>['values']

/** A command, and the call it makes. */
export interface Command {
  /** Words the command begins with; a word in angle brackets stands for any. */
  readonly words: readonly string[]
  readonly does: string
  /** Options of an example; its words are those of the command. */
  readonly example?: string
  readonly options?: readonly (keyof Options)[]
  /** A further paragraph of its own help. */
  readonly note?: string
  /** Whether the call is made again with `next_cursor` in its body, until the answer has no cursor. */
  readonly isPaged?: boolean
  /** Whether it is made again every few seconds, by nobody in particular, until the person ends it. */
  readonly isWatched?: boolean
  /** Whether its answer is a text for another program, and no JSON. */
  readonly isText?: boolean
  readonly call: (given: readonly string[], options: Options) => OperatorCall
}

import { type Problem, problemsMax } from '../../../../protocol/encoding/index.ts'

/** Thrown for what this node does not sign, with everything that is wrong with it. Over HTTP it is `invalid_evidence`. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[]) {
    super(problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join(' '))
    this.problems = problems.slice(0, problemsMax)
  }
}

export const problem = (path: string, message: string, code = 'invalid_value'): Problem => ({
  path,
  code,
  message,
})

export const refusal = (path: string, message: string, code?: string): Refusal =>
  new Refusal([problem(path, message, code)])

/** Thrown where this node cannot tell yet; the same request may be answered later. */
export class NotYet extends Error {
  override readonly name = 'NotYet'
}

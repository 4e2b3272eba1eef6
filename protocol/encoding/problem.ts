import { compareCodePoints } from './canonical-encoder.ts'

/** One thing wrong with a document. Documents are checked to the end, so that all problems are reported at once. */
export interface Problem {
  /** Dotted path, list positions as `[i]`, the root as the empty string. */
  readonly path: string
  readonly code: string
  /** For people; what the rule asks for. */
  readonly message: string
}

/** Orders problems by path, then by code, comparing code points. A problem found twice is listed once. */
export function sortProblems(problems: readonly Problem[]): Problem[] {
  return [...problems]
    .sort((a, b) => compareCodePoints(a.path, b.path) || compareCodePoints(a.code, b.code))
    .filter((one, i, all) => one.path !== all[i - 1]?.path || one.code !== all[i - 1]?.code)
}

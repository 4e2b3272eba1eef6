import { compareCodePoints } from './canonical-encoder.ts'

/** One thing wrong with a document. Documents are checked to the end, so that all problems are reported at once. */
export interface Problem {
  /** Dotted path, list positions as `[i]`, the root as the empty string; of a long one the beginning. */
  readonly path: string
  readonly code: string
  /** For people; what the rule asks for. */
  readonly message: string
}

/** Most problems that are reported of one document. More are not worth reading. */
export const problemsMax = 100

/**
 * The problems of one document, in the order in which they are found: each once, and {@link problemsMax} at most, so that
 * the list stays short however large the document is.
 */
export class ProblemList {
  readonly #problems = new Map<string, Problem>()

  constructor(problems: Iterable<Problem> = []) {
    for (const problem of problems) this.add(problem)
  }

  /** Whether further problems would be left out. */
  get isFull(): boolean {
    return this.#problems.size >= problemsMax
  }

  get isEmpty(): boolean {
    return this.#problems.size === 0
  }

  /** Keeps the problem, unless the list is full or has one with the same path and code. */
  add(problem: Problem): void {
    if (this.isFull) return
    const name = `${problem.path}\n${problem.code}`
    if (!this.#problems.has(name)) this.#problems.set(name, problem)
  }

  /** In the order in which they were found. */
  found(): Problem[] {
    return [...this.#problems.values()]
  }

  /** Ordered by path, then by code, comparing code points. */
  sorted(): Problem[] {
    return this.found().sort((a, b) => compareCodePoints(a.path, b.path) || compareCodePoints(a.code, b.code))
  }
}

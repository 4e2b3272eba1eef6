import type { Clause } from './clauses.ts'

/** The result of a run for one clause. */
export interface Finding {
  readonly clause: Clause
  /** `unseen`: nothing in the run tested the clause. */
  readonly state: 'kept' | 'broken' | 'unseen'
  /** How the clause was broken, as sentences; at most {@link problemsMax}. */
  readonly problems: readonly string[]
}

const problemsMax = 3
const problemLength = 300

/** Collects what is seen of the clauses of one side. */
export class Findings {
  readonly #clauses: ReadonlyMap<string, Clause>
  readonly #seen = new Map<string, string[]>()

  constructor(clauses: readonly Clause[]) {
    this.#clauses = new Map(clauses.map((clause) => [clause.number, clause]))
  }

  /** @param problem - How the clause is broken, as a sentence; null if it is kept. */
  note(number: string, problem: string | null): void {
    if (!this.#clauses.has(number)) throw new Error(`no clause has the number ${number}`)
    const problems = this.#seen.get(number) ?? []
    this.#seen.set(number, problems)
    const text = problem?.slice(0, problemLength)
    if (text !== undefined && problems.length < problemsMax && !problems.includes(text)) problems.push(text)
  }

  /** The same for a condition that holds or does not. */
  require(number: string, holds: boolean, problem: string): void {
    this.note(number, holds ? null : problem)
  }

  all(): Finding[] {
    return [...this.#clauses.values()].map((clause) => {
      const problems = this.#seen.get(clause.number)
      const state = problems === undefined ? 'unseen' : problems.length === 0 ? 'kept' : 'broken'
      return { clause, state, problems: problems ?? [] }
    })
  }
}

/** Numbers of the clauses in a state. */
export const numbersOf = (findings: readonly Finding[], state: Finding['state']): string[] =>
  findings.filter((finding) => finding.state === state).map(({ clause }) => clause.number)

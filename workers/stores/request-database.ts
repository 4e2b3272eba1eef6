import { AsyncLocalStorage } from 'node:async_hooks'

/** Which copy of the database a request begins with: the nearest one, the primary, or any that has seen the write that a bookmark names. */
export type Consistency = 'first-unconstrained' | 'first-primary' | (string & {})

interface Question {
  statement: D1PreparedStatement
  resolve: (result: D1Result) => void
  reject: (error: unknown) => void
}

/** The origin of a statement: the check of the caller's credential, or the work that waits for that check. */
type Part = 'credential' | 'work'

const scope = new AsyncLocalStorage<{ database: RequestDatabase; part: Part }>()

/** A query that is awaited reaches the database some turns later; those begun together have all done so by then. */
const turnsTogether = 12

/**
 * The database as one request uses it: in one session, so that it sees its own writes, and with as few round trips as it
 * can. Statements that are asked together travel together. The check of the caller's credential waits for the first of
 * the work's, as long as it is held, and nothing that was read reaches the work before the caller is admitted.
 */
export class RequestDatabase {
  readonly #d1: D1Database
  readonly #consistency: () => Consistency
  #session: D1DatabaseSession | undefined
  #questions: Question[] = []
  #isGathering = false
  #isHeld = false
  #admission: Promise<unknown> | undefined

  constructor(d1: D1Database, consistency: () => Consistency) {
    this.#d1 = d1
    this.#consistency = consistency
  }

  /** Runs the work of the request; what it asks the database, at any depth, goes through here. */
  run<T>(work: () => T): T {
    return scope.run({ database: this, part: 'work' }, work)
  }

  runCheck<T>(check: () => T): T {
    return scope.run({ database: this, part: 'credential' }, check)
  }

  /** Holds the check's statement back for the first one of the work, which sees nothing until `admission` resolves. */
  hold(admission: Promise<unknown>): void {
    this.#isHeld = true
    this.#admission = admission
    // The answer awaits it; here it is only a gate.
    admission.catch(() => {})
  }

  release(): void {
    this.#isHeld = false
    this.#gather()
  }

  /** Names what this request has written and read; undefined when it asked nothing. */
  get bookmark(): string | undefined {
    return this.#session?.getBookmark() ?? undefined
  }

  get session(): D1DatabaseSession {
    this.#session ??= this.#d1.withSession(this.#consistency())
    return this.#session
  }

  /** Asks a statement together with those that are asked at the same time. */
  async ask(statement: D1PreparedStatement, part: Part): Promise<D1Result> {
    const { promise, resolve, reject } = Promise.withResolvers<D1Result>()
    this.#questions.push({ statement, resolve, reject })
    if (part === 'work') this.#isHeld = false
    if (!this.#isHeld) this.#gather()
    const result = await promise
    if (part === 'work') await this.#admission
    return result
  }

  /** Resolves when the caller is admitted: before that nothing is written. */
  async admitted(part: Part): Promise<void> {
    if (part === 'credential' || this.#admission === undefined) return
    this.release()
    await this.#admission
  }

  async #gather(): Promise<void> {
    if (this.#isGathering) return
    this.#isGathering = true
    for (let turn = 0; turn < turnsTogether; turn++) await undefined
    this.#isGathering = false
    const questions = this.#questions
    this.#questions = []
    try {
      const [first, ...others] = questions
      if (first === undefined) return
      if (others.length === 0) return first.resolve(await first.statement.all())
      const results = await this.session.batch(questions.map(({ statement }) => statement))
      for (const [index, { resolve }] of questions.entries()) resolve(results[index] as D1Result)
    } catch (error) {
      for (const { reject } of questions) reject(error)
    }
  }
}

/** Whether a statement only reads. A statement that writes may return rows, too. */
export const onlyReads = (text: string): boolean => /^\s*(SELECT|WITH)\b/i.test(text) && !writes.test(text)

/** A statement that begins with WITH may write, too. */
const writes = /\b(INSERT\s+INTO|REPLACE\s+INTO|DELETE\s+FROM|UPDATE\s+"?\w+"?\s+SET|RETURNING)\b/i

/** A database whose statements go through the request they are asked for; those of queues and schedules go straight. */
export function scopedToRequests(d1: D1Database): D1Database {
  const batch = async <T>(statements: D1PreparedStatement[]): Promise<D1Result<T>[]> => {
    const own = statements.map((statement) => (statement as unknown as ScopedStatement).native())
    const current = scope.getStore()
    if (current === undefined) return d1.batch<T>(own)
    await current.database.admitted(current.part)
    return current.database.session.batch<T>(own)
  }
  const prepare = (sql: string) => new ScopedStatement(d1, sql, []) as unknown as D1PreparedStatement
  return { prepare, batch } as D1Database
}

class ScopedStatement {
  readonly #d1: D1Database
  readonly #sql: string
  readonly #values: unknown[]

  constructor(d1: D1Database, sql: string, values: unknown[]) {
    this.#d1 = d1
    this.#sql = sql
    this.#values = values
  }

  bind(...values: unknown[]): ScopedStatement {
    return new ScopedStatement(this.#d1, this.#sql, values)
  }

  native(): D1PreparedStatement {
    const statement = (scope.getStore()?.database.session ?? this.#d1).prepare(this.#sql)
    // biome-ignore lint/plugin/noSpreadArguments: The values of one statement.
    return this.#values.length === 0 ? statement : statement.bind(...this.#values)
  }

  async all(): Promise<D1Result> {
    const current = scope.getStore()
    if (current === undefined) return this.native().all()
    if (!onlyReads(this.#sql)) await current.database.admitted(current.part)
    return current.database.ask(this.native(), current.part)
  }

  /** Rows as the query builder reads them. Columns of one name would become one, so every query names its own apart. */
  async raw(): Promise<unknown[][]> {
    const { results } = await this.all()
    return results.map((row) => Object.values(row as object))
  }

  async run(): Promise<D1Result> {
    const current = scope.getStore()
    await current?.database.admitted(current.part)
    return this.native().run()
  }
}

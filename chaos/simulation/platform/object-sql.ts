import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite'

type Row = Record<string, SQLOutputValue>

/** A database in memory with the tables that scripts made. */
class Tables {
  readonly #database = new DatabaseSync(':memory:')
  readonly #statements = new Map<string, StatementSync>()

  run(script: string): void {
    this.#database.exec(script)
  }

  rows(text: string, values: readonly SQLInputValue[] = []): Row[] {
    const statement = this.#statements.get(text) ?? this.#database.prepare(text)
    this.#statements.set(text, statement)
    return statement.all(...values)
  }

  empty(): void {
    for (const { name } of this.rows("SELECT name FROM sqlite_master WHERE type = 'table'"))
      this.rows(`DELETE FROM "${name}"`)
  }

  close(): void {
    this.#statements.clear()
    this.#database.close()
  }
}

/** Creating tables takes longer than most uses of them, so objects take over the emptied tables of objects that forgot everything. */
const free = new Map<string, Tables[]>()
const freeMax = 100

function made(scripts: readonly string[]): Tables {
  const tables = new Tables()
  for (const script of scripts) tables.run(script)
  return tables
}

const freeOf = (scripts: readonly string[]): Tables[] => {
  const name = scripts.join('\n;\n')
  const known = free.get(name) ?? []
  free.set(name, known)
  return known
}

/** Empty ones to read in, as long as an object has stored no row. */
function emptyOf(scripts: readonly string[]): Tables {
  const some = freeOf(scripts)
  if (some.length === 0) some.push(made(scripts))
  return some[0]!
}

type Kind = 'read' | 'write' | 'script'
const kinds = new Map<string, Kind>()

function kindOf(text: string): Kind {
  const known = kinds.get(text)
  if (known !== undefined) return known
  // Migrations are several statements, or one about tables, and bind nothing.
  const isScript = /^\s*(?:CREATE|ALTER|DROP)\b/.test(text) || /;\s*\S/.test(text)
  const kind = isScript ? 'script' : /^\s*SELECT\b/.test(text) ? 'read' : 'write'
  kinds.set(text, kind)
  return kind
}

export const isRead = (text: string): boolean => kindOf(text) === 'read'

/**
 * The SQL of one object: real tables of its own from the first row that it writes. Tables are made by scripts, as migrations are, and a
 * script that comes before the first row is run when that is written.
 */
export class ObjectSql {
  #scripts: readonly string[] = []
  #own: Tables | null = null
  /** As they were when the transaction began; null without one. */
  #before: { readonly scripts: readonly string[]; readonly own: Tables | null } | null = null
  /** The scripts that made its own tables. */
  #madeBy: readonly string[] = []
  /** Whether others were run in them since. */
  #isOther = false
  #isInner = false

  /** Whether it has tables. */
  get isUsed(): boolean {
    return this.#scripts.length > 0
  }

  exec(text: string, values: readonly SQLInputValue[]): Row[] {
    const kind = kindOf(text)
    if (kind === 'read') return (this.#own ?? emptyOf(this.#scripts)).rows(text, values)
    if (kind === 'write') return this.#tables().rows(text, values)
    this.#scripts = [...this.#scripts, text]
    if (this.#own !== null) {
      this.#own.run(text)
      this.#isOther = true
    }
    return []
  }

  begin(): void {
    this.#before = { scripts: this.#scripts, own: this.#own }
    this.#own?.rows('BEGIN')
  }

  commit(): void {
    this.#own?.rows('COMMIT')
    this.#before = null
  }

  rollback(): void {
    const own = this.#own
    own?.rows('ROLLBACK')
    this.#scripts = this.#before?.scripts ?? []
    this.#own = this.#before?.own ?? null
    this.#before = null
    // Their rows were taken back.
    if (own !== null && this.#own === null) this.#giveBack(own)
  }

  /** Runs something of which nothing is left if it throws. */
  inner<T>(run: () => T): T {
    const [scripts, own] = [this.#scripts, this.#own]
    this.#isInner = true
    own?.rows('SAVEPOINT inner')
    try {
      const result = run()
      this.#own?.rows('RELEASE inner')
      return result
    } catch (error) {
      this.#own?.rows('ROLLBACK TO inner')
      this.#own?.rows('RELEASE inner')
      if (own === null && this.#own !== null && scripts !== this.#scripts)
        throw new Error('Tables that are made and written in one transaction stay.', { cause: error })
      this.#scripts = scripts
      throw error
    } finally {
      this.#isInner = false
    }
  }

  clear(): void {
    const own = this.#own
    this.#own = null
    this.#scripts = []
    this.#before = null
    if (own === null) return
    own.empty()
    this.#giveBack(own)
  }

  #tables(): Tables {
    if (this.#own !== null) return this.#own
    const some = freeOf(this.#scripts)
    // One is left for those that only read.
    const own = some.length > 1 ? some.pop()! : made(this.#scripts)
    this.#own = own
    this.#madeBy = this.#scripts
    this.#isOther = false
    if (this.#before !== null) own.rows('BEGIN')
    if (this.#isInner) own.rows('SAVEPOINT inner')
    return own
  }

  #giveBack(own: Tables): void {
    const some = freeOf(this.#madeBy)
    if (some.length < freeMax && !this.#isOther) some.push(own)
    else own.close()
  }
}

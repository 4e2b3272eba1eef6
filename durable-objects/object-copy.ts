/** A table of an object that a backup has. */
export interface CopiedTable {
  readonly name: string
  /** An expression that differs for each row, by which pages continue. */
  readonly key: string
  /** Which rows are copied; all where it is left out. */
  readonly where?: string
}

/** Rows of one table, as JSON: a list of objects. */
export interface CopiedRows {
  readonly table: string
  readonly rows: string
}

export interface CopyPage extends CopiedRows {
  /** The cursor of the next page; null after the last one. */
  readonly next: string | null
}

type Row = Record<string, SqlStorageValue>

/** A page has no more rows, and ends after the row that makes it longer. */
const rowsMax = 500
const charsMax = 400_000
const loadedKey = 'loaded_backup'
const isLoadedWhole = 'whole'

/** The next rows of the tables of an object. @param cursor - `next` of the page before; null for the first one. */
export function dumpPage(
  { sql }: DurableObjectStorage,
  tables: readonly CopiedTable[],
  cursor: string | null,
): CopyPage {
  const [index, after] =
    cursor === null ? [0, null] : (JSON.parse(cursor) as [number, string | number | null])
  const { name, key, where = 'true' } = tables[index]!
  const found = sql.exec<Row>(
    `SELECT *, ${key} AS copy_key FROM ${name} WHERE (${where}) AND (?1 IS NULL OR ${key} > ?1)
     ORDER BY ${key} LIMIT ${rowsMax + 1}`,
    after,
  )
  const rows: string[] = []
  let chars = 0
  let last: SqlStorageValue = null
  let goesOn = false
  for (const { copy_key, ...row } of found) {
    goesOn = rows.length === rowsMax || chars > charsMax
    if (goesOn) break
    rows.push(JSON.stringify(row))
    chars += rows.at(-1)!.length
    last = copy_key!
  }
  const next = goesOn ? [index, last] : index + 1 < tables.length ? [index + 1, null] : null
  return { table: name, rows: `[${rows.join()}]`, next: next && JSON.stringify(next) }
}

/**
 * Adds rows of a backup to an object that had none. The same again adds nothing.
 * @returns False if the object has rows of its own, or was brought back to work since.
 */
export function loadRows(
  storage: DurableObjectStorage,
  tables: readonly CopiedTable[],
  backup: string,
  { table, rows }: CopiedRows,
): boolean {
  const { sql, kv } = storage
  if (!tables.some(({ name }) => name === table)) return false
  return storage.transactionSync(() => {
    const loaded = kv.get<string>(loadedKey)
    if (loaded === undefined ? !isEmpty(sql, tables) : loaded !== backup) return false
    kv.put(loadedKey, backup)
    const [first = {}] = JSON.parse(rows) as Row[]
    const columns = sql
      .exec<{ name: string }>(`SELECT name FROM pragma_table_info('${table}')`)
      .toArray()
      .flatMap(({ name }) => (name in first ? [name] : []))
    if (columns.length > 0)
      sql.exec(
        `INSERT OR IGNORE INTO ${table} (${columns.join()})
         SELECT ${columns.map((name) => `value ->> '${name}'`).join()} FROM json_each(?)`,
        rows,
      )
    return true
  })
}

const isEmpty = (sql: SqlStorage, tables: readonly CopiedTable[]): boolean =>
  tables.every(({ name }) => sql.exec(`SELECT 1 FROM ${name} LIMIT 1`).toArray().length === 0)

/**
 * The object works from now on: no more is loaded. @returns Whether this call is the first to say so; null, and nothing changes, where the
 * object works with rows that no backup gave it.
 */
export function endLoading(
  { kv, sql }: DurableObjectStorage,
  tables: readonly CopiedTable[],
): boolean | null {
  const loaded = kv.get<string>(loadedKey)
  if (loaded === undefined && !isEmpty(sql, tables)) return null
  kv.put(loadedKey, isLoadedWhole)
  return loaded !== isLoadedWhole
}

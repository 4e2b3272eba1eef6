import { once } from 'node:events'
import { createWriteStream, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { finished } from 'node:stream/promises'
import { CommandError } from '../../scripts/command/errors.ts'
import type { Wrangler } from '../wrangler.ts'
import { linesOf } from './lines.ts'
import { dropSearchTables, makeSearchTables } from './search-tables.ts'
import { shortStatements, statementMax } from './short-statements.ts'

/** A database of D1, as wrangler reaches it. */
export interface BackedDatabase {
  readonly wrangler: Wrangler
  readonly name: string
  /** The arguments that locate it, such as `--remote` and the configuration. */
  readonly place: readonly string[]
}

interface SchemaRow {
  readonly type: 'table' | 'index' | 'view' | 'trigger'
  readonly name: string
  readonly sql: string | null
}

/** Rows of a query. */
export async function query<Row>({ wrangler, name, place }: BackedDatabase, sql: string): Promise<Row[]> {
  const answer = JSON.parse(
    await wrangler(['d1', 'execute', name, ...place, '--json', '--command', sql]),
  ) as { results: Row[] }[]
  return answer.flatMap(({ results }) => results)
}

/** Runs a file of statements, all or none. */
const runFile = ({ wrangler, name, place }: BackedDatabase, file: string): Promise<string> =>
  wrangler(['d1', 'execute', name, ...place, '--yes', '--file', file])

/** D1 takes 5 GB at once. */
const loadedBytesMax = 2 ** 31

/** Fills an empty database with what {@link exportDatabase} wrote: a large file in parts, each of which is taken whole or not at all. */
export async function loadFile(
  database: BackedDatabase,
  file: string,
  bytesMax: number = loadedBytesMax,
): Promise<void> {
  if (statSync(file).size <= bytesMax) return void (await runFile(database, file))
  const part = `${file}.part`
  const open = () => createWriteStream(part, { mode: 0o600 })
  let out = open()
  const runPart = async () => {
    out.end()
    await finished(out)
    await runFile(database, part)
  }
  try {
    let bytes = 0
    for await (const line of linesOf(file)) {
      const text = `${line}\n`
      // A statement of the schema has several lines.
      if (bytes + Buffer.byteLength(text) > bytesMax && line.startsWith('INSERT INTO "')) {
        await runPart()
        out = open()
        bytes = 0
      }
      bytes += Buffer.byteLength(text)
      if (!out.write(text)) await once(out, 'drain')
    }
    await runPart()
  } finally {
    rmSync(part, { force: true })
  }
}

/** Runs statements, all or none. */
export function runAll(
  database: BackedDatabase,
  statements: readonly string[],
  file: string,
): Promise<string> {
  writeFileSync(file, statements.map((statement) => `${statement};\n`).join(''))
  return runFile(database, file)
}

/**
 * Writes the whole database as statements that make it again in an empty one. D1 answers nobody else while it exports, and refuses a
 * database that has search tables, so these are away meanwhile; they are made again whatever happens.
 */
export async function exportDatabase(database: BackedDatabase, file: string): Promise<void> {
  const { wrangler, name, place } = database
  const [rows, statements] = [`${file}.rows`, path.join(path.dirname(file), 'search-tables.sql')]
  let schema: SchemaRow[]
  try {
    await runAll(database, dropSearchTables, statements)
    schema = await query(database, schemaQuery)
    await wrangler(['d1', 'export', name, ...place, '--no-schema', '--skip-confirmation', '--output', rows])
  } finally {
    await runAll(database, makeSearchTables, statements)
  }
  await writeStatements(schema, rows, file)
}

const schemaQuery =
  "SELECT type, name, sql FROM sqlite_schema WHERE sql NOT NULL AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid"

/** A trigger needs its view, and would change rows that are read in; so the export's own order does not do. */
async function writeStatements(schema: readonly SchemaRow[], rows: string, file: string): Promise<void> {
  const of = (type: SchemaRow['type']) => schema.flatMap((row) => (row.type === type ? [`${row.sql};`] : []))
  const out = createWriteStream(file)
  const write = async (lines: readonly string[]) => {
    for (const line of lines) {
      if (Buffer.byteLength(line) > statementMax)
        throw new CommandError(
          `D1 does not accept a statement of more than ${statementMax} bytes: ${line.slice(0, 200)}`,
        )
      if (!out.write(`${line}\n`)) await once(out, 'drain')
    }
  }
  await write(['PRAGMA defer_foreign_keys=TRUE;', ...of('table')])
  const sequences: string[] = []
  for await (const line of linesOf(rows)) {
    if (line.startsWith('INSERT INTO "sqlite_sequence"')) sequences.push(line)
    else if (line.startsWith('INSERT INTO "')) await write(shortStatements(line))
    else if (line !== '' && !line.startsWith('PRAGMA '))
      throw new CommandError(`The export has a line that is not a row: ${line.slice(0, 200)}`)
  }
  await write(['DELETE FROM sqlite_sequence;', ...sequences])
  await write([...of('index'), ...of('view'), ...of('trigger'), ...makeSearchTables.map((sql) => `${sql};`)])
  out.end()
  await finished(out)
}

export async function hasNoTables(database: BackedDatabase): Promise<boolean> {
  return (await query(database, schemaQuery)).length === 0
}

/** Run after a restore, so that positions in the log of events that somebody may have seen are not given again. */
export const continueEvents = "UPDATE sqlite_sequence SET seq = seq + 1000000000 WHERE name = 'event_log'"

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CommandError } from '../../scripts/command/errors.ts'
import { databaseFile, migrateDatabase } from '../../scripts/wrangler-hub.ts'
import { localDatabase, statePathIn } from '../testing/local-database.ts'
import { type BackedDatabase, continueEvents, exportDatabase, loadFile, runAll } from './database.ts'
import { statementMax } from './short-statements.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'backup-'))
afterAll(() => rmSync(folder, { recursive: true }))

const [sourceFolder, targetFolder] = [path.join(folder, 'source'), path.join(folder, 'target')]
const [source, target] = [localDatabase(sourceFolder), localDatabase(targetFolder)]
/** Words with quotes and ends of lines, which an export has to write as one line. */
const names = ['Weather', 'Miner\'s\r\nweather; INSERT INTO "x"', 'Café']
const project = (name: string, i: number) =>
  `INSERT INTO projects (project_id, ordinal, developer, slug, category, listing_status, name, created_at)
   VALUES ('0x${i}', ${i + 1}, '0xd', 's', 'science', 'listed', '${name.replaceAll("'", "''")}', 7)`

/** As large as a draft may be. */
const draft = "it's \u2028😀 ".repeat(40_000).slice(0, 256 * 1024)
/** D1 writes it as one line, with stand-ins for its ends of lines. */
const manyLines = `${"it's\n".repeat(20_000)}\r`

const tables = [
  'drafts',
  'projects',
  'category_counts',
  'event_log',
  'notifications',
  'told_blocks',
  'd1_migrations',
]

/** Opens a database without wrangler, which takes a second for each question. */
const open = (of: string) => new DatabaseSync(databaseFile(statePathIn(of))!)

/** All that is in a database. */
function read(of: string) {
  const sqlite = open(of)
  const all = (sql: string) => sqlite.prepare(sql).all()
  const found = (word: string) =>
    all(`SELECT rowid FROM project_search WHERE project_search MATCH '${word}' ORDER BY rowid`).map(
      ({ rowid }) => rowid,
    )
  try {
    return {
      schema: all(
        "SELECT type, name, sql FROM sqlite_schema WHERE sql NOT NULL AND name NOT LIKE '_cf_%' ORDER BY type, name",
      ),
      rows: [...tables, 'sqlite_sequence'].map((table) => all(`SELECT * FROM ${table} ORDER BY 1`)),
      found: ['weather', 'cafe', 'rain'].map(found),
    }
  } finally {
    sqlite.close()
  }
}

beforeAll(async () => {
  await migrateDatabase(statePathIn(path.join(folder, 'source')))
  await runAll(source, names.map(project), path.join(folder, 'rows.sql'))
  const sqlite = open(sourceFolder)
  for (const [i, data] of [draft, manyLines].entries())
    sqlite.prepare("INSERT INTO drafts VALUES ('0xd', ?, 1, NULL, ?, 1, 7, 7)").run(`d${i}`, data)
  sqlite.close()
})

test('a database with search tables is exported, keeps working, and is restored elsewhere', async () => {
  const before = read(sourceFolder)
  expect(before.schema.some(({ sql }) => String(sql).startsWith('CREATE VIRTUAL TABLE'))).toBe(true)
  expect(before.found).toEqual([[1, 2], [3], []])
  const output = path.join(folder, 'no.sql')
  await expect(source.wrangler(['d1', 'export', 'hub', ...source.place, '--output', output])).rejects.toThrow(
    'cannot export databases with Virtual Tables',
  )

  const file = path.join(folder, 'database.sql')
  await exportDatabase(source, file)
  expect(read(sourceFolder)).toEqual(before)
  const lengths = readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => Buffer.byteLength(line))
  expect(Math.max(...lengths)).toBeLessThanOrEqual(statementMax)
  let parts = 0
  const wrangler: BackedDatabase['wrangler'] = (args) => {
    parts += 1
    return target.wrangler(args)
  }
  await loadFile({ ...target, wrangler }, file, 400_000)
  expect(parts).toBeGreaterThan(1)
  expect(read(targetFolder)).toEqual(before)
  // Rows that are written from now on are found as well, and no position of the log is given twice.
  await runAll(target, [continueEvents, project('Rain', 3)], path.join(folder, 'more.sql'))
  expect(read(targetFolder).found).toEqual([[1, 2], [3], [4]])
})

test('a failed export leaves the search tables unchanged', async () => {
  const before = read(sourceFolder)
  const wrangler: BackedDatabase['wrangler'] = (args) =>
    args[1] === 'export'
      ? Promise.reject(new CommandError('The connection was lost.'))
      : source.wrangler(args)
  await expect(exportDatabase({ ...source, wrangler }, path.join(folder, 'other.sql'))).rejects.toThrow(
    'lost',
  )
  expect(read(sourceFolder)).toEqual(before)
})

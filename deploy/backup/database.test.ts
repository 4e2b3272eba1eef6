import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CommandError } from '../../scripts/command/errors.ts'
import { migrateDatabase } from '../../scripts/wrangler-hub.ts'
import { wranglerOf } from '../wrangler.ts'
import { type BackedDatabase, continueEvents, exportDatabase, query, runAll, runFile } from './database.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'backup-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** A database that wrangler keeps in a folder of its own. */
function localDatabase(name: string): BackedDatabase & { readonly folder: string } {
  const own = path.join(folder, name)
  mkdirSync(own, { recursive: true })
  const config = path.join(own, 'wrangler.json')
  writeFileSync(
    config,
    JSON.stringify({
      name: 'hub',
      compatibility_date: '2026-10-01',
      d1_databases: [
        { binding: 'DB', database_name: 'hub', database_id: '00000000-0000-0000-0000-000000000000' },
      ],
    }),
  )
  return { folder: own, wrangler: wranglerOf(''), name: 'hub', place: ['--local', '--config', config] }
}

const everything = (database: BackedDatabase) =>
  query<{ type: string; name: string; sql: string }>(
    database,
    "SELECT type, name, sql FROM sqlite_schema WHERE sql NOT NULL AND name NOT LIKE '_cf_%' ORDER BY type, name",
  )

const [source, target] = [localDatabase('source'), localDatabase('target')]
/** Words with quotes and ends of lines, which an export has to write as one line. */
const names = ['Weather', 'Miner\'s\r\nweather; INSERT INTO "x"', 'Café']
const project = (name: string, i: number) =>
  `INSERT INTO projects (project_id, ordinal, developer, slug, category, listing_status, name, created_at)
   VALUES ('0x${i}', ${i + 1}, '0xd', 's', 'science', 'listed', '${name.replaceAll("'", "''")}', 7)`

const rowsOf = async (database: BackedDatabase) => {
  const tables = ['projects', 'category_counts', 'event_log', 'notifications', 'told_blocks', 'd1_migrations']
  const all = tables.map((name) => `SELECT '${name}' AS of, * FROM ${name}`)
  const rows = [...all, 'SELECT * FROM sqlite_sequence ORDER BY name'].join(';')
  return query(database, rows)
}
const found = (database: BackedDatabase, word: string) =>
  query(database, `SELECT rowid FROM project_search WHERE project_search MATCH '${word}' ORDER BY rowid`)

beforeAll(async () => {
  await migrateDatabase(path.join(source.folder, '.wrangler', 'state', 'v3'))
  await runAll(source, names.map(project), path.join(folder, 'rows.sql'))
})

test('a database with search tables is exported, works on, and is made again elsewhere', async () => {
  const [schema, rows] = [await everything(source), await rowsOf(source)]
  const refused = source.wrangler([
    'd1',
    'export',
    'hub',
    ...source.place,
    '--output',
    path.join(folder, 'no.sql'),
  ])
  await expect(refused).rejects.toThrow('cannot export databases with Virtual Tables')

  const file = path.join(folder, 'database.sql')
  await exportDatabase(source, file)
  expect(await everything(source)).toEqual(schema)
  expect(await found(source, 'weather')).toEqual([{ rowid: 1 }, { rowid: 2 }])

  await runFile(target, file)
  expect(await everything(target)).toEqual(schema)
  expect(await rowsOf(target)).toEqual(rows)
  expect(await found(target, 'cafe')).toEqual([{ rowid: 3 }])
  // What is written from now on is found as well, and no position of the log is given twice.
  await runAll(target, [continueEvents, project('Rain', 3)], path.join(folder, 'more.sql'))
  expect(await found(target, 'rain')).toEqual([{ rowid: 4 }])
})

test('an export that fails leaves the search as it was', async () => {
  const schema = await everything(source)
  const wrangler: BackedDatabase['wrangler'] = (args) =>
    args[1] === 'export'
      ? Promise.reject(new CommandError('The connection was lost.'))
      : source.wrangler(args)
  await expect(exportDatabase({ ...source, wrangler }, path.join(folder, 'other.sql'))).rejects.toThrow(
    'lost',
  )
  expect(await everything(source)).toEqual(schema)
  expect(await found(source, 'weather')).toHaveLength(2)
})

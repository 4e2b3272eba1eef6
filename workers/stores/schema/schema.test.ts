import { env } from 'cloudflare:workers'
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import { describe, expect, test } from 'vitest'
import { rowsOf } from '../../test/tables.ts'
import * as developerTools from './developer-tools.ts'
import * as early from './index.ts'
import { lastMigration } from './last-migration.ts'
import * as secrets from './secrets.ts'
import * as standings from './standings.ts'
import * as webhooks from './webhooks.ts'

const isTable = (value: unknown) => !Array.isArray(value)
/** Some tables are loaded only with the routes that use them. */
const schema = Object.fromEntries(
  Object.entries({ ...early, ...developerTools, ...secrets, ...standings, ...webhooks }).filter(([, table]) =>
    isTable(table),
  ),
)

interface ColumnInfo {
  name: string
  type: string
  notnull: number
  pk: number
  dflt_value: string | null
}

describe.each(Object.entries(schema))('the table %s', (_, table) => {
  const { name, columns, primaryKeys } = getTableConfig(table as SQLiteTable)

  test('has the columns that the migrations created', async () => {
    const results = await rowsOf<ColumnInfo>(`SELECT * FROM pragma_table_info('${name}')`)
    const keys = new Set(primaryKeys.flatMap((key) => key.columns.map((column) => column.name)))
    const declared = columns.map((column) => ({
      name: column.name,
      type: column.getSQLType().toUpperCase(),
      notNull: column.notNull || column.primary,
      key: column.primary || keys.has(column.name),
    }))
    const migrated = results.map((column) => ({
      name: column.name,
      type: column.type,
      notNull: column.notnull === 1 || column.pk > 0,
      key: column.pk > 0,
    }))
    expect(declared).toEqual(migrated)
  })
})

test('every table of the migrations is declared', async () => {
  // A search index is a virtual table, and keeps itself in others of its name.
  const results = await rowsOf<{ name: string }>(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%d1_migrations' AND name NOT LIKE '_cf_%' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'project_search%'",
  )
  const declared = Object.values(schema).map((table) => getTableConfig(table as SQLiteTable).name)
  expect(results.map(({ name }) => name).sort()).toEqual(declared.sort())
})

test('the last migration is the last file', () => {
  expect(lastMigration).toBe(env.TEST_MIGRATIONS.at(-1)?.name)
})

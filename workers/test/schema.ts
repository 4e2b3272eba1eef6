import { env } from 'cloudflare:workers'
import { rowsOf } from './tables.ts'

/** The statements that rebuild the migrated schema, for the files that come later in this isolate. */
let kept: Promise<readonly string[]> | undefined

/**
 * Gives the empty database the schema of the migrations, and the rows that they insert. After the first time it writes what
 * they have made, which takes a quarter of the time: no change of a table makes SQLite look through the whole schema again.
 */
export async function createSchema(): Promise<void> {
  if (kept !== undefined) return runAll(await kept)
  await migrate()
  kept = schemaStatements()
  await kept
}

/** At once: a transaction for each migration takes five times as long. */
export async function migrate(): Promise<void> {
  await env.DB.batch([
    ...env.TEST_MIGRATIONS.flatMap(({ queries }) => queries.map((query) => env.DB.prepare(query))),
    env.DB.prepare('CREATE TABLE d1_migrations (name TEXT UNIQUE)'),
    ...env.TEST_MIGRATIONS.map(({ name }) =>
      env.DB.prepare('INSERT INTO d1_migrations (name) VALUES (?)').bind(name),
    ),
  ])
}

/** Statements that make the schema as it is, in its order, and the rows of each table before it has triggers. */
export async function schemaStatements(): Promise<string[]> {
  const objects = await rowsOf<{ type: string; name: string; sql: string }>(
    `SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL
      AND name NOT LIKE 'sqlite!_%' ESCAPE '!' AND name NOT LIKE '!_cf!_%' ESCAPE '!'`,
  )
  const virtual = objects.filter(({ sql }) => sql.startsWith('CREATE VIRTUAL'))
  // A virtual table makes and fills its own.
  const own = objects.filter(
    ({ type, name }) => type !== 'table' || !virtual.some((one) => name.startsWith(`${one.name}_`)),
  )
  const filled = await filledTables(own.filter(({ type }) => type === 'table'))
  const statements = own.map(async ({ name, sql }) => [
    sql,
    ...(filled.has(name) ? await insertions(name) : []),
  ])
  return (await Promise.all(statements)).flat()
}

async function filledTables(tables: readonly { name: string }[]): Promise<Set<string>> {
  const results = await env.DB.batch(
    tables.map(({ name }) => env.DB.prepare(`SELECT ? AS name FROM "${name}" LIMIT 1`).bind(name)),
  )
  return new Set(results.flatMap((result) => (result.results as { name: string }[]).map(({ name }) => name)))
}

async function insertions(table: string): Promise<string[]> {
  const columns = await rowsOf<{ name: string }>('SELECT name FROM pragma_table_info(?)', table)
  const names = columns.map(({ name }) => `"${name}"`).join(', ')
  const values = columns.map(({ name }) => `quote("${name}")`).join(" || ', ' || ")
  const rows = await rowsOf<{ row: string }>(`SELECT ${values} AS row FROM "${table}"`)
  return rows.map(({ row }) => `INSERT INTO "${table}" (${names}) VALUES (${row})`)
}

/** One call of the database may have several statements, of less than 100,000 bytes together. */
async function runAll(statements: readonly string[]): Promise<void> {
  const texts = ['']
  for (const statement of statements) {
    const text = `${texts.at(-1)}${statement};\n`
    if (text.length < 50_000) texts[texts.length - 1] = text
    else texts.push(`${statement};\n`)
  }
  await env.DB.batch(texts.map((text) => env.DB.prepare(text)))
}

import { env } from 'cloudflare:workers'
import { test } from 'vitest'
import { emptyStorage } from './empty-storage.ts'

const migrate = () =>
  env.DB.batch([
    ...env.TEST_MIGRATIONS.flatMap(({ queries }) => queries.map((query) => env.DB.prepare(query))),
    env.DB.prepare('CREATE TABLE d1_migrations (name TEXT UNIQUE)'),
    ...env.TEST_MIGRATIONS.map(({ name }) =>
      env.DB.prepare('INSERT INTO d1_migrations (name) VALUES (?)').bind(name),
    ),
  ])
test('measure', async () => {
  console.log('statements', env.TEST_MIGRATIONS.flatMap(({ queries }) => queries).length)
  const schema = (
    await env.DB.prepare(
      "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '_cf%'",
    ).all<any>()
  ).results
  console.log('objects', schema.length)
  const n = 40
  const restore = async () => {
    const order = ['table', 'view', 'index', 'trigger']
    const virtuals = schema.filter((s) => /^CREATE VIRTUAL/i.test(s.sql)).map((s) => s.name)
    const list = schema
      .filter((s) => !virtuals.some((v) => s.name.startsWith(`${v}_`)))
      .toSorted((a, b) => order.indexOf(a.type) - order.indexOf(b.type))
    try {
      await env.DB.batch(list.map((s) => env.DB.prepare(s.sql)))
    } catch (e) {
      console.log('restore', String(e))
      throw e
    }
  }
  for (const [name, step] of [
    ['reset', async () => {}],
    ['migrate', migrate],
    ['restore', restore],
    ['reset', async () => {}],
    ['migrate', migrate],
    ['restore', restore],
  ] as const) {
    const t = performance.now()
    for (let i = 0; i < n; i++) {
      await emptyStorage()
      await step()
    }
    console.log('MS', name, ((performance.now() - t) / n).toFixed(1))
  }
  await emptyStorage()
  await migrate()
})

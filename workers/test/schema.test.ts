import { expect, test } from 'vitest'
import { emptyStorage } from './empty-storage.ts'
import { createSchema, migrate, schemaStatements } from './schema.ts'

test('the schema that is written again equals that of the migrations, including their rows', async () => {
  await emptyStorage()
  await migrate()
  const migrated = await schemaStatements()
  expect(migrated.filter((statement) => statement.startsWith('INSERT')).length).toBeGreaterThan(30)

  await emptyStorage()
  await createSchema()
  await emptyStorage()
  await createSchema()
  expect(await schemaStatements()).toEqual(migrated)
})

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { clientDocument, clientHeader } from './hub-client.ts'

test('the types of the client match the OpenAPI document; `npm run openapi` generates them', () => {
  const [header] = readFileSync('sdk/api.generated.ts', 'utf8').split('\n', 1)
  expect(`${header}\n`).toBe(clientHeader(clientDocument()))
})

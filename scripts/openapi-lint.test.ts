import { readFileSync } from 'node:fs'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { expect, test } from 'vitest'

test('the OpenAPI document keeps every rule of Redocly recommended-strict', async () => {
  const source = readFileSync('public/openapi.json', 'utf8')
    .replaceAll('{{base_url}}', 'https://hub.test')
    .replaceAll(/\{\{(\w+)\}\}/g, '$1')
  const problems = await lintFromString({
    source,
    config: await createConfig({ extends: ['recommended-strict'] }),
  })
  expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([])
})

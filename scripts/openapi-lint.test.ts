import { createConfig, lintFromString } from '@redocly/openapi-core'
import { expect, test } from 'vitest'
import { openApiTemplate } from '../workers/openapi/document.generated.ts'

test('the OpenAPI document keeps every rule of Redocly recommended-strict', async () => {
  const source = openApiTemplate
    .replaceAll('{{base_url}}', 'https://hub.test')
    .replaceAll(/\{\{(\w+)\}\}/g, '$1')
  const problems = await lintFromString({
    source,
    config: await createConfig({ extends: ['recommended-strict'] }),
  })
  expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([])
})

import { createConfig, lintFromString } from '@redocly/openapi-core'
import { expect, test } from 'vitest'
import { resolveProfile } from '../protocol/profile.ts'
import { renderOpenApiText } from '../workers/openapi/render.ts'

test('the OpenAPI document keeps every rule of Redocly recommended-strict', async () => {
  const source = renderOpenApiText({ PROFILE: resolveProfile(), BASE_URL: new URL('https://hub.test') })
  const problems = await lintFromString({
    source,
    config: await createConfig({ extends: ['recommended-strict'] }),
  })
  expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([])
})

import { expect, test } from 'vitest'
import { emptyPreferences } from '../../../protocol/identity/index.ts'
import known from '../../../protocol/vectors/preferences.json'
import { signIn } from '../../test/callers.ts'
import { bodyOf, errorOf } from '../../test/client.ts'
import { type Json, knownAnswers } from '../../test/known-answers.ts'

const { client: caller } = await signIn()

test.each(knownAnswers(known))('PUT /v1/me/preferences: $name', async ({ input, output }) => {
  const response = await caller.put('/v1/me/preferences', input.preferences)
  if (output.problems.length === 0) {
    const saved = { ...emptyPreferences, ...input.preferences }
    expect(await response.json()).toEqual(saved)
    expect(await bodyOf(caller.get('/v1/me/preferences'))).toEqual(saved)
    return
  }
  const { status, error, details } = await errorOf(response)
  expect([status, error]).toEqual([400, 'invalid_field'])
  expect(details?.problems?.map(({ path, code }: Json) => ({ path, code }))).toEqual(output.problems)
})

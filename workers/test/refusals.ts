import { expect } from 'vitest'
import { type Answer, errorOf } from './client.ts'

/** Expects an error, and of the rest of its answer what `more` says. */
export async function expectError(
  answer: Answer,
  status: number,
  error: string,
  more: object = {},
): Promise<void> {
  expect(await errorOf(await answer)).toMatchObject({ status, error, ...more })
}

/** Expects 400 `invalid_field` with problems of these members, and of no other. */
export async function expectInvalid(answer: Answer, ...paths: string[]): Promise<void> {
  const { status, error, details } = await errorOf(await answer)
  const found = [...new Set(details?.problems?.map(({ path }) => path))]
  expect({ status, error, paths: found }).toEqual({ status: 400, error: 'invalid_field', paths })
}

import { expect } from 'vitest'
import { errorOf } from './client.ts'

type Call = Response | Promise<Response>

/** The JSON of an answer. */
export const bodyOf = async <T = unknown>(call: Call): Promise<T> => (await call).json()

/** Expects an answer with a status and, among others, these members. */
export async function expectAnswer(call: Call, status: number, members: object): Promise<void> {
  const response = await call
  expect([response.status, await response.json()]).toMatchObject([status, members])
}

/** Expects a refusal, such as `404 not_found`, and among others these members of it; gives all of it. */
export async function expectRefusal(call: Call, refusal: string, members: object = {}) {
  const error = await errorOf(await call)
  expect({ ...error, refusal: `${error.status} ${error.error}` }).toMatchObject({ refusal, ...members })
  return error
}

/** Expects 400 `invalid_field` of these fields and of no others. */
export const expectInvalid = (call: Call, ...paths: string[]) =>
  expectRefusal(call, '400 invalid_field', { details: { problems: paths.map((path) => ({ path })) } })

interface Page<Item> {
  items: Item[]
  next_cursor: string | null
}

/** The items of all pages of a list. `read` is given what the query of a page ends with. */
export async function readPages<Item>(
  read: (cursor: string) => Promise<Page<Item>>,
  betweenPages: () => unknown = () => {},
): Promise<Item[]> {
  const found: Item[] = []
  for (let cursor: string | null = ''; cursor !== null; await betweenPages()) {
    const page = await read(cursor && `&cursor=${encodeURIComponent(cursor)}`)
    found.push(...page.items)
    cursor = page.next_cursor
  }
  return found
}

/** What calls at once answer. */
export const atOnce = <T>(count: number, call: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => call(index)))

export const statusesOf = (answers: readonly Response[]): number[] =>
  answers.map(({ status }) => status).sort()

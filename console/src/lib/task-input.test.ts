import fc from 'fast-check'
import { expect, test } from 'vitest'
import { copiedInput, problemOf, sentText } from './task-input.ts'

test.each([
  ['json', '{"b": 1, "a": [true]}', '{"a":[true],"b":1}'],
  ['json', '"one text"', '"one text"'],
  ['text', 'one text', '"one text"'],
  ['text', 'a "quoted" one', '"a \\"quoted\\" one"'],
  ['plain', 'one text', 'one text'],
] as const)('in the form %s, the function gets the input %s as %s', async (form, input, bytes) =>
  expect(await sentText(form, input)).toBe(bytes),
)

test.each([
  ['{"a":', 'notJson'],
  ['', 'notJson'],
  ['1.5', 'fraction'],
  ['[1e400]', 'fraction'],
  ['{"a":1.0}', null],
] as const)('%s as JSON: %s', (input, problem) => {
  expect(problemOf('json', input)).toBe(problem)
  expect(problemOf('plain', input)).toBeNull()
})

test('the copied program sends the function the same value as the page', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom('json', 'text', 'plain'), fc.string(), async (form, text) => {
      const input = form === 'json' ? JSON.stringify({ text }) : text
      const { member } = copiedInput(form, input)
      const value: unknown = JSON.parse(member)
      const bytes = typeof value === 'string' ? value : JSON.stringify(value)
      const sent = await sentText(form, input)
      if (form === 'plain') expect(bytes).toBe(sent)
      else expect(JSON.parse(bytes)).toEqual(JSON.parse(sent))
    }),
  )
})

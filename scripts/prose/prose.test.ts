import { expect, test } from 'vitest'
import { proseOfCode, proseOfMarkdown } from './prose.ts'

test('keeps comments and texts of several words at their lines and columns, and nothing else', () => {
  const code = [
    "import { a } from './a file.ts' // A comment.",
    'const name = "one"; throw new Error("This is wrong.")',
    'const quote = /[\'"]/; /* Two',
    ' * lines. */ const text = `Found it, and no more.`',
  ].join('\n')
  const prose = proseOfCode(code)
  expect(prose.split('\n').map((line) => line.trim().replaceAll(/ +/g, ' '))).toEqual([
    'A comment.',
    'This is wrong.',
    'Two',
    'lines. Found it, and no more.',
  ])
  expect(prose).toHaveLength(code.length)
  expect(prose.indexOf('This is')).toBe(code.indexOf('This is'))
})

test('takes code out of Markdown', () => {
  const page = 'Read `whoever` here.\n\n```sh\nwhoever runs\n```\n\nThen go on.'
  expect(proseOfMarkdown(page).replaceAll(/\s+/g, ' ')).toBe('Read here. Then go on.')
})

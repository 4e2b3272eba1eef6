import { expect, test } from 'vitest'
import { findVagueStarts, findVagueStartsOfMarkdown, proseOfCode, proseOfMarkdown } from './prose.ts'

test('keeps only comments and texts of several words, at their lines and columns', () => {
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

test('removes code from Markdown', () => {
  const page = 'Read `whoever` here.\n\n```sh\nwhoever runs\n```\n\nThen go on.'
  expect(proseOfMarkdown(page).replaceAll(/\s+/g, ' ')).toBe('Read here. Then go on.')
})

test('finds sentences that begin with a clause as the subject, but not questions and labels', () => {
  const code = [
    '/** What a node says. */',
    '/**',
    ' * It ends. Where none is left, it starts.',
    ' *',
    ' * @returns What is wrong.',
    ' */',
    "throw new Error('It failed. What is left stays.')",
    "const labels = ['What you sign', 'What is a round? A task.']",
    '// It tells what is left, and where it lies.',
  ].join('\n')
  expect(findVagueStarts(code)).toEqual([
    { line: 1, words: 'What a node says.' },
    { line: 3, words: 'Where none is left,' },
    { line: 5, words: 'What is wrong.' },
    { line: 7, words: 'What is left stays.' },
  ])
  const page = '# What it is\n\n| What | Who |\n\n- Where it runs, it works.\n\nWhat is a task? Work.'
  expect(findVagueStartsOfMarkdown(page)).toEqual([{ line: 5, words: 'Where it runs, it' }])
})

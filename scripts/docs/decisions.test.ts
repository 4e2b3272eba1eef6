import { describe, expect, test } from 'vitest'
import { listFiles, readText } from '../imports/graph.ts'
import { countWords } from './words.ts'

const folder = 'docs/decisions/'
const index = `${folder}README.md`
const decisions = listFiles('.md')
  .filter((file) => file.startsWith(folder) && file !== index)
  .toSorted()
const wordsMax = 250

const titleOf = (text: string): string => /^# (.+)\n/.exec(text)?.[1] ?? ''

/** Numbers of pages that were removed are not used again. */
const numberOf = (file: string): string => /^\d{4}(?=-)/.exec(file.slice(folder.length))?.[0] ?? ''

const fileNameOf = (title: string, number: string): string =>
  `${folder}${number}-${title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')}.md`

test('the index names every decision with its title, in order, and nothing else', () => {
  const entries = [...readText(index).matchAll(/^- \[(.+)\]\((.+)\)$/gm)].map(([, title, file]) => [
    title,
    `${folder}${file}`,
  ])
  expect(entries).toEqual(decisions.map((file) => [titleOf(readText(file)), file]))
})

test('every decision has a number of its own', () => {
  expect(decisions.map(numberOf)).not.toContain('')
  expect(new Set(decisions.map(numberOf)).size).toBe(decisions.length)
})

describe.each(decisions)('%s', (file) => {
  const text = readText(file)

  test('is named after its number and its title', () => {
    expect(file).toBe(fileNameOf(titleOf(text), numberOf(file)))
  })

  test(`has at most ${wordsMax} words`, () => {
    expect(countWords(text)).toBeLessThanOrEqual(wordsMax)
  })

  test('states question, decision, reason, rejected options, and what would change it', () => {
    const parts = [...text.matchAll(/^\*\*(.+?)\.\*\*/gm)].map(([, part]) => part)
    expect(parts).toEqual(
      expect.arrayContaining(['Question', 'Decision', 'Why', 'Rejected', 'What would change it']),
    )
  })
})

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

const fileNameOf = (title: string, number: number): string =>
  `${folder}${String(number).padStart(4, '0')}-${title
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

describe.each(decisions.map((file, i) => [file, i + 1] as const))('%s', (file, number) => {
  const text = readText(file)

  test('is named after its number and its title', () => {
    expect(file).toBe(fileNameOf(titleOf(text), number))
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

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type Clause, hubClauses, nodeClauses, validatorClauses } from './clauses.ts'

const page = readFileSync('docs/conformance.md', 'utf8')
const protocol = readFileSync('protocol/README.md', 'utf8')
const lineOf = ({ number, sentence, section }: Clause): string => `| ${number} | ${sentence} | ${section} |`
// Some clauses of nodes are of validators too.
const all = [...new Set([...nodeClauses, ...validatorClauses, ...hubClauses])]

test('the page lists every clause, and no other', () => {
  const listed = page.split('\n').filter((line) => /^\| [NVH]\d/.test(line))
  expect(listed).toEqual(all.map(lineOf))
})

test('clauses have unique numbers, and their sections of the protocol exist', () => {
  expect(new Set(all.map(({ number }) => number)).size).toBe(all.length)
  for (const { section } of all) expect(protocol).toContain(`\n## ${section} `)
})

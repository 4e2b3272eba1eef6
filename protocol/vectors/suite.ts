import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { agrees } from './compare.ts'
import { executeCase } from './execute.ts'
import { readVectorFile } from './format.ts'

/** Declares one test per known answer of the project's own vector files, so that a section's test only names its topics. */
export function describeVectors(...topics: readonly string[]): void {
  for (const topic of topics) {
    for (const set of readVectorFile(path.join(import.meta.dirname, `${topic}.json`))) {
      describe(`vectors: ${topic}`, () => {
        test.each(set.cases)('$name', (one) => {
          const got = executeCase(set, one)
          const difference = `expected ${JSON.stringify(one.output)}, got ${JSON.stringify(got)}`
          expect(agrees(one.output, got), difference).toBe(true)
        })
      })
    }
  }
}

import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { longest } from './longest-first.ts'

test('every file that is to be the first is there', () => {
  expect(longest.filter((file) => !existsSync(file))).toEqual([])
})

import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { longest } from './longest-first.ts'

test('every file that should run first exists', () => {
  expect(longest.filter((file) => !existsSync(file))).toEqual([])
})

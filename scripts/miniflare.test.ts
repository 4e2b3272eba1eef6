import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { growth } from './miniflare.ts'

test('Miniflare contains the code of its slowly growing buffer exactly once', () => {
  const source = readFileSync(createRequire(import.meta.url).resolve('miniflare'), 'utf8')
  expect(source.split(growth.own)).toHaveLength(2)
})

import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../testing/node/folders.ts'
import { keepParamsChanges } from './params-changes.ts'

const folder = temporaryFolder()
const kept = path.join(folder, 'kept.json')
const given = path.join(folder, 'given.json')
const text = JSON.stringify([{ from: 1_800_000_000, params: { audit_bp: 2_000 } }])

test('a network keeps the changes from its file until it is given others', () => {
  expect(keepParamsChanges(kept, null, 31337)).toBe(null)
  writeFileSync(given, text)
  expect(keepParamsChanges(kept, given, 31337)).toBe(text)
  expect(keepParamsChanges(kept, null, 31337)).toBe(text)
  writeFileSync(given, '[]')
  expect(keepParamsChanges(kept, given, 31337)).toBe('[]')
})

test.each([
  ['[', /given\.json cannot be read: .*JSON/],
  ['{}', /given\.json are wrong: must be a list/],
  [
    '[{"from":1800000000,"params":{"max_skew":1}}]',
    /given\.json are wrong: \[0\]\.params\.max_skew is fixed/,
  ],
])('a file that says %s is refused, and the network keeps its changes', (wrong, message) => {
  writeFileSync(kept, text)
  writeFileSync(given, wrong)
  expect(() => keepParamsChanges(kept, given, 31337)).toThrow(message)
  expect(readFileSync(kept, 'utf8')).toBe(text)
})

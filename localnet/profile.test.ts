import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { resolveProfile } from '../protocol/identity/index.ts'
import { temporaryFolder } from '../testing/node/folders.ts'
import { keepProfile, readProfileFile } from './profile.ts'

const folder = temporaryFolder()
const kept = path.join(folder, 'kept.json')
const given = path.join(folder, 'given.json')
const acme = { service: 'Acme', token_symbol: 'COIN' }

test('a network keeps the names from its file until it is given others', () => {
  expect(keepProfile(kept, null, 31337)).toEqual(resolveProfile())
  const profile = resolveProfile({ ...acme, chain_id: 1337 })
  expect(keepProfile(kept, acme, 1337)).toEqual(profile)
  expect(keepProfile(kept, null, 1337)).toEqual(profile)
  expect(JSON.parse(readFileSync(kept, 'utf8'))).toEqual(profile)
  expect(keepProfile(kept, null, 31337)).toEqual({ ...profile, chain_id: 31337 })
})

test.each([
  ['{', /given\.json cannot be read: .*JSON/],
  ['[]', /given\.json is wrong: must be a JSON object/],
  ['{"service":"Acme","prefix":"A B"}', /given\.json is wrong: prefix must be 1 to 32 of a-z/],
  ['{"chain_id":1}', /profile is wrong: chain_id is 1, and the chain has 31337\. Leave it out\./],
])('a file that says %s is refused, and the network keeps its names', (text, message) => {
  const before = readFileSync(kept, 'utf8')
  writeFileSync(given, text)
  expect(() => keepProfile(kept, readProfileFile(given), 31337)).toThrow(message)
  expect(readFileSync(kept, 'utf8')).toBe(before)
})

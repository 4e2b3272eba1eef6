import { expect, test } from 'vitest'
import { profileStrings, resolveProfile } from '../protocol/identity/index.ts'
import { listFiles, readText } from './imports/graph.ts'

/** Words that are also something else, such as a hub of any network. */
const ordinary = new Set(['service', 'prefix', 'node_id_prefix', 'chain_id', 'token_symbol'])

test('only the file of the profile contains names of the default network', () => {
  const profile = resolveProfile()
  const members = Object.entries(profile).flatMap(([member, value]) =>
    ordinary.has(member) ? [] : [String(value)],
  )
  const names = [...members, ...Object.values(profileStrings(profile)), `${profile.node_id_prefix}0`]
  const pattern = new RegExp(
    `(?<![\\w-])(?:${names.map((name) => name.replaceAll(/[.()]/g, '\\$&')).join('|')})`,
  )
  // Tests and their tools say what they expect, and the generated client is that of the default names.
  const files = listFiles('.ts', '.mjs', '.toml').filter(
    (file) => !/\.test\.ts$|(^|\/)(test|testing|vectors)\/|^(bench|chaos|e2e)\/|generated/.test(file),
  )
  expect(files.length).toBeGreaterThan(800)
  const found = files.flatMap((file) =>
    readText(file)
      .split('\n')
      .flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
  )
  expect(found).toEqual([])
})

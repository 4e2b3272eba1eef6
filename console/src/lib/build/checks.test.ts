import { describe, expect, test } from 'vitest'
import { defaultNetworkParams, resolveProfile } from '../../../../protocol/identity/index.ts'
import { checkText, placeOf, vaultOf } from './checks.ts'
import { templateFor, withNames } from './template.ts'

const developer = `0x${'12'.repeat(20)}`
const profile = resolveProfile({ chain_id: 31337 })
const contracts = { vault_factory: `0x${'34'.repeat(20)}`, vault_implementation: `0x${'56'.repeat(20)}` }
const names = { profile, chain: { token: `0x${'78'.repeat(20)}` } } as never
const context = { profile, base_url: 'http://localhost:8787', contracts, params: defaultNetworkParams }
const check = (manifest: object) => checkText(JSON.stringify(manifest, null, 2), context)

describe('a manifest as text', () => {
  test('a new draft lacks only module, icon and vault, and its slug determines the vault', () => {
    const draft = templateFor(names, developer)
    const missing = ['consensus.economics.vault', 'consensus.modules.worker', 'listing.icon']
    expect(check(draft).problems.map(({ path }) => path)).toEqual(missing)
    const filled = withNames(draft, names, developer, vaultOf('my-project', developer, context))
    expect(check(filled).problems.map(({ path }) => path)).toEqual(missing.slice(1))
    expect(vaultOf('No slug', developer, context)).toBeNull()
  })

  test.each([
    ['{"v": 1,', '', 'invalid_json'],
    ['[]', '', 'invalid_manifest'],
    ['{"a": 1, "a": 2}', 'a', 'duplicate_key'],
  ])('%s cannot be stored', (text, path, code) => {
    const { manifest, problems } = checkText(text, context)
    expect(manifest).toBeNull()
    expect(problems).toMatchObject([{ path, code }])
  })

  test('a number such as 1.0, which parsing turns into 1, is a problem of its member', () => {
    const text = JSON.stringify(templateFor(names, developer)).replace('"version":1', '"version":1.0')
    expect(checkText(text, context).problems).toContainEqual(
      expect.objectContaining({ path: 'version', code: 'invalid_manifest' }),
    )
  })

  test('a path leads to the place of its member, or to the parent of a missing member', () => {
    const text = JSON.stringify(templateFor(names, developer), null, 2)
    const at = (path: string) => text.slice(...(placeOf(text, path) ?? [0, 0]))
    expect(at('consensus.work.functions[0]')).toBe('"functions"')
    expect(at('listing.nothing')).toBe('"listing"')
    expect(placeOf(text, '')).toBeNull()
  })
})

import { expect, test } from 'vitest'
import { structs } from '../../../../protocol/actions/index.ts'
import { resolveProfile } from '../../../../protocol/identity/index.ts'
import { hashManifest, hashProjectRules, type ProjectManifest } from '../../../../protocol/manifest/index.ts'
import { isAsAsked } from '../wallet/asked.ts'
import { askedOf } from './publish-asked.ts'
import { templateFor } from './template.ts'

const profile = resolveProfile({ chain_id: 31337 })
const developer = `0x${'12'.repeat(20)}`
const projectId = `0x${'34'.repeat(32)}`
const worker = `0x${'56'.repeat(32)}`
const names = { profile, chain: { token: `0x${'78'.repeat(20)}` } } as never
const draft = templateFor(names, developer) as unknown as ProjectManifest
const { consensus } = draft
const manifest = { ...draft, consensus: { ...consensus, modules: { ...consensus.modules, worker } } }
/** The values that the wallet signs, as the typed data has them. */
const signed: Record<string, string> = {
  developer,
  slug: manifest.slug,
  projectId,
  version: '1',
  worker,
  consensusHash: hashProjectRules(manifest.consensus),
  manifestHash: hashManifest(manifest),
}

test.each(['Register', 'PublishVersion'] as const)(
  'each member of %s but nonce and deadline is the one that the page asked for',
  (primaryType) => {
    const names = structs[primaryType].members.map(({ name }) => name)
    const asked = askedOf(manifest, projectId)
    const marked = names.filter((name) => isAsAsked(profile, name, signed[name] ?? '', asked[name]))
    expect(marked).toEqual(names.filter((name) => !['nonce', 'deadline'].includes(name)))
  },
)

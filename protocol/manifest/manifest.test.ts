import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dottedPath, parseStrictJson, type UnencodableValue } from '../encoding/index.ts'
import { defaultNetworkParams, resolveProfile } from '../identity/index.ts'
import { evmAddress } from '../signatures/index.ts'
import { describeVectors } from '../vectors/suite.ts'
import { checkManifestEnvelope } from './manifest-envelope.ts'
import { findManifestProblems, type ManifestContext } from './manifest-validation.ts'
import { continuesVersion, effectiveEpoch } from './manifest-versions.ts'
import { epochLengths, type ProjectManifest, signManifest } from './project-manifest.ts'

describeVectors('manifest', 'manifest-validation', 'consensus-hash')

const known = JSON.parse(
  readFileSync(new URL('../vectors/manifest-validation.json', import.meta.url), 'utf8'),
)
const valid: ProjectManifest = known.cases[0].input.manifest
const context: ManifestContext = {
  profile: resolveProfile(),
  base_url: 'https://hub.example.com',
  contracts: null,
  params: defaultNetworkParams,
}

describe('findManifestProblems', () => {
  const paths = (value: object, prefix = ''): string[] =>
    Object.entries(value).flatMap(([key, member]) => [
      prefix + key,
      ...(typeof member === 'object' && member !== null && !Array.isArray(member)
        ? paths(member, `${prefix}${key}.`)
        : []),
    ])

  test.each(paths(valid))('an absent member is missing at its path: %s', (path) => {
    const manifest = structuredClone(valid)
    const steps = path.split('.')
    const last = steps.pop()!
    // biome-ignore lint/suspicious/noExplicitAny: the path says what there is.
    delete steps.reduce((object: any, step) => object[step], manifest)[last]
    const problems = findManifestProblems(manifest, context)
    expect(problems.filter((one) => one.code === 'missing').map((one) => one.path)).toEqual([path])
  })

  test('property: any value instead of the manifest or a tier gives problems, never an exception', () => {
    fc.assert(
      fc.property(
        fc.anything({ maxDepth: 3 }),
        fc.constantFrom('consensus', 'scheduling', 'listing'),
        (value, tier) => {
          expect(findManifestProblems(value, context)).not.toEqual([])
          expect(findManifestProblems({ ...valid, [tier]: value }, context)).not.toEqual([])
        },
      ),
    )
  })

  test('numbers written with fraction or exponent are problems though their value fits', () => {
    const text = JSON.stringify(valid).replace('"max_gas_limit":250000000', '"max_gas_limit":2.5e8')
    const unencodable: UnencodableValue[] = []
    const manifest = parseStrictJson(text, {
      onUnencodable: (code, _, path) => unencodable.push({ code, path: dottedPath(path) }),
    })
    expect(findManifestProblems(manifest, { ...context, unencodable })).toMatchObject([
      { path: 'consensus.work.max_gas_limit', code: 'invalid_manifest' },
    ])
  })

  test('a URL hides no characters, though the URL rules would escape or remove them', () => {
    for (const url of ['https://a.example/\u202egpj', 'https://a.exa\nmple', 'ipfs://b/\u0007']) {
      const listing = { ...valid.listing, icon: url, website: url, screenshots: [url] }
      expect(findManifestProblems({ ...valid, listing }, context).map(({ path }) => path)).toEqual([
        'listing.icon',
        'listing.screenshots',
        'listing.website',
      ])
    }
  })

  test('a lone surrogate is reported beside what its rule says, in keys too', () => {
    const listing = { ...valid.listing, name: '\ud800', '\udc00': 1 }
    expect(findManifestProblems({ ...valid, listing }, context)).toMatchObject([
      { path: 'listing.name', code: 'invalid_string' },
      { path: 'listing.\udc00', code: 'invalid_string' },
      { path: 'listing.\udc00', code: 'unknown_key' },
    ])
  })
})

describe('checkManifestEnvelope', () => {
  const privateKey = `0x${'61'.repeat(32)}`
  const manifest = { ...valid, developer: evmAddress(privateKey) }
  const envelope = { manifest, sig_type: 'eip191', signature: signManifest(privateKey, manifest) } as const

  test('problems come before the owner, and the owner before the signature', () => {
    const problems = [{ path: 'v', code: 'missing', message: '' }]
    const wrong = { ...envelope, signature: `0x${'00'.repeat(65)}` }
    const check = (given: object) => checkManifestEnvelope(context.profile, wrong, given)
    expect(check({ problems, caller: '0x1' })).toEqual({ ok: false, code: 'invalid_manifest', problems })
    expect(check({ caller: '0x1' })).toEqual({ ok: false, code: 'not_owner' })
    expect(check({ caller: manifest.developer })).toEqual({ ok: false, code: 'bad_signature' })
  })

  test('a stated hash that differs is a problem at its name', () => {
    const check = checkManifestEnvelope(context.profile, { ...envelope, project_id: `0x${'00'.repeat(32)}` })
    expect(check).toMatchObject({ code: 'invalid_manifest', problems: [{ path: 'project_id' }] })
  })
})

describe('versions', () => {
  test('a version continues the latest one by number and by hash', () => {
    const latest = { version: 3, manifest_hash: '0xaa' }
    expect(continuesVersion(latest, { version: 4, previous: '0xaa' })).toBe(true)
    expect(continuesVersion(latest, { version: 5, previous: '0xaa' })).toBe(false)
    expect(continuesVersion(latest, { version: 4, previous: '0xab' })).toBe(false)
  })

  test('property: takes effect at the first common boundary whose beacon lies after the event', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...epochLengths),
        fc.constantFrom(...epochLengths),
        fc.integer({ min: 0, max: 2 ** 32 }),
        fc.nat(4000),
        (before, after, at, offset) => {
          const fits = (time: number) => time % before === 0 && time % after === 0 && time - offset > at
          const start =
            after *
            effectiveEpoch({
              old_epoch_secs: before,
              new_epoch_secs: after,
              published_at: at,
              beacon_offset_secs: offset,
            })
          expect(fits(start)).toBe(true)
          for (let earlier = start - after; earlier > at + offset; earlier -= after)
            expect(fits(earlier)).toBe(false)
        },
      ),
    )
  })
})

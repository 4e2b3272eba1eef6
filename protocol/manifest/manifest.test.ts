import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dottedPath, parseStrictJson, type UnencodableValue } from '../encoding/index.ts'
import { defaultNetworkParams, resolveProfile } from '../identity/index.ts'
import { evmAddress } from '../signatures/index.ts'
import { property } from '../testing/property.ts'
import { manifestToJudge } from '../vectors/runners/manifest.ts'
import { describeVectors } from '../vectors/suite.ts'
import { checkManifestEnvelope, signManifest } from './manifest-envelope.ts'
import { findManifestProblems, type ManifestContext } from './manifest-validation.ts'
import { continuesVersion, effectiveEpoch } from './manifest-versions.ts'
import { epochLengths, type ProjectManifest } from './project-manifest.ts'

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

  property(
    'any value instead of the manifest or a tier gives problems, never an exception',
    [fc.anything({ maxDepth: 3 }), fc.constantFrom('consensus', 'scheduling', 'listing')],
    (value, tier) => {
      expect(findManifestProblems(value, context)).not.toEqual([])
      expect(findManifestProblems({ ...valid, [tier]: value }, context)).not.toEqual([])
    },
  )

  test('numbers with a fraction or exponent are problems even if their value is valid', () => {
    const text = JSON.stringify(valid).replace('"max_gas_limit":250000000', '"max_gas_limit":2.5e8')
    const unencodable: UnencodableValue[] = []
    const manifest = parseStrictJson(text, {
      onUnencodable: (code, _, path) => unencodable.push({ code, path: dottedPath(path) }),
    })
    expect(findManifestProblems(manifest, { ...context, unencodable })).toMatchObject([
      { path: 'consensus.work.max_gas_limit', code: 'invalid_manifest' },
    ])
  })

  test('a URL with hidden characters or a misleading host is a problem, even if it parses', () => {
    for (const url of [
      'https://a.example/\u202egpj',
      'https://a.exa\nmple',
      'ipfs://b/\u0007',
      'https://hub.example@a.example',
      'https://a.example\\b',
    ]) {
      const listing = { ...valid.listing, icon: url, website: url, screenshots: [url] }
      expect(findManifestProblems({ ...valid, listing }, context).map(({ path }) => path)).toEqual([
        'listing.icon',
        'listing.screenshots',
        'listing.website',
      ])
    }
  })

  test('a name or tag of white space only is a problem', () => {
    const listing = { ...valid.listing, name: ' \u200b\u3000', tags: ['\u00a0'] }
    expect(findManifestProblems({ ...valid, listing }, context)).toMatchObject([
      { path: 'listing.name', message: expect.stringContaining('not of white space alone') },
      { path: 'listing.tags', message: expect.stringContaining('not of white space alone') },
    ])
  })

  test('a lone surrogate is reported, in keys too, in addition to other problems', () => {
    const listing = { ...valid.listing, name: '\ud800', '\udc00': 1 }
    expect(findManifestProblems({ ...valid, listing }, context)).toMatchObject([
      { path: 'listing.name', code: 'invalid_string' },
      { path: 'listing.\udc00', code: 'invalid_string' },
      { path: 'listing.\udc00', code: 'unknown_key' },
    ])
  })
})

describe('the problems of a manifest say what was found, what is allowed and what to do', () => {
  const cases: { name: string; input: Record<string, unknown> }[] = known.cases

  test.each(cases.map(({ name, input }) => [name, input] as const))('in the case %s', (_, input) => {
    const { manifest, context: of } = manifestToJudge(input, known)
    const { network, chain_id, ...rest } = of
    const profile = { ...resolveProfile(), network, chain_id }
    const params = { ...defaultNetworkParams, ...of.params }
    for (const { path, message } of findManifestProblems(manifest, { ...rest, profile, params }))
      expect([path, message]).toEqual([
        path,
        expect.stringMatching(/^Found .+\. (Write|Add|Remove|Shorten) .+\.$/s),
      ])
  })

  const changed = (path: string, value: unknown) => {
    const manifest = structuredClone(valid)
    const steps = path.split('.')
    const last = steps.pop()!
    // biome-ignore lint/suspicious/noExplicitAny: the path says what there is.
    steps.reduce((object: any, step) => object[step], manifest)[last] = value
    return manifest
  }

  test.each([
    ['consensus.work.round_secs', 700, 'Found 700. Write an integer from 10 to 600.'],
    ['consensus.work.lease_secs', 91, 'Found 91. Write an integer from 5 to 90, not above round_secs.'],
    ['consensus.work.class', 'random', 'Found "random". Write exactly "deterministic".'],
    ['consensus.work.task_source.kind', 'cron', /^Found "cron"\. Write "api": tasks of this network come/],
    [
      'consensus.work.functions',
      ['fold', 'fold'],
      /^Found \["fold", "fold"\]\. Write a list of 1 to 64 different names/,
    ],
    [
      'consensus.economics.fee_split_bp.miner',
      7_500,
      'Found developer 1900, miner 7500, treasury 500, which add up to 9900. Write shares that add up to 10000.',
    ],
    [
      'consensus.economics.reward_per_unit',
      '0',
      'Found "0". Write an amount above 0, in base units, as a decimal string without leading zeros, or choose the model "epoch-pool".',
    ],
    ['scheduling.public_tasks', 'yes', 'Found "yes". Write true or false, without quotes.'],
    ['scheduling.requirements', null, 'Found null. Write an object.'],
    [
      'listing.icon',
      'x'.repeat(600),
      /^Found a text of 600 characters that begins with "x{30}"\. Write a URL/,
    ],
    ['listing.name', 'a\u202eb', /^Found "a\\u202eb"\. Write a line of 1 to 64 characters, without/],
    [
      'listing.tags',
      Array(9).fill('a'),
      /^Found a list of 9 items\. Write a list of at most 8 different tags/,
    ],
    ['listing.colour', 'red', /^Found an unknown member\. Remove it, or correct .*, accent_color\.$/],
    ['listing.docs', undefined, 'Found nothing. Add this member: it is required.'],
    ['listing.accent_color', 'red', /^Found "red"\. Write # and six digits of 0-9 and A-F, such as "#1F2E3D/],
  ])('at %s', (path, value, message) => {
    expect(findManifestProblems(changed(path, value), context)).toMatchObject([
      { message: typeof message === 'string' ? message : expect.stringMatching(message) },
    ])
  })
})

describe('checkManifestEnvelope', () => {
  const privateKey = `0x${'61'.repeat(32)}`
  const manifest = { ...valid, developer: evmAddress(privateKey) }
  const envelope = { manifest, sig_type: 'eip191', signature: signManifest(privateKey, manifest) } as const

  test('problems are reported before a wrong owner, and a wrong owner before a bad signature', () => {
    const problems = [{ path: 'v', code: 'missing', message: '' }]
    const wrong = { ...envelope, signature: `0x${'00'.repeat(65)}` }
    const check = (given: object) => checkManifestEnvelope(context.profile, wrong, given)
    expect(check({ problems, caller: '0x1' })).toEqual({ ok: false, code: 'invalid_manifest', problems })
    expect(check({ caller: '0x1' })).toEqual({ ok: false, code: 'not_owner' })
    expect(check({ caller: manifest.developer })).toEqual({ ok: false, code: 'bad_signature' })
  })

  test('a stated hash that differs is a problem of its member', () => {
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

  property(
    'takes effect at the first common boundary whose beacon lies after the event',
    [
      fc.constantFrom(...epochLengths),
      fc.constantFrom(...epochLengths),
      fc.integer({ min: 0, max: 2 ** 32 }),
      fc.nat(4000),
    ],
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
  )
})

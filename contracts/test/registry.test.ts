import type { Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import { deriveProjectId, isSlug } from '../../protocol/identity/index.ts'
import { by, bytes32, developer, hasAnvil, type Network, profile, stranger } from './network.ts'
import { domainOf, type SignedType, sign } from './typed-data.ts'
import { network, refused, unauthorized, useNetwork } from './use-network.ts'

const slug = 'tide-forecast'
const id = deriveProjectId(profile, developer.address.toLowerCase(), slug)
const unknown = bytes32(0xdead)
const [worker, consensusHash, manifestHash] = [bytes32(1), bytes32(2), bytes32(3)]
const registration = [slug, worker, consensusHash, manifestHash] as const
const [submitted, pendingReview, listed, paused, underfunded, rejected, delisted] = [1, 2, 3, 4, 5, 6, 7]

describe.skipIf(!hasAnvil)('ProjectRegistry', () => {
  let registry: Network['registry']
  useNetwork(() => {
    registry = network.registry
  })

  const did = (sent: Promise<Hex>) => network.events(registry, sent)
  const register = () => did(registry.write.register(registration, by.developer))
  const publish = (version: number, from = by.developer) =>
    registry.simulate.publishVersion([id, version, bytes32(4), bytes32(5)], from)
  const list = (status: number) => did(registry.write.setListingStatus([id, status], by.reviewer))
  const listing = (status: number, project = id, from = by.reviewer) =>
    registry.simulate.setListingStatus([project, status], from)

  test('registers version 1 under the id that the protocol derives, pending review', async () => {
    const registered = { developer: developer.address, consensusHash, manifestHash }
    expect(await register()).toEqual([
      { event: 'ProjectRegistered', projectId: id, slug, worker, ...registered },
    ])
    expect(await registry.read.projectOf([id])).toEqual({ version: 1, status: pendingReview, ...registered })
    expect(await registry.read.developerOf([id])).toBe(developer.address)
  })

  test('a project is registered once, and another developer may use the same slug', async () => {
    await register()
    await refused(registry.simulate.register(registration, by.developer), ['AlreadyRegistered', id])
    const { result } = await registry.simulate.register(registration, by.stranger)
    expect(result).toBe(deriveProjectId(profile, stranger.address.toLowerCase(), slug))
  })

  test('accepts exactly the slugs that the protocol allows', async () => {
    const slugs = ['abc', 'a-b', '0a9', 'a--b', 'a'.repeat(48), '', 'ab', 'a'.repeat(49), '-ab', 'ab-', 'a_b']
    for (const one of [...slugs, 'aBc', 'a b', 'abć', 'a.b', 'a/b', 'a:b', 'a`b', 'a{b']) {
      const args = [one, worker, consensusHash, manifestHash] as const
      const simulated = registry.simulate.register(args, by.developer)
      if (isSlug(one)) await simulated
      else await refused(simulated, ['InvalidSlug', one])
    }
  })

  test('registers and publishes by signature, without a transaction from the developer', async () => {
    const signed = { developer: developer.address, deadline: (await network.now()) + 3600n }
    const signatureOf = (type: SignedType, message: Record<string, unknown>) =>
      sign(developer, type, domainOf(type, network.addresses), message)
    const message = { ...signed, slug, worker, consensusHash, manifestHash, nonce: 0n }
    const signature = await signatureOf('Register', message)
    await network.mined(registry.write.registerBySig([message, signature], by.stranger))
    const published = { version: 3, consensusHash: bytes32(4), manifestHash: bytes32(5) }
    const next = { ...signed, projectId: id, ...published, nonce: 1n }
    const nextSignature = await signatureOf('PublishVersion', next)
    expect(await did(registry.write.publishVersionBySig([next, nextSignature], by.stranger))).toEqual([
      { event: 'VersionPublished', projectId: id, ...published },
    ])
    expect(await registry.read.projectOf([id])).toEqual({
      developer: developer.address,
      status: pendingReview,
      ...published,
    })
  })

  test('versions must increase, and may skip numbers', async () => {
    await register()
    for (const version of [0, 1]) await refused(publish(version), ['VersionNotNewer', 1, version])
    await network.mined(registry.write.publishVersion([id, 7, bytes32(4), bytes32(5)], by.developer))
    await refused(publish(7), ['VersionNotNewer', 7, 7])
    await publish(8)
  })

  test('only the developer publishes a version, and only of a registered project', async () => {
    await refused(publish(2), ['UnknownProject', id])
    await register()
    await refused(publish(2, by.stranger), ['NotDeveloper', id, stranger.address])
  })

  describe('listing status', () => {
    test('a reviewer moves a project between listed, paused and underfunded', async () => {
      await register()
      for (const status of [listed, paused, underfunded, listed]) {
        expect(await list(status)).toEqual([{ event: 'ListingStatusSet', projectId: id, status }])
        expect((await registry.read.projectOf([id])).status).toBe(status)
      }
    })

    test.each([
      ['rejected', rejected],
      ['delisted', delisted],
    ])('%s is final', async (_, final) => {
      await register()
      await list(final)
      for (const status of [listed, rejected, delisted])
        await refused(listing(status), ['ListingNotAllowed', final, status])
    })

    test('refuses states before the review, unknown projects and other accounts', async () => {
      await refused(listing(listed, unknown), ['UnknownProject', unknown])
      await register()
      for (const status of [0, submitted, pendingReview])
        await refused(listing(status), ['ListingNotAllowed', pendingReview, status])
      const isDevelopers = listing(listed, id, by.developer)
      await refused(isDevelopers, unauthorized(developer.address, 'REVIEWER_ROLE'))
    })
  })
})

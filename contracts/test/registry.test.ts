import type { Hex } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { deriveProjectId, isSlug } from '../../protocol/identity/index.ts'
import {
  bytes32,
  developer,
  hasAnvil,
  type Network,
  profile,
  refusal,
  roles,
  startNetwork,
  stranger,
} from './network.ts'
import { domainOf, sign } from './typed-data.ts'

const slug = 'tide-forecast'
const id = deriveProjectId(profile, developer.address.toLowerCase(), slug)
const unknown = bytes32(0xdead)
const [worker, consensusHash, manifestHash] = [bytes32(1), bytes32(2), bytes32(3)]
const [submitted, pendingReview, listed, paused, underfunded, rejected, delisted] = [1, 2, 3, 4, 5, 6, 7]

const asDeveloper = { account: developer.address }
const asStranger = { account: stranger.address }
const asReviewer = { account: roles.reviewer }

describe.skipIf(!hasAnvil)('ProjectRegistry', () => {
  let network: Network
  let snapshot: Hex
  beforeAll(async () => {
    network = await startNetwork()
    snapshot = await network.client.snapshot()
  })
  beforeEach(async () => {
    await network.client.revert({ id: snapshot })
    snapshot = await network.client.snapshot()
  })
  afterAll(() => network?.stop())

  const register = () =>
    network.events(
      network.registry,
      network.registry.write.register([slug, worker, consensusHash, manifestHash], asDeveloper),
    )
  const publish = (version: number, from = asDeveloper) =>
    network.registry.simulate.publishVersion([id, version, bytes32(4), bytes32(5)], from)
  const list = (status: number) =>
    network.events(network.registry, network.registry.write.setListingStatus([id, status], asReviewer))

  test('registers version 1 under the id that the protocol derives, pending review', async () => {
    expect(await register()).toEqual([
      {
        event: 'ProjectRegistered',
        projectId: id,
        developer: developer.address,
        slug,
        worker,
        consensusHash,
        manifestHash,
      },
    ])
    expect(await network.registry.read.projectOf([id])).toEqual({
      developer: developer.address,
      version: 1,
      status: pendingReview,
      consensusHash,
      manifestHash,
    })
    expect(await network.registry.read.developerOf([id])).toBe(developer.address)
  })

  test('a project is registered once, and a taken slug is free for another developer', async () => {
    await register()
    const args = [slug, worker, consensusHash, manifestHash] as const
    expect(await refusal(network.registry.simulate.register(args, asDeveloper))).toEqual([
      'AlreadyRegistered',
      id,
    ])
    const { result } = await network.registry.simulate.register(args, asStranger)
    expect(result).toBe(deriveProjectId(profile, stranger.address.toLowerCase(), slug))
  })

  test('slugs are those of the protocol', async () => {
    const slugs = ['abc', 'a-b', '0a9', 'a--b', 'a'.repeat(48), '', 'ab', 'a'.repeat(49), '-ab', 'ab-', 'a_b']
    for (const one of [...slugs, 'aBc', 'a b', 'abć', 'a.b', 'a/b', 'a:b', 'a`b', 'a{b']) {
      const args = [one, worker, consensusHash, manifestHash] as const
      const simulated = network.registry.simulate.register(args, asDeveloper)
      if (isSlug(one)) await simulated
      else expect(await refusal(simulated)).toEqual(['InvalidSlug', one])
    }
  })

  test('registers and publishes by signature, without the developer sending anything', async () => {
    const deadline = (await network.now()) + 3600n
    const message = {
      developer: developer.address,
      slug,
      worker,
      consensusHash,
      manifestHash,
      nonce: 0n,
      deadline,
    }
    const signature = await sign(developer, 'Register', domainOf('Register', network.addresses), message)
    await network.mined(network.registry.write.registerBySig([message, signature], asStranger))
    const next = {
      developer: developer.address,
      projectId: id,
      version: 3,
      consensusHash: bytes32(4),
      manifestHash: bytes32(5),
      nonce: 1n,
      deadline,
    }
    const nextSignature = await sign(
      developer,
      'PublishVersion',
      domainOf('PublishVersion', network.addresses),
      next,
    )
    expect(
      await network.events(
        network.registry,
        network.registry.write.publishVersionBySig([next, nextSignature], asStranger),
      ),
    ).toEqual([
      {
        event: 'VersionPublished',
        projectId: id,
        version: 3,
        consensusHash: bytes32(4),
        manifestHash: bytes32(5),
      },
    ])
    expect(await network.registry.read.projectOf([id])).toEqual({
      developer: developer.address,
      version: 3,
      status: pendingReview,
      consensusHash: bytes32(4),
      manifestHash: bytes32(5),
    })
  })

  test('versions rise, with gaps where nothing of the consensus changed', async () => {
    await register()
    for (const version of [0, 1])
      expect(await refusal(publish(version))).toEqual(['VersionNotNewer', 1, version])
    await network.mined(network.registry.write.publishVersion([id, 7, bytes32(4), bytes32(5)], asDeveloper))
    expect(await refusal(publish(7))).toEqual(['VersionNotNewer', 7, 7])
    await publish(8)
  })

  test('only the developer publishes, and only of a registered project', async () => {
    expect(await refusal(publish(2))).toEqual(['UnknownProject', id])
    await register()
    expect(await refusal(publish(2, asStranger))).toEqual(['NotDeveloper', id, stranger.address])
  })

  describe('listing status', () => {
    test('a reviewer moves a project between listed, paused and underfunded', async () => {
      await register()
      for (const status of [listed, paused, underfunded, listed]) {
        expect(await list(status)).toEqual([{ event: 'ListingStatusSet', projectId: id, status }])
        expect((await network.registry.read.projectOf([id])).status).toBe(status)
      }
    })

    test.each([
      ['rejected', rejected],
      ['delisted', delisted],
    ])('%s is final', async (_, final) => {
      await register()
      await list(final)
      for (const status of [listed, rejected, delisted])
        expect(await refusal(network.registry.simulate.setListingStatus([id, status], asReviewer))).toEqual([
          'ListingNotAllowed',
          final,
          status,
        ])
    })

    test('states before the review are not set, unknown projects have none, and others may not', async () => {
      const { simulate } = network.registry
      expect(await refusal(simulate.setListingStatus([unknown, listed], asReviewer))).toEqual([
        'UnknownProject',
        unknown,
      ])
      await register()
      for (const status of [0, submitted, pendingReview])
        expect(await refusal(simulate.setListingStatus([id, status], asReviewer))).toEqual([
          'ListingNotAllowed',
          pendingReview,
          status,
        ])
      expect(await refusal(simulate.setListingStatus([id, listed], asDeveloper))).toEqual([
        'AccessControlUnauthorizedAccount',
        developer.address,
        await network.registry.read.REVIEWER_ROLE(),
      ])
    })
  })
})

import { evictDurableObject, runDurableObjectAlarm } from 'cloudflare:test'
import { describe, expect, test, vi } from 'vitest'
import { unixNow } from '../../durable-objects/clock.ts'
import { closeCodes } from '../../protocol/link/index.ts'
import { createOperator } from '../test/callers.ts'
import { bodyOf, client } from '../test/client.ts'
import {
  device,
  deviceRow,
  killProcess,
  leave,
  link,
  makeOffer,
  offerOf,
  openOffered,
  openReady,
  publish,
  testLinks,
} from './testing/links.ts'

testLinks()

async function setBanned(banned: boolean): Promise<void> {
  const operator = await createOperator()
  const response = await operator.client.post(`/admin/v1/devices/${device().nodeId}/ban`, { banned })
  expect(response.status).toBe(200)
}

const shown = async () =>
  (await bodyOf<{ status: string }>(client().get(`/v1/devices/${device().nodeId}`))).status

/** A node that was offered work, and was there when the set was built. @returns When that was. */
async function openDrawn() {
  const begun = Math.ceil(Date.now() / 1000) + 1
  vi.useFakeTimers({ toFake: ['Date'], now: begun * 1000 })
  const opened = await openOffered(2)
  vi.setSystemTime((begun + 20) * 1000)
  return { ...opened, snapshotAt: begun + 10 }
}

describe('a device that is banned', () => {
  test('is offline after the ban is lifted, until it connects again', async () => {
    await openReady()
    await publish()
    expect(await shown()).toBe('online')
    await setBanned(true)
    expect(await shown()).toBe('banned')
    expect(await deviceRow()).toMatchObject({ link_state: 'offline', connected_since: null, free_slots: 0 })
    await setBanned(false)
    expect(await shown()).toBe('offline')
    await openReady()
    await publish()
    expect(await shown()).toBe('online')
  })

  test('is also offline if it had lost its link just before the ban', async () => {
    await openReady()
    await publish()
    await killProcess()
    await setBanned(true)
    await setBanned(false)
    expect(await shown()).toBe('offline')
  })

  test.each([
    ['is connected', async () => {}],
    ['has just lost its link', killProcess],
    ['has just left', null],
  ])('while it %s owes nothing until it is back, and everything from then on', async (_, lose) => {
    const { relay, offer, snapshotAt } = await openDrawn()
    relay.send({ type: 'accept', offer_id: offer.offer_id })
    await relay.drain()
    await (lose === null ? leave(relay) : lose())
    await setBanned(true)
    expect(await makeOffer(offerOf(), snapshotAt)).toBe('absent')
    await setBanned(false)
    expect(await makeOffer(offerOf(), snapshotAt)).toBe('dropped')
    expect(await makeOffer(offer, snapshotAt)).toBe('offered')
    expect(await link().wasHeard(offer.offer_id)).toBe(false)

    const next = await openReady(2)
    await runDurableObjectAlarm(link())
    const later = offerOf()
    expect(await makeOffer(later, snapshotAt)).toBe('offered')
    await leave(next)
    expect(await link().wasHeard(later.offer_id)).toBe(true)
    expect(await makeOffer(offerOf(), snapshotAt)).toBe('offline')
  })

  test.each([closeCodes.normal, closeCodes.banned, closeCodes.restart])(
    'also owes nothing if its node answers the close frame with %i and the object sleeps',
    async (code) => {
      const { relay, offer, snapshotAt } = await openDrawn()
      await setBanned(true)
      expect(await relay.close()).toMatchObject({ code: closeCodes.banned })
      relay.socket.close(code)
      await evictDurableObject(link())
      await setBanned(false)
      expect(await link().wasHeard(offer.offer_id)).toBe(false)
      expect(await makeOffer(offerOf(), snapshotAt)).toBe('dropped')
    },
  )

  test('still owes the votes that it missed before the ban', async () => {
    const { relay, offer } = await openOffered()
    await makeOffer({ ...offer, vote_by: unixNow() - 1 })
    await relay.drain()
    await runDurableObjectAlarm(link())
    await setBanned(true)
    await setBanned(false)
    expect(await link().wasHeard(offer.offer_id)).toBe(true)
  })
})

import { runDurableObjectAlarm } from 'cloudflare:test'
import { describe, expect, test } from 'vitest'
import { profileStrings, resolveProfile } from '../../protocol/identity/index.ts'
import { closeCodes, frameVersions, offlineAfterSecs, ticketSecs } from '../../protocol/link/index.ts'
import { framesOf1 } from '../../protocol/link/testing/frames-1.ts'
import { createMiner, createOperator, deviceRecord, insertNode } from '../test/callers.ts'
import { client, expectRefusal } from '../test/client.ts'
import { countedDatabase } from '../test/counted-database.ts'
import { openRelay, RelaySocket, upgradeHeaders } from '../test/relay-socket.ts'
import { runSql } from '../test/tables.ts'
import { nodectlVersionMin } from '../version.ts'
import {
  backdate,
  device,
  deviceRow,
  killProcess,
  link,
  makeOffer,
  offerOf,
  openReady,
  owner,
  testLinks,
} from './testing/links.ts'

testLinks()

/** A ready node whose socket then goes with the process of the hub. @returns Its ticket. */
async function lose(): Promise<string> {
  const { relay, hello } = await openRelay(device())
  relay.ready()
  await relay.drain()
  await settle()
  await killProcess()
  return hello.ticket ?? ''
}

/** Runs the due work at once: the look at the records, and the publishing of states. */
const settle = () => runDurableObjectAlarm(link())

/** Comes back, and counts what the Worker asks of the database for it. */
async function comeBack(ticket: string) {
  const { db: DB, use } = countedDatabase()
  const opened = await openRelay(device(), { ticket, caller: client({ bindings: { DB } }) })
  return { ...opened, trips: use.roundTrips }
}

const revision = async () => (await deviceRow())?.link_revision

const connect = async (ticket?: string) => client().get('/v1/relay', await upgradeHeaders(device(), ticket))

describe('a node that comes back with its ticket', () => {
  test('needs no query of the database, and keeps its state', async () => {
    const ticket = await lose()
    const shown = await revision()
    const { relay, trips } = await comeBack(ticket)
    expect(trips).toBe(0)
    relay.ready()
    await relay.drain()
    await settle()
    expect(await revision()).toBe(shown)
    expect(await link().status()).toMatchObject({ connected: true, slots: 1 })
  })

  test('may return again and again, with any ticket of its link', async () => {
    const ticket = await lose()
    for (const one of [ticket, ticket, (await comeBack(ticket)).hello.ticket ?? ''])
      expect((await comeBack(one)).trips).toBe(0)
  })

  test('opens only one socket with each signature, with the ticket and without', async () => {
    const ticket = await lose()
    const headers = await upgradeHeaders(device(), ticket)
    expect((await client().get('/v1/relay', headers)).status).toBe(101)
    const { [profileStrings(resolveProfile()).ticket_header]: _, ...bare } = headers
    for (const repeated of [headers, bare])
      await expectRefusal(client().get('/v1/relay', repeated), '401 unauthorized')
  })

  test('counts as away for the time that the hub asked it to take', async () => {
    await openReady()
    await killProcess()
    await backdate('return_secs', 60)
    const offeredAfter = async (secs: number) => {
      await backdate('gone_ms', Date.now() - secs * 1000)
      return makeOffer(offerOf())
    }
    expect(await offeredAfter(offlineAfterSecs + 50)).toBe('away')
    expect(await offeredAfter(offlineAfterSecs + 60)).toBe('absent')
  })
})

describe('a ticket that is no longer valid changes nothing', () => {
  test.each([
    ['altered', async (ticket: string) => `${ticket.slice(0, -1)}${ticket.endsWith('A') ? 'B' : 'A'}`],
    ['no ticket at all', async () => 'nothing'],
    [
      'of another node',
      async () => {
        const other = (await createMiner()).device
        await insertNode(other)
        return (await openRelay(other)).hello.ticket ?? ''
      },
    ],
  ])('%s', async (_, change) => {
    const ticket = await change(await lose())
    const { relay, trips } = await comeBack(ticket)
    expect(trips).toBe(2)
    relay.ready()
    expect(await relay.drain()).toEqual([])
  })

  test('of a link that was lost an hour ago', async () => {
    const ticket = await lose()
    await link().status()
    await backdate('gone_ms', Date.now() - ticketSecs * 1000)
    expect((await comeBack(ticket)).trips).toBe(1)
  })

  test('of a device that was banned and allowed again', async () => {
    const ticket = await lose()
    const operator = await createOperator()
    const ban = (banned: boolean) =>
      operator.client.post(`/admin/v1/devices/${device().nodeId}/ban`, { banned })
    expect((await ban(true)).status).toBe(200)
    await expectRefusal(connect(ticket), '403 forbidden', { details: { reason: 'banned' } })
    expect((await ban(false)).status).toBe(200)
    expect((await comeBack(ticket)).trips).toBe(1)
  })

  test('of a device that is no longer bound', async () => {
    const ticket = await lose()
    await client().post('/v1/devices/unbind', deviceRecord(owner(), device(), { action: 'unbind' }))
    await expectRefusal(connect(ticket), '403 forbidden', { details: { reason: 'not_bound' } })
  })

  test('of a device that was banned while the records could not be read; the next check closes its socket', async () => {
    const { relay, hello } = await openRelay(device())
    await settle()
    await runSql('UPDATE devices SET banned_at = 1 WHERE node_id = ?', device().nodeId)
    await runSql('ALTER TABLE nodes RENAME TO hidden_nodes')
    await link().refresh()
    await runSql('ALTER TABLE hidden_nodes RENAME TO nodes')
    await expectRefusal(connect(hello.ticket), '403 forbidden', { details: { reason: 'banned' } })
    expect(await link().status()).toMatchObject({ connected: true })
    await backdate('checked_ms', 0)
    await settle()
    expect(await relay.close()).toMatchObject({ code: closeCodes.banned })
  })
})

describe('hello', () => {
  test('names versions, return and ticket to a node with frames of version 2', async () => {
    const { hello } = await openRelay(device())
    expect(hello).toMatchObject({
      frames: frameVersions,
      nodectl_min: nodectlVersionMin,
      retry_after: 4,
      ticket: expect.stringMatching(/^[\w-]+$/),
    })
  })

  test('has no other members than ever to a node with frames of version 1', async () => {
    const { relay_subprotocol: first } = profileStrings(resolveProfile())
    const headers = { ...(await upgradeHeaders(device())), 'Sec-WebSocket-Protocol': first }
    const relay = new RelaySocket((await client().get('/v1/relay', headers)).webSocket as WebSocket)
    await relay.next()
    const [text] = relay.texts
    const [hello] = framesOf1.hub
    expect(Object.keys(JSON.parse(text ?? '')).sort()).toEqual(Object.keys(hello).sort())
  })
})

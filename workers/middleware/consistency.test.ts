import { env } from 'cloudflare:workers'
import { HonoRequest } from 'hono/request'
import { describe, expect, test } from 'vitest'
import { createNode, createWallet, insertNode, signIn } from '../test/callers.ts'
import { client } from '../test/client.ts'
import { consistencyOf } from './consistency.ts'

const bookmark = '00000085-0000024c-00004c6d-8e61117bf38d7adb71b934ebbf891683'

describe('which copy of the database answers', () => {
  test.each([
    ['a read without a credential: the nearest one', 'GET', {}, 'first-unconstrained'],
    ['a read with a bookmark: any that has seen the write', 'GET', { 'X-Bookmark': bookmark }, bookmark],
    ['a read with a malformed bookmark', 'GET', { 'X-Bookmark': 'latest' }, 'first-primary'],
    ['a read with Last-Event-ID', 'GET', { 'Last-Event-ID': 'x' }, 'first-primary'],
    ['a read with a credential', 'GET', { Authorization: 'Bearer x' }, 'first-primary'],
    [
      'a read with a credential and a bookmark',
      'GET',
      { Authorization: 'Bearer x', 'X-Bookmark': bookmark },
      'first-primary',
    ],
    ['a write', 'POST', { 'X-Bookmark': bookmark }, 'first-primary'],
  ])('%s', (_, method, headers: Record<string, string>, expected) => {
    const req = new HonoRequest(new Request('http://hub/', { method, headers }))
    expect(consistencyOf(req, false)).toBe(expected)
  })

  // A node that registered or was bound a moment ago must be known.
  test('a read that a node signed: the primary', () => {
    const req = new HonoRequest(new Request('http://hub/', { headers: { 'X-Bookmark': bookmark } }))
    expect(consistencyOf(req, true)).toBe('first-primary')
  })

  test('a read that a node signed asks the primary', async () => {
    const asked: string[] = []
    const DB = new Proxy(env.DB, {
      get: (database, name) =>
        name === 'withSession'
          ? (consistency: string) => {
              asked.push(consistency)
              return database.withSession(consistency)
            }
          : Reflect.get(database, name, database),
    })
    const node = createNode({ bindings: { DB } })
    await insertNode(node)
    await node.call('GET', '/v1/validators')
    expect(asked).toEqual(['first-primary'])
  })

  test('writes and reads with a credential return a bookmark that reads may send; public answers return none', async () => {
    const { address } = createWallet()
    const written = await client().post('/v1/auth/nonce', { address, domain: 'localhost:8787' })
    const named = written.headers.get('x-bookmark') ?? ''
    expect(named).toMatch(/^[0-9a-f-]+$/)
    expect(written.headers.get('access-control-expose-headers')).toContain('X-Bookmark')

    const { client: caller } = await signIn()
    const read = await caller.get('/v1/auth/session', { 'X-Bookmark': named })
    expect([read.status, read.headers.get('x-bookmark')]).toEqual([
      200,
      expect.stringMatching(/^[0-9a-f-]+$/),
    ])

    const open = await client().get('/v1/validators', { 'X-Bookmark': named })
    expect([open.status, open.headers.get('x-bookmark')]).toEqual([200, null])
  })

  test('shared caches keep answers to different bookmarks apart, also 304 answers', async () => {
    const first = await client().get('/v1/validators')
    const again = await client().get('/v1/validators', { 'If-None-Match': first.headers.get('etag') ?? '' })
    expect([first.status, again.status]).toEqual([200, 304])
    for (const answer of [first, again]) expect(answer.headers.get('vary')).toBe('Authorization, X-Bookmark')
  })
})

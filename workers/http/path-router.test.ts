import { describe, expect, test } from 'vitest'
import { PathRouter } from './path-router.ts'

const router = new PathRouter<string>()
for (const [method, path] of [
  ['GET', '/'],
  ['GET', '/developers/me'],
  ['GET', '/developers/me/drafts/:draft'],
  ['GET', '/developers/:address'],
  ['GET', '/developers/:address/projects/:id'],
  ['POST', '/projects/prepare'],
  ['GET', '/projects/:id'],
  ['ALL', '/projects/prepare'],
  ['ALL', '/projects/:id'],
] as const)
  router.add(method, path, `${method} ${path}`)

describe('PathRouter', () => {
  test.each([
    ['GET', '/', 'GET /', {}],
    ['GET', '/developers/me', 'GET /developers/me', {}],
    ['GET', '/developers/0xa', 'GET /developers/:address', { address: '0xa' }],
    ['GET', '/developers/me/drafts/d', 'GET /developers/me/drafts/:draft', { draft: 'd' }],
    // The literal leads nowhere, so the parameter takes its segment.
    ['GET', '/developers/me/projects/p', 'GET /developers/:address/projects/:id', { address: 'me', id: 'p' }],
    ['POST', '/projects/prepare', 'POST /projects/prepare', {}],
    // A literal path is never a parameter's value, whatever the method.
    ['GET', '/projects/prepare', 'ALL /projects/prepare', {}],
    ['PATCH', '/projects/prepare', 'ALL /projects/prepare', {}],
    ['POST', '/projects/x', 'ALL /projects/:id', { id: 'x' }],
    ['GET', '/projects/constructor', 'GET /projects/:id', { id: 'constructor' }],
  ])('%s %s: %s', (method, path, handler, params) => {
    expect(router.match(method, path)).toEqual([[[handler, params]]])
  })

  test.each([
    '/nowhere',
    '/projects',
    '/projects/',
    '/projects//',
    '/projects/a/b',
    '//',
    '/developers//projects/p',
  ])('finds no handler for %s', (path) => {
    expect(router.match('GET', path)).toEqual([[]])
  })

  test('uses the first of two handlers for the same path', () => {
    const twice = new PathRouter<number>()
    twice.add('GET', '/a/:x', 1)
    twice.add('GET', '/a/:y', 2)
    expect(twice.match('GET', '/a/b')).toEqual([[[1, { x: 'b' }]]])
  })
})

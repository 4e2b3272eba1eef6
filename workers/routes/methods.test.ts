import { describe, expect, test } from 'vitest'
import { client, errorOf } from '../test/client.ts'
import { pageFiles, routes } from './index.ts'

/** The declared methods of each path. */
const methodsByPath = new Map<string, string[]>()
for (const { method, path } of [...routes, ...pageFiles])
  methodsByPath.set(path, [...(methodsByPath.get(path) ?? []), method.toUpperCase()])

const allowed = (declared: readonly string[]): string[] =>
  [...declared, ...(declared.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].sort()

const allowOf = ({ headers }: Response) => headers.get('allow')?.split(', ').sort()

/** One caller with a budget that lasts: each client address costs a Durable Object. */
const anybody = client({ bindings: { RATE_LIMIT_MULTIPLIER: '1000' } })
const known = [...methodsByPath].map(([path, declared]) => [path, declared] as const)
/** A value that no other path says literally. */
const filled = (path: string) => path.replaceAll(/\{\w+\}/g, 'any')

describe('a known path', () => {
  test.each(known)('%s: 405 with Allow for every other method', async (path, declared) => {
    const others = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND'].filter(
      (method) => !allowed(declared).includes(method),
    )
    for (const method of others) {
      const answer = await anybody.fetch(filled(path), { method })
      expect([method, answer.status, allowOf(answer)]).toEqual([method, 405, allowed(declared)])
      if (method !== 'HEAD') expect((await errorOf(answer)).error).toBe('bad_request')
    }
  })

  test.each(known)('%s: OPTIONS names the allowed methods', async (path, declared) => {
    const answer = await anybody.fetch(filled(path), { method: 'OPTIONS' })
    expect([answer.status, allowOf(answer)]).toEqual([204, allowed(declared)])
  })
})

import type { HubContext } from '../context.ts'
import type { Answer } from './answer.ts'

/** Larger ones would be held in memory for a client that reads slowly while the cache takes its copy. */
const cachedBytesMax = 2 * 1024 * 1024

const keptHeaders = [
  'Content-Type',
  'Content-Length',
  'Content-Security-Policy',
  'ETag',
  'X-Manifest-Address',
  'Accept-Ranges',
]

/** Bytes named by their own hash, from the cache of the data centre, without database and storage. A cache that fails has nothing. */
export async function cachedBytes(c: HubContext, make: () => Promise<Answer>): Promise<Answer> {
  if (c.req.method !== 'GET' || c.req.header('range') !== undefined) return make()
  const key = new Request(new URL(c.req.path, c.var.settings.BASE_URL))
  const hit = await caches.default.match(key).catch(() => undefined)
  if (hit !== undefined) return { status: 200, headers: headersOf(hit), body: hit.body }
  const answer = await make()
  if (!(answer.body instanceof ReadableStream) || answer.status !== 200) return answer
  if (Number(answer.headers['Content-Length']) > cachedBytesMax) return answer
  const [body, copy] = answer.body.tee()
  const headers = { ...answer.headers, 'Cache-Control': 'public, max-age=31536000, immutable' }
  c.executionCtx.waitUntil(caches.default.put(key, new Response(copy, { headers })).catch(() => {}))
  return { ...answer, body }
}

const headersOf = ({ headers }: Response): Record<string, string> =>
  Object.fromEntries(
    keptHeaders.flatMap((name) => {
      const value = headers.get(name)
      return value === null ? [] : [[name, value]]
    }),
  )

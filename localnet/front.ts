import type { HubBundle } from '../scripts/bundle.ts'

/**
 * Puts the work of Cloudflare's edge in front of the hub: it sets the address of the client, even if the request names
 * another, answers the files that pages load without the hub, and compresses them and pages. A local network listens on this
 * machine alone, so the address is always 127.0.0.1.
 */
export const behindFront = (script: HubBundle): HubBundle => [
  { type: 'ESModule', path: 'front.js', contents: front(script[0]?.path ?? '') },
  ...script,
]

const front = (entry: string): string => `
import hub from './${entry}'
export * from './${entry}'
export default {
  ...hub,
  async fetch(request, env, ctx) {
    // With a malformed Host header the URL cannot be parsed; the hub refuses such a request.
    if (!URL.canParse(request.url)) return hub.fetch(request, env, ctx)
    const { pathname } = new URL(request.url)
    if (request.method === 'GET' && pathname.startsWith('/_app/immutable/')) {
      const file = await fileAt(pathname, env.ASSETS)
      if (file !== null) return fileFor(request, file)
    }
    const headers = new Headers(request.headers)
    headers.set('CF-Connecting-IP', '127.0.0.1')
    return compressed(request, await hub.fetch(new Request(request, { headers }), env, ctx))
  },
}

const takesGzip = (request) => /\\bgzip\\b/.test(request.headers.get('Accept-Encoding') ?? '')
const isText = (type) => /^(?:text\\/(?:html|css|javascript)|image\\/svg)/.test(type ?? '')

/** Files whose names change with their contents, so that they are read and compressed once. */
const files = new Map()

function fileAt(pathname, assets) {
  if (!files.has(pathname)) {
    const reading = readFile(pathname, assets)
    files.set(pathname, reading)
    const forget = () => files.delete(pathname)
    reading.then((file) => file ?? forget(), forget)
  }
  return files.get(pathname)
}

async function readFile(pathname, assets) {
  const asset = await assets.fetch('http://assets' + pathname)
  if (asset.status !== 200) return null
  const type = asset.headers.get('Content-Type') ?? ''
  const plain = await asset.arrayBuffer()
  const gzip = new Response(plain).body.pipeThrough(new CompressionStream('gzip'))
  return { type, plain, gzip: isText(type) ? await new Response(gzip).arrayBuffer() : null }
}

function fileFor(request, { type, plain, gzip }) {
  const headers = {
    'Content-Type': type,
    'Cache-Control': 'public, max-age=31536000, immutable',
    'X-Content-Type-Options': 'nosniff',
    Vary: 'Accept-Encoding',
  }
  if (gzip === null || !takesGzip(request)) return new Response(plain, { headers })
  return new Response(gzip, { headers: { ...headers, 'Content-Encoding': 'gzip' }, encodeBody: 'manual' })
}

function compressed(request, answer) {
  if (answer.status !== 200 || !takesGzip(request) || !isText(answer.headers.get('Content-Type'))) return answer
  const headers = new Headers(answer.headers)
  headers.delete('Content-Length')
  headers.set('Content-Encoding', 'gzip')
  headers.append('Vary', 'Accept-Encoding')
  // These bytes are others than those that the hub named.
  if (headers.has('ETag')) headers.set('ETag', 'W/' + headers.get('ETag'))
  return new Response(answer.body, { status: 200, headers })
}`

import type { HubBundle } from '../scripts/bundle.ts'

/**
 * What Cloudflare's edge does before a deployed hub: it says from which address a request comes, whatever the request says
 * itself, and compresses pages with their files. A local network listens on this machine alone, so that is where all
 * requests come from.
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
    // A Host header that is no host makes a URL that no copy can be made with; the hub refuses it.
    if (!URL.canParse(request.url)) return hub.fetch(request, env, ctx)
    const headers = new Headers(request.headers)
    headers.set('CF-Connecting-IP', '127.0.0.1')
    return compressed(request, await hub.fetch(new Request(request, { headers }), env, ctx))
  },
}

function compressed(request, answer) {
  const type = answer.headers.get('Content-Type') ?? ''
  const isGzipTaken = /\\bgzip\\b/.test(request.headers.get('Accept-Encoding') ?? '')
  if (answer.status !== 200 || !isGzipTaken || !/^(?:text\\/(?:html|css|javascript)|image\\/svg)/.test(type)) return answer
  const headers = new Headers(answer.headers)
  headers.delete('Content-Length')
  headers.set('Content-Encoding', 'gzip')
  headers.append('Vary', 'Accept-Encoding')
  // These bytes are others than those that the hub named.
  if (headers.has('ETag')) headers.set('ETag', 'W/' + headers.get('ETag'))
  return new Response(answer.body, { status: 200, headers })
}`

import type { HubBundle } from '../scripts/bundle.ts'

/**
 * What Cloudflare's edge does before a deployed hub: it says from which address a request comes, whatever the request says
 * itself. A local network listens on this machine alone, so that is where they all come from.
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
  fetch(request, env, ctx) {
    // A Host header that is no host makes a URL that no copy can be made with; the hub refuses it.
    if (!URL.canParse(request.url)) return hub.fetch(request, env, ctx)
    const headers = new Headers(request.headers)
    headers.set('CF-Connecting-IP', '127.0.0.1')
    return hub.fetch(new Request(request, { headers }), env, ctx)
  },
}`

import type { HubBundle } from './bundle.ts'

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
    const headers = new Headers(request.headers)
    headers.set('CF-Connecting-IP', '127.0.0.1')
    return hub.fetch(new Request(request, { headers }), env, ctx)
  },
}`

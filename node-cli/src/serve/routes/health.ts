import packageJson from '../../../package.json' with { type: 'json' }
import { json, type Route } from '../http/route.ts'
import type { ServeNode } from '../node.ts'

export const healthRoute = ({ uptime }: ServeNode): Route => ({
  method: 'GET',
  path: '/health',
  access: 'open',
  handle: () => json(200, { status: 'ok', version: packageJson.version, uptime_secs: uptime() }),
})

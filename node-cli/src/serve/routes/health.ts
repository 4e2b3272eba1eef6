import packageJson from '../../../package.json' with { type: 'json' }
import { json, type Route } from '../http/route.ts'

/** @param uptime Seconds since the start. */
export const healthRoute = (uptime: () => number): Route => ({
  method: 'GET',
  path: '/health',
  access: 'open',
  handle: () => json(200, { status: 'ok', version: packageJson.version, uptime_secs: uptime() }),
})

import type { Route } from '../http/route.ts'
import type { Metrics } from '../metrics.ts'

export const metricsRoute = (metrics: Metrics): Route => ({
  method: 'GET',
  path: '/metrics',
  access: 'bearer',
  handle: () => ({
    status: 200,
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
    body: Buffer.from(metrics.text()),
  }),
})

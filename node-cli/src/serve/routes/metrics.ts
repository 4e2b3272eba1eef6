import type { Route } from '../http/route.ts'
import type { ServeNode } from '../node.ts'

export const metricsRoute = ({ metrics }: ServeNode): Route => ({
  method: 'GET',
  path: '/metrics',
  access: 'bearer',
  handle: () => ({
    status: 200,
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
    body: Buffer.from(metrics.text()),
  }),
})

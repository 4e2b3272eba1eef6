import type { DeclineReason } from '../../../../protocol/link/index.ts'
import type { Metrics } from '../metrics.ts'
import type { LeaseState } from '../store/leases.ts'

export type MinerMetrics = ReturnType<typeof minerMetrics>

export interface MinerGauges {
  readonly isConnected: () => boolean
  readonly latencyMs: () => number | null
  readonly working: () => number
}

/** Counts the work for committees. */
export function minerMetrics(metrics: Metrics, { isConnected, latencyMs, working }: MinerGauges) {
  const offers = metrics.counter('offers_total', 'Offers of tasks by the answer of the node', ['answer'])
  const leases = metrics.counter('leases_total', 'Tasks that were accepted, by how they ended', ['state'])
  const connections = metrics.counter('relay_connections_total', 'Times that the link to the hub was opened')
  metrics.gauge('relay_connected', 'Whether the link to the hub is open', () => Number(isConnected()))
  metrics.gauge(
    'relay_latency_seconds',
    'How long the last ping over the link took; 0 without one',
    () => (latencyMs() ?? 0) / 1000,
  )
  metrics.gauge('offers_working', 'Offers that are checked or run', working)
  return {
    offered: (answer: 'accepted' | 'none' | DeclineReason) => offers.add(1, answer),
    ended: (state: LeaseState) => leases.add(1, state),
    connected: () => connections.add(1),
  }
}

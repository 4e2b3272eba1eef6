import type { Metrics } from './metrics.ts'

/** What the process takes of its machine. */
export function observeProcess(metrics: Metrics): void {
  metrics.gauge('process_resident_memory_bytes', 'Memory of the process', () => process.memoryUsage.rss())
  metrics.gauge('process_cpu_seconds', 'Processor time since the start', () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1_000_000
  })
}

import type { ExecutionResult } from '../../engine/index.ts'
import type { Metrics } from '../metrics.ts'
import type { ExecutionQueue } from './execution-queue.ts'

export type ExecutionMetrics = ReturnType<typeof executionMetrics>

const secondsBounds = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60]

export function executionMetrics(metrics: Metrics, queue: ExecutionQueue) {
  const runs = metrics.counter(
    'executions_total',
    'Executions by outcome; a fault is an execution without an answer of the guest',
    ['outcome'],
  )
  const gas = metrics.counter('gas_used_total', 'Gas of all executions')
  const seconds = metrics.histogram(
    'execution_seconds',
    'How long executions took, without the wait',
    secondsBounds,
  )
  metrics.gauge('queue_running', 'Executions that run', () => queue.running)
  metrics.gauge('queue_waiting', 'Executions that wait', () => queue.waiting)
  return {
    measured: async (run: () => Promise<ExecutionResult>): Promise<ExecutionResult> => {
      const startedAt = performance.now()
      let outcome = 'fault'
      try {
        const result = await run()
        outcome = result.success ? 'success' : 'failure'
        gas.add(result.gasUsed)
        return result
      } finally {
        runs.add(1, outcome)
        seconds.observe((performance.now() - startedAt) / 1000)
      }
    },
    /** Executions that came to an end of the guest's. */
    total: runs.total,
  }
}

import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { echoAddress, echoWasm } from '../../../../protocol/hbc/testing/artifacts.ts'
import { emptyState } from '../execution.ts'
import { requestOf } from '../testing/guests.ts'
import { closeIdleThreads, keepIdleThreads, runInThread } from './thread-pool.ts'

afterAll(closeIdleThreads)

test('a thread that is not used ends, and the next run starts another one', async () => {
  const workers: Worker[] = []
  const count = (worker: Worker) => void workers.push(worker)
  process.on('worker', count)
  onTestFinished(() => void process.off('worker', count))
  onTestFinished(() => keepIdleThreads(2, 60_000))
  await closeIdleThreads()
  keepIdleThreads(2, 0)
  const runOnce = () =>
    runInThread(
      'native',
      requestOf(echoWasm, { input: new TextEncoder().encode('{}'), address: echoAddress }),
      emptyState,
      { timeoutSeconds: 60, signal: undefined },
    )
  for (const runs of [1, 2]) {
    expect(await runOnce()).toMatchObject({ success: true })
    expect(workers).toHaveLength(runs)
    await once(workers.at(-1)!, 'exit')
  }
})

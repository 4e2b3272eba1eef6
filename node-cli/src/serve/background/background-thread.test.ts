import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { utf8 } from '../../../../protocol/encoding/index.ts'
import { hashPayload } from '../../../../protocol/execution/index.ts'
import { resolveProfile } from '../../../../protocol/identity/index.ts'
import { BackgroundThread } from './background-thread.ts'

test('a thread without jobs ends, and the next job starts another one', async () => {
  const workers: Worker[] = []
  const count = (worker: Worker) => void workers.push(worker)
  process.on('worker', count)
  onTestFinished(() => void process.off('worker', count))
  const background = new BackgroundThread(resolveProfile(), 0)
  const input = utf8('{}')
  for (const runs of [1, 2]) {
    expect(await background.run('hashPayload', input)).toBe(hashPayload(input))
    expect(workers).toHaveLength(runs)
    await once(workers.at(-1)!, 'exit')
  }
})

test('the end of a thread takes no job of its successor with it', async () => {
  const background = new BackgroundThread(resolveProfile(), 0)
  const input = utf8('{}')
  for (let turn = 0; turn < 20; turn += 1) {
    expect(await background.run('hashPayload', input)).toBe(hashPayload(input))
    await new Promise(setImmediate)
  }
  await background.close()
})

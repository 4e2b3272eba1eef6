import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { utf8 } from '../../../../protocol/encoding/index.ts'
import { hashPayload } from '../../../../protocol/execution/index.ts'
import { resolveProfile } from '../../../../protocol/identity/index.ts'
import { BackgroundThread } from './background-thread.ts'

const short = utf8('{}')
const long = new Uint8Array(64 * 1024)

/** The threads that this process starts while a test runs. */
function startedThreads(): readonly Worker[] {
  const workers: Worker[] = []
  const count = (worker: Worker) => void workers.push(worker)
  process.on('worker', count)
  onTestFinished(() => void process.off('worker', count))
  return workers
}

test('a thread without jobs ends, and the next job starts another one', async () => {
  const workers = startedThreads()
  const background = new BackgroundThread(resolveProfile(), 0)
  for (const runs of [1, 2]) {
    expect(await background.run('hashPayload', long)).toBe(hashPayload(long))
    expect(workers).toHaveLength(runs)
    await once(workers.at(-1)!, 'exit')
  }
})

test('the end of a thread loses no job of its successor', async () => {
  const background = new BackgroundThread(resolveProfile(), 0)
  for (let turn = 0; turn < 20; turn += 1) {
    expect(await background.run('hashPayload', long)).toBe(hashPayload(long))
    await new Promise(setImmediate)
  }
  await background.close()
})

test('a few short jobs need no thread, and many of them share one', async () => {
  const workers = startedThreads()
  const background = new BackgroundThread(resolveProfile())
  onTestFinished(() => background.close())
  expect(await background.run('hashPayload', short)).toBe(hashPayload(short))
  expect(workers).toHaveLength(0)
  const many = Array.from({ length: 1_000 }, () => background.run('hashPayload', short))
  expect(new Set(await Promise.all(many))).toEqual(new Set([hashPayload(short)]))
  expect(workers).toHaveLength(1)
})

test('a short job that fails does not affect other jobs', async () => {
  const background = new BackgroundThread(resolveProfile())
  await expect(background.runReading(0, 'stateSummary', '/no/such/file', '0x')).rejects.toThrowError(
    'unable to open database file',
  )
  expect(await background.run('hashPayload', short)).toBe(hashPayload(short))
})

test('a job that reads much, or an unknown amount, runs in a thread', async () => {
  const workers = startedThreads()
  for (const bytes of [64 * 1024, Number.POSITIVE_INFINITY]) {
    const background = new BackgroundThread(resolveProfile())
    await expect(background.runReading(bytes, 'stateSummary', '/no/such/file', '0x')).rejects.toThrowError()
    await background.close()
  }
  const background = new BackgroundThread(resolveProfile())
  await expect(background.run('stateSummary', '/no/such/file', '0x')).rejects.toThrowError()
  await background.close()
  expect(workers).toHaveLength(3)
})

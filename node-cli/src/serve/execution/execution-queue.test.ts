import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { ExecutionQueue, type QueuedRun, QueueFull, RunAbandoned } from './execution-queue.ts'

const limits = {
  running: 2,
  waiting: 3,
  waitingBytes: 100,
  direct: { waiting: 2, waitingBytes: 50, share: 1 },
}

const queued = (change: Partial<QueuedRun> = {}): QueuedRun => ({
  kind: 'own',
  isExclusive: false,
  bytes: 1,
  signal: new AbortController().signal,
  ...change,
})

/** Runs that end when they are told to, and the order in which they began. */
function stage(queue: ExecutionQueue) {
  const began: string[] = []
  const ends = new Map<string, () => void>()
  const run = (name: string, change?: Partial<QueuedRun>): Promise<string> =>
    queue.run(queued(change), () => {
      began.push(name)
      return new Promise((resolve) => ends.set(name, () => resolve(name)))
    })
  // Waiting runs begin in later microtasks.
  const turns = async (): Promise<void> => {
    for (let turn = 0; turn < 5; turn++) await Promise.resolve()
  }
  const end = async (name: string): Promise<void> => {
    await turns()
    ends.get(name)!()
    await turns()
  }
  return { began, run, end }
}

describe('ExecutionQueue', () => {
  test('starts as many runs at once as allowed, and the others in order of arrival', async () => {
    const queue = new ExecutionQueue(limits)
    const { began, run, end } = stage(queue)
    const runs = ['a', 'b', 'c', 'd'].map((name) => run(name))
    await Promise.resolve()
    expect([began, queue.running, queue.waiting]).toEqual([['a', 'b'], 2, 2])
    await end('b')
    await end('a')
    expect(began).toEqual(['a', 'b', 'c', 'd'])
    await end('c')
    await end('d')
    expect(await Promise.all(runs)).toEqual(['a', 'b', 'c', 'd'])
    expect([queue.running, queue.waiting]).toEqual([0, 0])
  })

  test('never runs two exclusive runs at once, and does not delay others for a waiting one', async () => {
    const queue = new ExecutionQueue(limits)
    const { began, run, end } = stage(queue)
    void run('first', { isExclusive: true })
    void run('second', { isExclusive: true })
    void run('other')
    await Promise.resolve()
    expect(began).toEqual(['first', 'other'])
    await end('other')
    expect(began).toEqual(['first', 'other'])
    await end('first')
    expect(began).toEqual(['first', 'other', 'second'])
  })

  test('runs of rounds go before all that waits', async () => {
    const queue = new ExecutionQueue({ ...limits, running: 1 })
    const { began, run, end } = stage(queue)
    void run('direct', { kind: 'direct' })
    void run('own')
    void run('second direct', { kind: 'direct' })
    void run('round', { kind: 'round' })
    for (const name of ['direct', 'round', 'own', 'second direct']) await end(name)
    expect(began).toEqual(['direct', 'round', 'own', 'second direct'])
  })

  test('direct runs use at most one worker, and no waiting place of others', async () => {
    const queue = new ExecutionQueue(limits)
    const { began, run } = stage(queue)
    for (const name of ['a', 'b', 'c']) void run(name, { kind: 'direct' })
    await expect(run('d', { kind: 'direct' })).rejects.toThrow(QueueFull)
    void run('round', { kind: 'round' })
    for (const name of ['e', 'f', 'g']) void run(name, { kind: 'round' })
    await Promise.resolve()
    expect([began, queue.waiting]).toEqual([['a', 'round'], 5])
  })

  test('direct runs use at most their share of that worker, and other runs do not wait for it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const queue = new ExecutionQueue({ ...limits, running: 1, direct: { ...limits.direct, share: 0.25 } })
    const { began, run, end } = stage(queue)
    void run('long', { kind: 'direct' })
    void run('next', { kind: 'direct' })
    await Promise.resolve()
    vi.advanceTimersByTime(100)
    await end('long')
    void run('own')
    await Promise.resolve()
    expect(began).toEqual(['long', 'own'])
    await end('own')
    vi.advanceTimersByTime(299)
    expect(began).toEqual(['long', 'own'])
    await vi.advanceTimersByTimeAsync(2)
    expect(began).toEqual(['long', 'own', 'next'])
  })

  test('a change of storage uses no worker, and keeps exclusive runs away', async () => {
    const queue = new ExecutionQueue({ ...limits, running: 1 })
    const { began, run, end } = stage(queue)
    void run('change', { kind: 'state', isExclusive: true })
    void run('round', { kind: 'round' })
    void run('direct', { kind: 'direct', isExclusive: true })
    await end('round')
    expect(began).toEqual(['change', 'round'])
    await end('change')
    expect(began).toEqual(['change', 'round', 'direct'])
  })

  test('refuses runs beyond the limits of waiting runs, by number and by bytes', async () => {
    const queue = new ExecutionQueue(limits)
    const { run } = stage(queue)
    void run('a')
    void run('b')
    void run('c', { bytes: 60 })
    await expect(run('too large', { bytes: 41 })).rejects.toThrow(QueueFull)
    void run('d', { bytes: 40 })
    void run('e', { bytes: 0 })
    await expect(run('too many', { bytes: 0 })).rejects.toThrow(QueueFull)
  })

  test('drops a run whose caller is gone before it starts', async () => {
    const queue = new ExecutionQueue(limits)
    const { began, run, end } = stage(queue)
    const caller = new AbortController()
    void run('a')
    void run('b')
    const left = run('left', { signal: caller.signal })
    void run('c')
    caller.abort()
    await expect(left).rejects.toThrow(RunAbandoned)
    await expect(run('late', { signal: caller.signal })).rejects.toThrow(RunAbandoned)
    await end('a')
    expect(began).toEqual(['a', 'b', 'c'])
  })

  test('a run that fails makes room for the next', async () => {
    const queue = new ExecutionQueue({ ...limits, running: 1 })
    const { began, run, end } = stage(queue)
    const failed = queue.run(queued({ isExclusive: true }), () => Promise.reject(new Error('no')))
    void run('next', { isExclusive: true })
    await expect(failed).rejects.toThrow('no')
    await Promise.resolve()
    expect(began).toEqual(['next'])
    await end('next')
    expect(queue.running).toBe(0)
  })

  test('once closed, it refuses waiting and new runs, and waits for running ones', async () => {
    const queue = new ExecutionQueue({ ...limits, running: 1 })
    const { run, end } = stage(queue)
    void run('running')
    const waiting = run('waiting')
    let isIdle = false
    const idle = queue.close().then(() => {
      isIdle = true
    })
    await expect(waiting).rejects.toThrow(QueueFull)
    await expect(run('late')).rejects.toThrow(QueueFull)
    expect(isIdle).toBe(false)
    await end('running')
    await idle
    expect(isIdle).toBe(true)
  })
})

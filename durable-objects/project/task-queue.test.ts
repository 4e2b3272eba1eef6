import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { TaskQueue } from './task-queue.ts'
import type { EpochTerms, TaskRequest } from './tasks.ts'

const requestOf = (taskId: string, idempotencyKey: string | null = null): TaskRequest => ({
  ...{ taskId, function: 'fold', gasLimit: 1, inputHash: `input of ${taskId}`, input: null },
  ...{ idempotencyKey, underfunded: false },
})

const epochTerms = {
  ...{ epoch: 7, epochSecs: 600, setHash: 'set', consensusHash: 'consensus', moduleAddress: 'module' },
  ...{ functions: ['fold'], gasLimitMax: 1 },
  rules: { committee: {}, roundSecs: 60, leaseSecs: 30, acceptSecs: 10, snapshotAt: 0 },
} as unknown as EpochTerms
const running = { epoch: 7, epochSecs: 600, terms: epochTerms }
const now = 7 * 600 + 1

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())
const pass = (secs: number) => vi.setSystemTime(Date.now() + secs * 1_000)

const within = <T>(name: string, run: (storage: DurableObjectStorage) => T): Promise<T> =>
  runInDurableObject(env.PROJECT_COMMITTEES.getByName(name), async (_, { storage }) => {
    await storage.deleteAll()
    return run(storage)
  })

test('the next process knows all open tasks, and starts each round again until the round confirms its start', () =>
  within('a project whose process ends', (storage) => {
    const before = new TaskQueue(storage)
    const taken = before.submit('p', requestOf('one', 'the key'), running, now)
    expect(taken).toMatchObject({ status: 'running', taskId: 'one', roundId: expect.any(String) })
    before.started((taken as { roundId: string }).roundId)
    expect(before.starting()).toEqual([])
    const after = new TaskQueue(storage)
    const [terms] = after.starting()
    expect(terms).toMatchObject({ taskId: 'one', task: { seq: 0 } })
    expect(after.openRounds(7)).toEqual({ given: 1, open: 1 })
    after.close(terms!.roundId)
    expect(after.openRounds(7)).toEqual({ given: 1, open: 0 })
    // The key names the task and its round, also when that is over.
    const again = after.submit(
      'p',
      { ...requestOf('one'), taskId: 'two', idempotencyKey: 'the key' },
      running,
      now,
    )
    expect(again).toMatchObject({ status: 'known', taskId: 'one', roundId: terms!.roundId })
    after.clear('all')
    expect(new TaskQueue(storage).openRounds(7)).toEqual({ given: 1, open: 0 })
  }))

test('no seq is used twice, even after tasks end and the process restarts; tasks open together store it once', () =>
  within('a project with many tasks', (storage) => {
    const seqsOf = (queue: TaskQueue, names: readonly string[]) =>
      names.map((name) => {
        queue.submit('p', requestOf(name), running, now)
        return queue.termsOfStarting(name)!
      })
    const queue = new TaskQueue(storage)
    const terms = seqsOf(queue, ['one', 'two', 'three', 'four'])
    expect(terms.map(({ task }) => task.seq)).toEqual([0, 1, 2, 3])
    queue.close(terms[3]!.roundId)
    pass(8)
    queue.clear()
    const next = new TaskQueue(storage)
    expect(next.openRounds(7)).toEqual({ given: 4, open: 3 })
    const [five] = seqsOf(next, ['five'])
    expect(five!.task.seq).toBe(4)
    const changes = () => storage.sql.exec<{ n: number }>('SELECT total_changes() AS n').one().n
    const before = changes()
    for (const { roundId } of [...terms, five!]) next.close(roundId)
    pass(8)
    next.clear()
    // Four tasks are deleted, and the seq of the last one is stored.
    expect(changes() - before).toBe(5)
    expect(new TaskQueue(storage).openRounds(7)).toEqual({ given: 5, open: 0 })
    expect(seqsOf(new TaskQueue(storage), ['six'])[0]!.task.seq).toBe(5)
  }))

test('while tasks arrive, each one overwrites a task that has been over for eight seconds', () =>
  within('a project that is busy', (storage) => {
    const queue = new TaskQueue(storage)
    const rows = () =>
      storage.sql.exec<{ id: string }>('SELECT task_id AS id FROM tasks ORDER BY id').toArray()
    const submit = (name: string) => queue.submit('p', requestOf(name), running, now)
    const first = submit('one') as { roundId: string }
    submit('two')
    queue.close(first.roundId)
    expect(queue.openRounds(7)).toEqual({ given: 2, open: 1 })
    // The row that is left says nothing of its task any more.
    expect(queue.termsOfStarting('one')).toBeNull()
    pass(7)
    queue.clear()
    submit('three')
    expect(rows()).toEqual([{ id: 'one' }, { id: 'three' }, { id: 'two' }])
    pass(1)
    submit('four')
    expect(rows()).toEqual([{ id: 'four' }, { id: 'three' }, { id: 'two' }])
    queue.close(queue.termsOfStarting('two')!.roundId)
    // The next process takes the one that nothing was written over for open, and hears from its round that it is over.
    const next = new TaskQueue(storage)
    expect(next.starting().map(({ taskId }) => taskId)).toEqual(['two', 'three', 'four'])
    next.close(next.starting()[0]!.roundId)
    expect(next.hasLeftOver).toBe(true)
    pass(8)
    next.clear()
    expect(next.hasLeftOver).toBe(false)
    expect([rows(), next.openRounds(7)]).toEqual([[{ id: 'four' }, { id: 'three' }], { given: 4, open: 2 }])
  }))

test('if many tasks are over, only a few rows are kept for new tasks', () =>
  within('a project after many tasks', (storage) => {
    const queue = new TaskQueue(storage)
    const submit = (name: string) => queue.submit('p', requestOf(name), running, now) as { roundId: string }
    const given = Array.from({ length: 120 }, (_, index) => submit(`task ${index}`))
    expect(queue.openRounds(7).open).toBe(120)
    const [last, ...others] = given
    for (const { roundId } of others) queue.close(roundId)
    // The next process has lists show them again: their messages may be lost with this one.
    expect(new TaskQueue(storage).openRounds(7).open).toBe(120)
    pass(8)
    queue.close(last!.roundId)
    expect(new TaskQueue(storage).openRounds(7).open).toBe(1)
  }))

test('keys whose tasks are gone are overwritten, or deleted an hour later', () =>
  within('a project with old keys', (storage) => {
    const day = 86_400
    const queue = new TaskQueue(storage)
    const keys = () =>
      storage.sql.exec<{ key: string }>('SELECT idempotency_key AS key FROM keys ORDER BY key').toArray()
    const submit = (name: string, key: string, at: number) =>
      queue.submit('p', requestOf(name, key), { ...running, epoch: Math.floor(at / 600), terms: null }, at)
        .status
    for (const key of ['a', 'b', 'c']) submit(`task ${key}`, key, now)
    queue.purge(now + day - 1)
    expect(submit('late', 'a', now + day - 1)).toBe('conflict')
    queue.purge(now + day + 3_599)
    // A key that is given again is not written over.
    expect(submit('another c', 'c', now + day + 3_599)).toBe('queued')
    expect(submit('task d', 'd', now + day + 3_599)).toBe('queued')
    expect(keys().map(({ key }) => key)).toEqual(['a', 'c', 'd'])
    queue.purge(now + day + 7_200)
    expect(keys().map(({ key }) => key)).toEqual(['c', 'd'])
    expect(submit('another', 'c', now + day + 7_200)).toBe('conflict')
  }))

test('the key of a task that waited also finds its round', () =>
  within('a project whose set comes late', (storage) => {
    const queue = new TaskQueue(storage)
    const waiting = { epoch: 7, epochSecs: 600, terms: null }
    expect(queue.submit('p', requestOf('one', 'the key'), waiting, now)).toMatchObject({ status: 'queued' })
    queue.schedule('p', epochTerms, now + 10)
    const [terms] = queue.starting()
    expect(terms).toMatchObject({ taskId: 'one', queuedAt: now, task: { issued_at: now + 10 } })
    expect(queue.submit('p', requestOf('one', 'the key'), running, now + 20)).toMatchObject({
      status: 'known',
      roundId: terms!.roundId,
    })
  }))

test('tasks that wait for room are written once, however often others start', () =>
  within('a project with a long queue', (storage) => {
    const queue = new TaskQueue(storage)
    for (let i = 0; i < 120; i++)
      queue.submit('p', requestOf(`task ${i}`), { ...running, epoch: 6, terms: null }, now)
    const written = () => {
      const changes = () => storage.sql.exec<{ n: number }>('SELECT total_changes() AS n').one().n
      const before = changes()
      queue.schedule('p', epochTerms, now)
      return changes() - before
    }
    const [first, second] = [written(), written()]
    // Fifty start each time.
    expect([first, second - 70].map((n) => n > 70)).toEqual([true, false])
    expect(second).toBeLessThanOrEqual(first - 70)
    expect(queue.startingCount).toBe(100)
  }))

test('tasks that an earlier hub stored wait, start and are found by their keys as before', () =>
  within('a project of an earlier hub', (storage) => {
    storage.kv.put('migrations', 1)
    storage.sql.exec(`
      CREATE TABLE tasks (
        position INTEGER PRIMARY KEY AUTOINCREMENT, task_id TEXT NOT NULL UNIQUE, idempotency_key TEXT UNIQUE,
        state TEXT NOT NULL, request TEXT NOT NULL, epoch INTEGER NOT NULL, waits_until INTEGER NOT NULL,
        created_at INTEGER NOT NULL, seq INTEGER, round_id TEXT UNIQUE, terms TEXT);
      CREATE UNIQUE INDEX tasks_by_seq ON tasks (epoch, seq) WHERE seq IS NOT NULL;
      CREATE INDEX tasks_by_state ON tasks (state, position);
      CREATE TABLE sequences (epoch INTEGER PRIMARY KEY, next INTEGER NOT NULL);
      INSERT INTO sequences VALUES (7, 3)`)
    const insert = (taskId: string, state: string, key: string | null, roundId: string | null) =>
      storage.sql.exec(
        `INSERT INTO tasks (task_id, idempotency_key, state, request, epoch, waits_until, created_at, round_id, terms)
          VALUES (?, ?, ?, ?, 7, 4800, ?, ?, ?)`,
        ...[taskId, key, state, JSON.stringify(requestOf(taskId, key)), now, roundId],
        roundId && JSON.stringify({ roundId, taskId }),
      )
    insert('over', 'over', 'key of over', 'round of over')
    insert('running', 'running', 'key of running', 'round of running')
    insert('starting', 'starting', null, 'round of starting')
    insert('queued', 'queued', null, null)
    const queue = new TaskQueue(storage)
    expect(queue.openRounds(7)).toEqual({ given: 3, open: 2 })
    expect(queue.starting().map(({ roundId }) => roundId)).toEqual(['round of running', 'round of starting'])
    expect([queue.roundOf('queued'), queue.roundOf('running'), queue.roundOf('over')]).toEqual([
      null,
      'round of running',
      undefined,
    ])
    expect(queue.count('queued')).toBe(1)
    for (const name of ['over', 'running'])
      expect(queue.submit('p', requestOf(name, `key of ${name}`), running, now)).toMatchObject({
        status: 'known',
        roundId: `round of ${name}`,
      })
    queue.schedule('p', epochTerms, now)
    expect(queue.starting().at(-1)).toMatchObject({ taskId: 'queued', task: { seq: 3 } })
  }))

test('a task that was checked against the version before waits, and is named as one that the next does not take', () =>
  within('a project whose version changes', (storage) => {
    const queue = new TaskQueue(storage)
    const dearer = { ...requestOf('dearer'), gasLimit: 2 }
    expect(queue.submit('p', dearer, running, now)).toMatchObject({ status: 'queued', roundId: null })
    expect(queue.submit('p', requestOf('fitting'), running, now)).toMatchObject({ status: 'queued' })
    expect(queue.schedule('p', epochTerms, now)).toEqual(['dearer'])
    queue.drop(['dearer'])
    expect(queue.roundOf('fitting')).toEqual(expect.any(String))
    expect(queue.schedule('p', epochTerms, now)).toEqual([])
  }))

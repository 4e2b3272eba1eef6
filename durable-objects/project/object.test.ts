import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, expect, test, vi } from 'vitest'
import { waitersMax } from '../waiters.ts'
import { type CommitteesProgress, ProjectCommitteesObject } from './object.ts'
import { TaskQueue } from './task-queue.ts'
import type { EpochTerms, TaskRequest } from './tasks.ts'

afterEach(() => {
  vi.useRealTimers()
})

test('if time leaps, a project is checked when its next set is due, and after each pause while a set is open', async () => {
  const stub = env.PROJECT_COMMITTEES.getByName('a project of this test')
  await runInDurableObject(stub, async (_, state) => {
    let now = 1_000
    let progress: CommitteesProgress = { open: 0, nextInSecs: 600 }
    let looks = 0
    const object = objectOf(state, {
      // No alarm comes while the test runs.
      pollMs: 1_000_000,
      now: async () => now,
      advance: async () => {
        looks += 1
        return progress
      },
    })
    const looksAt = async (time: number) => {
      now = time
      await object.alarm()
      expect(await state.storage.getAlarm()).toBeGreaterThan(Date.now())
      return looks
    }
    await object.wake('a project of this test')
    expect([await looksAt(1_000), await looksAt(1_500)]).toEqual([1, 1])
    progress = { open: 1, nextInSecs: 100 }
    expect([await looksAt(1_600), await looksAt(1_601), await looksAt(1_602)]).toEqual([2, 3, 4])
  })
})

test('if time may leap, a project that rests looks for a leap once a second', async () => {
  const stub = env.PROJECT_COMMITTEES.getByName('a project that rests')
  await runInDurableObject(stub, async (_, state) => {
    const object = objectOf(state, {
      pollMs: 500,
      now: async () => 1_000,
      advance: async () => ({ open: 0, nextInSecs: 600 }),
    })
    await object.wake('a project that rests')
    for (let looks = 0; looks < 2; looks++) {
      await state.storage.deleteAlarm()
      const fromMs = Date.now()
      await object.alarm()
      const inMs = Number(await state.storage.getAlarm()) - fromMs
      expect(inMs).toBeGreaterThanOrEqual(1_000)
      expect(inMs).toBeLessThan(600_000)
    }
    await state.storage.deleteAlarm()
  })
})

test('alarms check the sets of a project once a minute while tasks run, and each time while a task waits', async () => {
  const name = 'a project with many tasks'
  const stub = env.PROJECT_COMMITTEES.getByName(name)
  await runInDurableObject(stub, async (_, state) => {
    let progress: CommitteesProgress = { open: 0, nextInSecs: 600 }
    let looks = 0
    const object = objectOf(state, {
      runningEpoch: async () => ({ epoch: 1, epochSecs: 600, terms: null }),
      advance: async () => {
        looks += 1
        return progress
      },
    })
    const looksAfter = async (inSecs = 0) => {
      const { kv } = state.storage
      kv.put('due_at', (kv.get<number>('due_at') ?? 0) - inSecs)
      await object.alarm()
      return looks
    }
    await object.wake(name)
    expect(await looksAfter()).toBe(1)
    // Without tasks it rests until the next set is due.
    expect(await state.storage.getAlarm()).toBeGreaterThan(Date.now() + 590_000)
    expect([await looksAfter(50), await looksAfter(10)]).toEqual([1, 2])
    await object.lookAgain(name)
    expect([await looksAfter(), await looksAfter()]).toEqual([3, 3])
    // A clock that was wrong keeps no set waiting.
    expect([await looksAfter(-86_400), await looksAfter()]).toEqual([4, 4])
    await object.submit(name, requestOf('a task that waits for a set'))
    expect([await looksAfter(), await looksAfter()]).toEqual([5, 6])
    progress = { open: 1, nextInSecs: 600 }
    expect([await looksAfter(), await looksAfter()]).toEqual([7, 8])
    await state.storage.deleteAlarm()
  })
})

test('rounds end also while more callers wait than an object has timers', async () => {
  const name = 'a project that everybody waits for'
  await runInDurableObject(env.PROJECT_COMMITTEES.getByName(name), async (_, state) => {
    let terms: EpochTerms | null = { ...epochTerms, epoch: 1, epochSecs: 600 }
    const object = objectOf(state, {
      runningEpoch: async () => ({ epoch: 1, epochSecs: 600, terms }),
      viewOf: ({ roundId }) => roundId,
    })
    const { roundId } = (await object.submit(name, requestOf('given'))) as { roundId: string }
    terms = null
    await object.lookAgain(name)
    await object.submit(name, requestOf('queued'))
    const [many, most] = [6_000, waitersMax]
    const inVain = Array.from({ length: many }, () => object.waitForRound('queued', 600_000))
    const waiting = Array.from({ length: many }, () => object.waitForEnd(roundId, 600_000))
    // Callers that find too many others are answered at once.
    expect(await Promise.all(inVain.slice(most))).toEqual(Array(many - most).fill(null))
    expect(await Promise.all(waiting.slice(most))).toEqual(
      Array(many - most).fill({ isOver: false, view: null }),
    )
    await object.endRound(name, { roundId, epoch: 1, row: null, finalityVotes: [] })
    expect(await Promise.all(waiting.slice(0, most))).toEqual(
      Array(most).fill({ isOver: true, view: roundId }),
    )
    // There is room again.
    expect(await object.waitForEnd(roundId, 1)).toEqual({ isOver: true, view: null })
    await state.storage.deleteAll()
  })
})

test('a round that waits for its block is told the first one after its time, and callers learn how the round ended', async () => {
  const stub = env.PROJECT_COMMITTEES.getByName('a project with a round')
  await runInDurableObject(stub, async (_, state) => {
    await state.storage.deleteAll()
    const block = { number: 7, hash: '0x07', timestamp: 1_001 }
    let isMined = false
    const told = Promise.withResolvers<unknown[]>()
    const object = objectOf(state, {
      runningEpoch: async () => ({
        epoch: 1,
        epochSecs: 600,
        terms: { ...epochTerms, epoch: 1, epochSecs: 600 },
      }),
      viewOf: ({ roundId }) => roundId,
      auditBlock: async (agreedAt) => (isMined && agreedAt < block.timestamp ? block : null),
      untilNextBlock: () => {
        isMined = true
        return 1
      },
      tellBlock: async (...about) => told.resolve(about),
    })
    const taken = await object.submit('a project with a round', requestOf('only'))
    const roundId = (taken as { roundId: string }).roundId
    expect(await object.waitForEnd(roundId, 1)).toEqual({ isOver: false, view: null })
    await object.awaitBlock(roundId, 1_000)
    expect(await told.promise).toEqual([roundId, block])
    const waiting = object.waitForEnd(roundId, 60_000)
    await object.endRound('a project with a round', { roundId, epoch: 1, row: null, finalityVotes: [] })
    expect(await waiting).toEqual({ isOver: true, view: roundId })
    expect(await object.waitForEnd(roundId, 60_000)).toEqual({ isOver: true, view: null })
    await state.storage.deleteAlarm()
  })
})

test('one alarm of a new process starts all open rounds, and leaves those that fail to the next alarm', async () => {
  const name = 'a project whose process ended'
  const stub = env.PROJECT_COMMITTEES.getByName(name)
  await runInDurableObject(stub, async (_, state) => {
    await state.storage.deleteAll()
    const running = { epoch: 1, epochSecs: 600, terms: { ...epochTerms, epoch: 1, epochSecs: 600 } }
    const before = new TaskQueue(state.storage)
    for (let i = 0; i < 120; i++) before.submit(name, requestOf(`task ${i}`), running, 1_000)
    let fails = true
    const begun: string[] = []
    const object = objectOf(state, {
      runningEpoch: async () => running,
      startRound: async ({ taskId }) => {
        if (fails && taskId === 'task 7') throw new Error('its object is away')
        begun.push(taskId)
        return null
      },
    })
    await object.wake(name)
    await object.alarm()
    expect(begun).toHaveLength(49)
    fails = false
    await object.alarm()
    expect(new Set(begun).size).toBe(120)
    expect(begun).toHaveLength(120)
    await state.storage.deleteAlarm()
  })
})

test('a task that waits gets its round while validators do not answer about the set of another epoch', async () => {
  const name = 'a project whose validators hang'
  await runInDurableObject(env.PROJECT_COMMITTEES.getByName(name), async (_, state) => {
    vi.useFakeTimers()
    let terms: EpochTerms | null = null
    const begun: string[] = []
    const answered = Promise.withResolvers<CommitteesProgress>()
    const object = objectOf(state, {
      advance: () => answered.promise,
      runningEpoch: async () => ({ epoch: 1, epochSecs: 600, terms }),
      startRound: async ({ taskId }) => {
        begun.push(taskId)
        return null
      },
    })
    await object.submit(name, requestOf('waits'))
    const alarm = object.alarm()
    terms = { ...epochTerms, epoch: 1, epochSecs: 600 }
    await vi.advanceTimersByTimeAsync(5_000)
    expect(begun).toEqual(['waits'])
    answered.resolve({ open: 0, nextInSecs: 600 })
    await alarm
    expect(vi.getTimerCount()).toBe(0)
    await state.storage.deleteAlarm()
  })
})

test('a task that could not be noted is not accepted; the same task with the same key then waits like a new one', async () => {
  const stub = env.PROJECT_COMMITTEES.getByName('a project whose database fails')
  await runInDurableObject(stub, async (_, state) => {
    let fails = true
    const noted: string[] = []
    const ended: string[] = []
    const object = objectOf(state, {
      runningEpoch: async () => ({ epoch: 1, epochSecs: 600, terms: null }),
      noteQueued: async (_projectId, { taskId }) => {
        if (fails) throw new Error('the database is away')
        noted.push(taskId)
      },
      noteExpired: async (taskIds) => {
        if (fails) throw new Error('the database is away')
        ended.push(...taskIds)
      },
    })
    const submit = (taskId: string) =>
      object.submit('a project whose database fails', { ...requestOf(taskId), idempotencyKey: 'the key' })
    await expect(submit('first')).rejects.toThrow('the database is away')
    expect(await object.waitForRound('first', 0)).toBeNull()
    await object.alarm()
    expect(await state.storage.getAlarm()).not.toBeNull()
    fails = false
    // The note may have come there all the same, and says by now that nothing comes of the task.
    await object.alarm()
    expect(ended).toEqual(['first'])
    await object.alarm()
    expect(ended).toEqual(['first'])
    expect(await submit('second')).toMatchObject({ status: 'queued', taskId: 'second' })
    expect(await submit('third')).toMatchObject({ status: 'known', taskId: 'second' })
    expect(noted).toEqual(['second', 'second'])
    // It waits for its round; one that is over waits for nothing.
    expect(await object.waitForRound('second', 0)).toBeNull()
    expect(new TaskQueue(state.storage).count('queued')).toBe(1)
    await state.storage.deleteAlarm()
  })
})

test('a task that expired before it could be noted is noted as expired', async () => {
  const name = 'a project whose notes come late'
  const stub = env.PROJECT_COMMITTEES.getByName(name)
  await runInDurableObject(stub, async (_, state) => {
    let epoch = 1
    const said: string[] = []
    const held: PromiseWithResolvers<void>[] = []
    const object = objectOf(state, {
      runningEpoch: async () => ({ epoch, epochSecs: 600, terms: null }),
      noteQueued: async (_projectId, { taskId }) => {
        const note = Promise.withResolvers<void>()
        held.push(note)
        await note.promise
        said.push(`${taskId} waits`)
      },
      noteExpired: async (taskIds) => void said.push(`${taskIds.join()} is over`),
    })
    const submit = (taskId: string) => object.submit(name, { ...requestOf(taskId), idempotencyKey: 'a key' })
    const letThrough = async (index: number) => {
      await expect.poll(() => held.length).toBe(index + 1)
      held[index]!.resolve()
    }
    const first = submit('first')
    await expect.poll(() => held.length).toBe(1)
    epoch = 2
    await object.alarm()
    await letThrough(0)
    expect(await first).toMatchObject({ status: 'queued', taskId: 'first' })
    expect(said).toEqual(['first is over', 'first waits', 'first is over'])
    // The answer was lost: its caller asks again, under the same key, when the task has gone.
    const again = submit('second')
    await letThrough(1)
    expect(await again).toMatchObject({ status: 'known', taskId: 'first' })
    expect(said.slice(3)).toEqual(['first waits', 'first is over'])
    await state.storage.deleteAlarm()
  })
})

test('if a task expires while its note is being written, its end is noted again after the note', async () => {
  const name = 'a project whose answers come late'
  const stub = env.PROJECT_COMMITTEES.getByName(name)
  await runInDurableObject(stub, async (_, state) => {
    let epoch = 1
    const said: string[] = []
    const [note, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const object = objectOf(state, {
      runningEpoch: async () => ({ epoch, epochSecs: 600, terms: null }),
      noteQueued: async (_projectId, { taskId }) => {
        await note.promise
        said.push(`${taskId} waits`)
      },
      noteExpired: async (taskIds) => {
        said.push(`${taskIds.join()} is over`)
        if (said.length === 1) await answer.promise
      },
    })
    const submitted = object.submit(name, requestOf('first'))
    await expect.poll(() => new TaskQueue(state.storage).count('queued')).toBe(1)
    epoch = 2
    const alarm = object.alarm()
    await expect.poll(() => said).toEqual(['first is over'])
    note.resolve()
    expect(await submitted).toMatchObject({ status: 'queued', taskId: 'first' })
    expect(said.slice(1)).toEqual(['first waits', 'first is over'])
    answer.resolve()
    await alarm
    await state.storage.deleteAlarm()
  })
})

const waits = 60

test.each([
  ['longer', 600, 1_200],
  ['shorter', 1_200, 600],
])(
  'tasks that wait for a set wait until their epoch ends, also if epochs become %s at that time',
  async (name, from, to) => {
    const stub = env.PROJECT_COMMITTEES.getByName(`a project whose epochs become ${name}`)
    await runInDurableObject(stub, async (_, state) => {
      await state.storage.deleteAll()
      const tasks = new TaskQueue(state.storage)
      const running = (now: number, epochSecs: number) => {
        return { epoch: Math.floor(now / epochSecs), epochSecs, terms: null }
      }
      // Terms change where epochs of both lengths begin.
      const [begun, end] = [2_400 - from, 2_400]
      for (let i = 0; i < waits; i++)
        tasks.submit(name, requestOf(`${name} ${i}`), running(begun, from), begun)
      expect(tasks.expired(running(end - 1, from))).toEqual([])
      expect(tasks.expired(running(end, to))).toHaveLength(waits)
      // The tasks for which there was no room when the set came do not expire with the epoch.
      const { epoch, epochSecs } = running(begun, from)
      tasks.schedule(name, { ...epochTerms, epoch, epochSecs }, begun + 100)
      const left = tasks.count('queued')
      expect(left).toBeGreaterThan(0)
      expect(tasks.expired(running(end, to))).toEqual([])
      expect(tasks.expired(running(end + 2 * Math.max(from, to), to))).toHaveLength(left)
    })
  },
)

type Settings = ConstructorParameters<typeof ProjectCommitteesObject>[2]

const objectOf = (state: DurableObjectState, over: Partial<Settings>) =>
  new ProjectCommitteesObject(state, env, {
    hasChain: true,
    pollMs: null,
    resumedAt: async () => null,
    now: async () => 1_000,
    advance: async () => null,
    runningEpoch: async () => null,
    startRound: async () => null,
    viewOf: () => null,
    auditBlock: async () => null,
    untilNextBlock: () => 1_000,
    tellBlock: async () => {},
    endRounds: async () => {},
    noteScheduled: async () => {},
    noteQueued: async () => {},
    noteExpired: async () => {},
    ...over,
  })

const requestOf = (taskId: string): TaskRequest => ({
  taskId,
  function: 'echo',
  gasLimit: 1,
  inputHash: '0x00',
  input: '',
  idempotencyKey: null,
  underfunded: false,
})

const epochTerms = {
  setHash: '0x00',
  consensusHash: '0x00',
  moduleAddress: '0x00',
  functions: ['echo'],
  gasLimitMax: 1,
  rules: { committee: {}, roundSecs: 60, leaseSecs: 30, acceptSecs: 10 },
} as unknown as EpochTerms

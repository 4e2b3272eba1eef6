import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { type CommitteesProgress, ProjectCommitteesObject, retryPauseMs } from './project-committees.ts'

test('the pauses between attempts grow from 5 s to 5 minutes, and no further', () => {
  const seconds = [1, 2, 3, 4, 5, 6, 7, 8, 1_000].map((attempts) => retryPauseMs(attempts) / 1000)
  expect(seconds).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300])
})

test('where time leaps, a project is looked at when its next set is due, and after every pause while one is open', async () => {
  const stub = env.PROJECT_COMMITTEES.getByName('a project of this test')
  await runInDurableObject(stub, async (_, state) => {
    let now = 1_000
    let progress: CommitteesProgress = { open: 0, nextInSecs: 600 }
    let looks = 0
    const object = new ProjectCommitteesObject(state, env, {
      // No alarm comes while the test runs.
      pollMs: 1_000_000,
      now: async () => now,
      advance: async () => {
        looks += 1
        return progress
      },
      runningEpoch: async () => null,
      startRound: async () => {},
      noteQueued: async () => {},
      noteExpired: async () => {},
    })
    const looksAt = async (time: number) => {
      now = time
      await object.alarm()
      expect(await state.storage.getAlarm()).toBeGreaterThan(Date.now())
      return looks
    }
    await object.wake('a project of this test')
    expect([await looksAt(1_000), await looksAt(1_599)]).toEqual([1, 1])
    progress = { open: 1, nextInSecs: 100 }
    expect([await looksAt(1_600), await looksAt(1_601), await looksAt(1_602)]).toEqual([2, 3, 4])
  })
})

test('a task that could not be noted was not taken: the same again, under its key, waits like a new one', async () => {
  const stub = env.PROJECT_COMMITTEES.getByName('a project whose database fails')
  await runInDurableObject(stub, async (_, state) => {
    let fails = true
    const noted: string[] = []
    const object = new ProjectCommitteesObject(state, env, {
      pollMs: null,
      now: async () => 1_000,
      advance: async () => null,
      runningEpoch: async () => ({ epoch: 1, epochSecs: 600, terms: null }),
      startRound: async () => {},
      noteQueued: async (_projectId, { taskId }) => {
        if (fails) throw new Error('the database is away')
        noted.push(taskId)
      },
      noteExpired: async () => {},
    })
    const submit = (taskId: string) =>
      object.submit('a project whose database fails', {
        taskId,
        function: 'echo',
        gasLimit: 1,
        inputHash: '0x00',
        input: '',
        idempotencyKey: 'the key',
        underfunded: false,
      })
    await expect(submit('first')).rejects.toThrow('the database is away')
    fails = false
    expect(await submit('second')).toMatchObject({ status: 'queued', taskId: 'second' })
    expect(await submit('third')).toMatchObject({ status: 'known', taskId: 'second' })
    expect(noted).toEqual(['second', 'second'])
    // It waits for its round; one that is over waits for nothing.
    expect(await object.waitForRound('second', 0)).toBeNull()
    const { count } = state.storage.sql
      .exec<{ count: number }>("SELECT count(*) AS count FROM tasks WHERE state = 'queued'")
      .one()
    expect(count).toBe(1)
    await state.storage.deleteAlarm()
  })
})

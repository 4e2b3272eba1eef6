import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { dumpProject } from './copy.ts'
import { TaskQueue } from './task-queue.ts'

const daySecs = 86_400
const now = 1_800_000_000

/** The epochs whose numbers of tasks a backup has, of a project that had these. */
const copied = (epochs: readonly number[]): Promise<number[]> =>
  runInDurableObject(env.PROJECT_COMMITTEES.getByName('a project that is copied'), async (_, { storage }) => {
    await storage.deleteAll()
    new TaskQueue(storage)
    for (const epoch of epochs)
      storage.sql.exec('INSERT INTO stored_sequences (epoch, next, skipped) VALUES (?, 1, 0)', epoch)
    const found: number[] = []
    for (let cursor: string | null = null; ; ) {
      const { table, rows, next } = dumpProject(storage, cursor)
      if (table !== 'stored_sequences') return found
      found.push(...(JSON.parse(rows) as { epoch: number }[]).map(({ epoch }) => epoch))
      cursor = next
    }
  })

const run = (first: number, count: number) => Array.from({ length: count }, (_, i) => first + i)

test('a backup has the last thousand epochs of each length, though longer epochs have smaller numbers', async () => {
  const [hourly, daily] = [now / 3_600, now / daySecs]
  const given = [...run(Math.floor(hourly) - 1_500, 1_500), ...run(Math.ceil(daily), 1_200)]
  const kept = [...run(Math.ceil(daily) + 200, 1_000), ...run(Math.floor(hourly) - 1_000, 1_000)]
  expect(await copied(given)).toEqual(kept)
  // The other way round, epochs became shorter.
  const [eight, four] = [now / 28_800, now / 14_400].map(Math.floor) as [number, number]
  expect(await copied([...run(eight - 3, 3), ...run(four, 3)])).toEqual([
    ...run(eight - 3, 3),
    ...run(four, 3),
  ])
})

import { afterEach, expect, test, vi } from 'vitest'
import { defaultNetworkParams } from '../../protocol/identity/index.ts'
import { openDatabase } from '../stores/database.ts'
import { ValidatorStore } from '../stores/validators.ts'
import { countedDatabase } from '../test/counted-database.ts'
import { failingDatabase } from '../test/failing-database.ts'
import { generationKeptMs, recentGeneration } from './recent-generation.ts'

const task = { project_id: `0x${'01'.repeat(32)}`, epoch: 1 }
const storeOf = (db: D1Database) => new ValidatorStore(openDatabase(db), defaultNetworkParams)

afterEach(() => {
  vi.useRealTimers()
})

const passMs = (ms: number) => vi.setSystemTime(Date.now() + ms)

test('Rounds that end within seconds read the generation once, and later one of them reads it again', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const { db, use } = countedDatabase()
  const store = storeOf(db)
  await recentGeneration(store, task)
  passMs(generationKeptMs.first - 1)
  await recentGeneration(store, task)
  expect(use.roundTrips).toBe(1)
  passMs(1)
  await Promise.all(Array.from({ length: 20 }, () => recentGeneration(store, task)))
  expect(use.roundTrips).toBe(2)
})

test('A round whose validators did not answer reads the generation again sooner', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const { db, use } = countedDatabase()
  const store = storeOf(db)
  await recentGeneration(store, task)
  passMs(generationKeptMs.again)
  await recentGeneration(store, task, generationKeptMs.again)
  expect(use.roundTrips).toBe(2)
})

test('The next round retries a read that failed', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const store = storeOf(failingDatabase((_, statement) => statement === 2 || statement === 3))
  await recentGeneration(store, task)
  passMs(generationKeptMs.first)
  await expect(recentGeneration(store, task)).rejects.toThrow('database')
  await expect(recentGeneration(store, task)).resolves.toBeNull()
})

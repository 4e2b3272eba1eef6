import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { Alarm } from './alarm.ts'

const soonMs = Date.now() + 3_600_000

/** Runs with a storage that has no alarm. */
const withStorage = (name: string, work: (storage: DurableObjectStorage) => Promise<void>) =>
  runInDurableObject(env.PROJECT_COMMITTEES.getByName(name), (_, { storage }) => work(storage))

test('an alarm that is early enough stays, and one that is too late is replaced', async () => {
  await withStorage('in time', async (storage) => {
    const alarm = new Alarm(storage)
    const setTo: (number | null)[] = []
    for (const atMs of [soonMs + 10, soonMs + 20, soonMs, soonMs + 30]) {
      await alarm.by(atMs)
      setTo.push(await storage.getAlarm())
    }
    expect(setTo).toEqual([soonMs + 10, soonMs + 10, soonMs, soonMs])
  })
})

test('an alarm that fired can be set again, also for a later time', async () => {
  await withStorage('came', async (storage) => {
    const alarm = new Alarm(storage)
    await alarm.by(soonMs)
    alarm.gone()
    await alarm.by(soonMs + 10)
    expect(await storage.getAlarm()).toBe(soonMs + 10)
  })
})

test('an alarm that was set before the object was constructed is read from storage', async () => {
  await withStorage('known', async (storage) => {
    await storage.setAlarm(soonMs)
    await new Alarm(storage).by(soonMs + 10)
    expect(await storage.getAlarm()).toBe(soonMs)
  })
})

test('if several alarms are set at once, the earliest stays', async () => {
  await withStorage('at once', async (storage) => {
    const alarm = new Alarm(storage)
    await Promise.all([soonMs + 10, soonMs, soonMs + 20].map((atMs) => alarm.by(atMs)))
    expect(await storage.getAlarm()).toBe(soonMs)
  })
})

test('a lost alarm is set again, and an existing one stays', async () => {
  await withStorage('lost', async (storage) => {
    const alarm = new Alarm(storage)
    await alarm.by(soonMs)
    await alarm.revive(soonMs - 10)
    expect(await storage.getAlarm()).toBe(soonMs)
    await storage.deleteAlarm()
    await alarm.revive(soonMs - 10)
    expect(await storage.getAlarm()).toBe(soonMs - 10)
  })
})

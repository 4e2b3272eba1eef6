import { describe, expect, test } from 'vitest'
import { countedDatabase } from '../test/counted-database.ts'
import { RequestDatabase, scopedToRequests } from './request-database.ts'

const started = () => {
  const { db, use } = countedDatabase()
  const scoped = scopedToRequests(db)
  const one = () => scoped.prepare('SELECT ? AS value').bind(1).all<{ value: number }>()
  return { database: new RequestDatabase(db, () => 'first-primary'), scoped, one, use }
}

describe('RequestDatabase', () => {
  test('statements that are sent at once share one round trip, and each gets its own rows', async () => {
    const { database, scoped, use } = started()
    const ask = (value: number) => scoped.prepare('SELECT ? AS value').bind(value).raw()
    expect(await database.run(() => Promise.all([ask(1), ask(2)]))).toEqual([[[1]], [[2]]])
    expect(use).toMatchObject({ roundTrips: 1, statements: 2 })
  })

  test('a held check shares the round trip of the first statement of the work', async () => {
    const { database, one, use } = started()
    const admission = database.runCheck(one)
    database.hold(admission)
    await database.run(one)
    expect(use).toMatchObject({ roundTrips: 1, statements: 2 })
  })

  test('a held check is sent alone if no work follows', async () => {
    const { database, one, use } = started()
    const admission = database.runCheck(one)
    database.hold(admission)
    database.release()
    await admission
    expect(use).toMatchObject({ roundTrips: 1, statements: 1 })
  })

  test('if a caller is refused, its work reads nothing and writes nothing', async () => {
    const { database, scoped, one, use } = started()
    const refused = new Error('refused')
    database.hold(Promise.reject(refused))
    await expect(database.run(one)).rejects.toBe(refused)
    const write = () => scoped.prepare('DELETE FROM sessions').run()
    await expect(database.run(write)).rejects.toBe(refused)
    await expect(database.run(() => scoped.batch([scoped.prepare('DELETE FROM sessions')]))).rejects.toBe(
      refused,
    )
    expect(use).toMatchObject({ statements: 1, rowsWritten: 0 })
  })
})

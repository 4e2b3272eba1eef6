import { env } from 'cloudflare:workers'
import { beforeEach, expect, test, vi } from 'vitest'
import { FakeChain } from '../durable-objects/testing/fake-chain.ts'
import { runSchedule } from './schedule.ts'
import { createOperator } from './test/callers.ts'
import { failingDatabase } from './test/failing-database.ts'
import { rowsOf, runSql, scalarOf } from './test/tables.ts'

/** D1 answers so many queries of one invocation. */
const queriesOfD1 = 1_000

let unanswered: number
/** A run in which the database refuses as D1 does. */
async function runOnce(): Promise<void> {
  const DB = failingDatabase(
    (_, statement) => {
      unanswered += Number(statement > queriesOfD1)
      return statement > queriesOfD1
    },
    { reason: 'Too many API requests by single worker invocation.' },
  )
  await runSchedule({ ...env, DB })
}

const vaults = Array.from({ length: 300 }, (_, at) => `0x${at.toString(16).padStart(40, '0')}`)
const dueVaults = () =>
  scalarOf<number>("SELECT count(*) FROM hub_actions WHERE kind = 'post_epoch' AND next_attempt_at = 1")

beforeEach(async () => {
  new FakeChain().install()
  unanswered = 0
  await runSql('DELETE FROM hub_actions')
  await env.DB.batch(
    vaults.map((vault) =>
      env.DB.prepare(
        `INSERT INTO hub_actions (kind, subject, wanted, revision, state, attempts, next_attempt_at, wanted_at)
        VALUES ('post_epoch', ?, '{"gross":"1"}', 1, 'open', 0, 1, 1)`,
      ).bind(`${vault}:7`),
    ),
  )
})

test('actions of very many projects take no query from what the schedule does besides', async () => {
  await createOperator()
  await runSql("INSERT INTO sessions VALUES ('older', '0x', 1, 2, NULL)")
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
  await runOnce().finally(() => logged.mockRestore())
  expect(unanswered).toBe(0)
  expect(logged).not.toHaveBeenCalled()
  expect(await rowsOf("SELECT * FROM sessions WHERE token_hash = 'older'")).toEqual([])
})

test('actions for which a run has no queries left are done by the next ones, and all of them', async () => {
  const left: number[] = []
  for (let run = 0; run < 3; run++) {
    await runOnce()
    left.push((await dueVaults())!)
  }
  expect(unanswered).toBe(0)
  expect(left[0]).toBeLessThan(200)
  expect(left[1]).toBeLessThan(left[0]!)
  expect(left[2]).toBe(0)
})

import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { unixNow } from '../durable-objects/clock.ts'
import { FakeChain } from '../durable-objects/testing/fake-chain.ts'
import { runSchedule } from './schedule.ts'
import { createOperator } from './test/callers.ts'
import { failingDatabase } from './test/failing-database.ts'
import { consumeIn } from './test/queue.ts'
import { rowsOf, runSql, scalarOf } from './test/tables.ts'

/** D1 answers so many queries of one invocation. */
const queriesOfD1 = 1_000

let unanswered: number
/** Messages of the hub to its queue of actions. */
let sent: unknown[]

/** Bindings of one invocation, to which the database refuses queries as D1 does. */
function bindingsOfOne(): typeof env {
  const DB = failingDatabase(
    (_, statement) => {
      unanswered += Number(statement > queriesOfD1)
      return statement > queriesOfD1
    },
    { reason: 'Too many API requests by single worker invocation.' },
  )
  const ACTIONS = { send: async (body: unknown) => void sent.push(body) } as never
  return { ...env, DB, ACTIONS }
}

const runOnce = () => runSchedule(bindingsOfOne())

const vaults = Array.from({ length: 300 }, (_, at) => `0x${at.toString(16).padStart(40, '0')}`)
const dueVaults = () =>
  scalarOf<number>("SELECT count(*) FROM hub_actions WHERE kind = 'post_epoch' AND next_attempt_at = 1")

beforeEach(async () => {
  new FakeChain().install()
  unanswered = 0
  sent = []
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

describe('actions that a run leaves', () => {
  test('are done at once by the queue, each of whose runs has queries of its own', async () => {
    await runOnce()
    let runs = 0
    for (; sent.length > 0; runs++) {
      expect(sent).toEqual([{ v: 1, due_until: expect.any(Number) }])
      await consumeIn(bindingsOfOne(), 'actions', sent.splice(0))
    }
    expect([await dueVaults(), unanswered]).toEqual([0, 0])
    expect(runs).toBeGreaterThan(0)
    await runOnce()
    expect(sent).toEqual([])
  })

  test('wait for the schedule from its next run on, so that runs do not become more', async () => {
    await runOnce()
    const [message] = sent.splice(0) as [{ due_until: number }]
    expect([message.due_until % 300, message.due_until > unixNow()]).toEqual([0, true])
    const left = await dueVaults()
    const late = { ...message, due_until: unixNow() }
    expect(await consumeIn(bindingsOfOne(), 'actions', [late])).toEqual({ acked: ['m0'], retried: [] })
    expect([await dueVaults(), sent]).toEqual([left, []])
  })

  test('wait for the schedule if the database is away', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    const bindings = { ...bindingsOfOne(), DB: failingDatabase(() => true) }
    const message = { v: 1, due_until: unixNow() + 100 }
    expect(await consumeIn(bindings, 'actions', [message])).toEqual({ acked: ['m0'], retried: [] })
    expect(logged).toHaveBeenCalled()
    logged.mockRestore()
    expect(sent).toEqual([])
  })
})

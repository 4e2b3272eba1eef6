import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { hashText } from '../../../protocol/encoding/index.ts'
import type { Env } from '../../env.ts'
import {
  atOnce,
  bodyOf,
  client,
  errorOf,
  expectInvalid,
  expectRefusal,
  freshAddress,
} from '../../test/client.ts'
import {
  createKey,
  isKept,
  killObject,
  SimulatedRounds,
  setEffective,
  testEpoch,
  written,
} from '../../test/rounds.ts'
import { runSql, scalarOf } from '../../test/tables.ts'

const rounds = new SimulatedRounds()

const path = (projectId = rounds.projectId) => `/v1/projects/${projectId}/tasks`
const project = () => env.PROJECT_COMMITTEES.getByName(rounds.projectId)
const setStatus = (status: string) =>
  runSql('UPDATE projects SET listing_status = ? WHERE project_id = ?', status, rounds.projectId)
const setPublic = (isPublic: boolean) =>
  runSql(
    `UPDATE project_versions SET manifest = json_set(manifest, '$.scheduling.public_tasks', json(?)) WHERE project_id = ?`,
    String(isPublic),
    rounds.projectId,
  )
/** Makes `count` more tasks wait in the object of the project, until the end of the epoch. */
async function fillQueue(count: number): Promise<void> {
  await runInDurableObject(project(), (_object, { storage }) => {
    storage.sql.exec(
      `INSERT INTO tasks (task_id, position, state, request, epoch, waits_until, created_at)
       WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < ?)
       SELECT 'waiting ' || n, n, 'queued', '{}', ?, ?, 0 FROM counted`,
      count,
      testEpoch,
      (testEpoch + 1) * 3_600,
    )
  })
}

/** Has the committee of a round agree, and validators decide. */
async function finish(roundId: string): Promise<void> {
  const { primaries } = await rounds.drawn(roundId)
  for (const member of primaries) await member.vote(await member.offer(roundId))
  await rounds.mine(roundId)
  await rounds.tick(roundId)
}

interface TaskAnswer {
  task_id: string
  round_id: string | null
  status: string
  seq: number | null
  epoch: number | null
}
const taskOf = (call: Response | Promise<Response>) => bodyOf<TaskAnswer>(call)

describe('tasks of a project whose set is attested', () => {
  beforeAll(async () => {
    await rounds.begin({ project: { scheduling: { public_tasks: false } } })
  })
  beforeEach(() => rounds.install())

  test('202 with the running task, then the result', async () => {
    const response = await rounds.submit({ input: { b: [2], a: 1 } })
    expect(response.status).toBe(202)
    const task = await taskOf(response)
    expect(task).toMatchObject({ status: 'running', epoch: testEpoch, output: null, finalized_at: null })
    expect(response.headers.get('location')).toBe(`/v1/tasks/${encodeURIComponent(task.round_id ?? '')}`)
    await finish(task.round_id ?? '')
    const done = await rounds.task(task.round_id ?? '')
    expect(done).toMatchObject({ status: 'finalized', output: '{"a":1,"b":[2]}', task_id: task.round_id })
    const shouted = `/v1/tasks/${encodeURIComponent(`task:${String(task.round_id).slice(5).toUpperCase()}`)}`
    expect(await taskOf(client().get(shouted))).toMatchObject({ task_id: task.round_id })
    // The same from its record and from its row.
    await written(task.round_id ?? '')
    expect(await rounds.task(task.round_id ?? '')).toEqual(done)
  })

  test('200 once the task reaches the awaited status: the agreement or the final result', async () => {
    // A round is in no list yet, and rows of tasks that are over are there until others are written over them.
    const openRounds = () =>
      runInDurableObject(project(), (_object, { storage }) =>
        storage.sql
          .exec<{ round_id: string }>("SELECT round_id FROM tasks WHERE state = 'open'")
          .toArray()
          .map(({ round_id }) => round_id),
      )
    const before = new Set(await openRounds())
    const waiting = rounds.submit({}, '?wait=60&accept=agreed')
    const roundId = await vi.waitUntil(async () => (await openRounds()).find((one) => !before.has(one)))
    const { primaries } = await rounds.drawn(roundId)
    for (const member of primaries) await member.vote(await member.offer(roundId))
    const agreed = await waiting
    expect([agreed.status, (await taskOf(agreed)).status]).toEqual([200, 'committee_agreed'])
    const reading = client().get(`/v1/tasks/${encodeURIComponent(roundId)}?wait=60`)
    await rounds.mine(roundId)
    await rounds.tick(roundId)
    expect((await taskOf(reading)).status).toBe('finalized')
  })

  test('200 with the final result also if the object of the project runs a build without waiting', async () => {
    const bindings = env as unknown as Env
    const { PROJECT_COMMITTEES: bound } = bindings
    const unknown: readonly (string | symbol)[] = ['waitForEnd', 'awaitBlock']
    const refuse = () => Promise.reject(new TypeError('The RPC receiver does not implement the method.'))
    const lacking = (stub: object) =>
      new Proxy(stub, {
        get: (target, key) => (unknown.includes(key) ? refuse : Reflect.get(target, key)),
      })
    bindings.PROJECT_COMMITTEES = new Proxy(bound, {
      get: (target, key) =>
        key === 'getByName' ? (name: string) => lacking(target.getByName(name)) : Reflect.get(target, key),
    })
    try {
      const { roundId, primaries } = await rounds.begun()
      const reading = client().get(`/v1/tasks/${encodeURIComponent(roundId)}?wait=60`)
      for (const member of primaries) await member.vote(await member.offer(roundId))
      await rounds.mine(roundId)
      // No alarm is run by hand: the round looks for its block by itself, every two seconds.
      expect((await taskOf(await reading)).status).toBe('finalized')
    } finally {
      bindings.PROJECT_COMMITTEES = bound
    }
  })

  test('200 with the final result also if the object of the project is killed while a caller waits', async () => {
    const { roundId, primaries } = await rounds.begun()
    const reading = client().get(`/v1/tasks/${encodeURIComponent(roundId)}?wait=60`)
    await vi.waitUntil(async () => (await rounds.task(roundId)).status === 'running')
    await killObject(project())
    for (const member of primaries) await member.vote(await member.offer(roundId))
    await killObject(project())
    await rounds.mine(roundId)
    await rounds.tick(roundId)
    expect((await taskOf(await reading)).status).toBe('finalized')
  })

  test('200 at once if the round is already past the awaited agreement', async () => {
    const body = { input: 'audited', idempotency_key: 'audited' }
    const { roundId, primaries } = await rounds.begun(body)
    for (const member of primaries) await member.vote(await member.offer(roundId))
    for (const validator of rounds.validators) validator.instead = () => new Response(null, { status: 503 })
    await rounds.mine(roundId, true)
    await rounds.tick(roundId)
    const answer = await rounds.submit(body, '?wait=120&accept=agreed')
    expect([answer.status, (await taskOf(answer)).status]).toEqual([200, 'escalated'])
    for (const validator of rounds.validators) validator.instead = null
    await rounds.passTime(6)
    await rounds.tick(roundId)
    expect(await rounds.task(roundId)).toMatchObject({ status: 'finalized' })
  })

  test('202 and 200 with the current task when the waiting time ends', async () => {
    const response = await rounds.submit({}, '?wait=1')
    expect(response.status).toBe(202)
    const { round_id } = await taskOf(response)
    const read = await client().get(`/v1/tasks/${encodeURIComponent(round_id ?? '')}?wait=1`)
    expect([read.status, (await taskOf(read)).status]).toEqual([200, 'running'])
    await finish(round_id ?? '')
  })

  test('50 concurrent equal tasks with one idempotency_key create one task', async () => {
    const body = { input: 'once', idempotency_key: 'the key' }
    const answers = await atOnce(50, () => rounds.submit(body))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]))
    const tasks = await Promise.all(answers.map(taskOf))
    expect(new Set(tasks.map(({ round_id }) => round_id)).size).toBe(1)
    await finish(tasks[0]?.round_id ?? '')
    // A day later the key names a task of its own.
    expect((await taskOf(rounds.submit(body))).round_id).toBe(tasks[0]?.round_id)
  })

  test('409 conflict: the idempotency_key belongs to another task; the new input is not stored', async () => {
    const [one, two] = ['one', 'two'].map((name) => name.repeat(5_000))
    await rounds.submit({ input: one, idempotency_key: 'taken' })
    await expectRefusal(rounds.submit({ input: two, idempotency_key: 'taken' }), '409 conflict')
    expect([await isKept(one!), await isKept(two!)]).toEqual([true, false])
  })

  test('concurrent tasks get different, consecutive numbers', async () => {
    const answers = await atOnce(20, (i) => rounds.submit({ input: `task ${i}` }))
    const seqs = (await Promise.all(answers.map(taskOf))).map(({ seq }) => seq ?? -1).sort((a, b) => a - b)
    expect(seqs).toEqual(Array.from({ length: 20 }, (_, i) => (seqs[0] ?? 0) + i))
  })

  test.each([
    [{ function: 'nothing' }, 'function'],
    [{ gas_limit: 10_000_001 }, 'gas_limit'],
    [{ gas_limit: 0 }, 'gas_limit'],
    [{ input_b64: 'AAAA' }, 'input'],
    [{ input: undefined }, 'input'],
    [{ input: undefined, input_b64: 'A' }, 'input_b64'],
    [{ idempotency_key: '' }, 'idempotency_key'],
    [{ other: 1 }, 'other'],
  ])('400 invalid_field: %j', async (change, field) => {
    await expectInvalid(rounds.submit(change), field)
  })

  test('413 too_large: an input above 1 MiB', async () => {
    for (const change of [
      { input: 'x'.repeat(1_048_577) },
      { input: undefined, input_b64: 'A'.repeat(1_398_108) },
    ])
      await expectRefusal(rounds.submit(change), '413 too_large')
  })

  test('403 forbidden, scope_missing: callers that may not submit tasks to this project', async () => {
    const body = { function: 'echo', input: '' }
    await expectRefusal(client().post(path(), body), '403 forbidden')
    const key = await createKey(rounds.developer!.client, rounds.projectId, ['projects:read'])
    await expectRefusal(client({ token: key }).post(path(), body), '403 scope_missing', {
      details: { scope: 'tasks:submit' },
    })
    const elsewhere = await createKey(rounds.developer!.client, hashText('another project')).catch(() => '')
    if (elsewhere !== '' && elsewhere !== undefined)
      await expectRefusal(client({ token: elsewhere }).post(path(), body), '403 forbidden')
  })

  test('a project with public tasks accepts 30 a minute from any address, then 429 rate_limited', async () => {
    await setPublic(true)
    const anyone = client({ address: freshAddress() })
    const statuses: number[] = []
    for (let i = 0; i < 31; i++)
      statuses.push(
        (await anyone.post(path(), { function: 'echo', input: 'x', idempotency_key: 'mine' })).status,
      )
    await setPublic(false)
    expect([statuses.slice(0, 30).every((status) => status === 202), statuses[30]]).toEqual([true, 429])
  })

  test('404 not_found: an unknown or unlisted project; 409 invalid_state for its developer', async () => {
    const body = { function: 'echo', input: '' }
    await expectRefusal(client().post(path(hashText('nobody')), body), '404 not_found')
    await setStatus('pending_review')
    const [open, own] = [await errorOf(client().post(path(), body)), await errorOf(rounds.submit())]
    await setStatus('listed')
    expect(open).toMatchObject({ status: 404, error: 'not_found' })
    expect(own).toMatchObject({
      status: 409,
      error: 'invalid_state',
      details: { listing_status: 'pending_review' },
    })
    await expectRefusal(client().get('/v1/tasks/aaaaaaaaaaaaaaaaaaaaaaaa'), '404 not_found')
  })

  test('503 no_validators', async () => {
    await setEffective(Number.MAX_SAFE_INTEGER)
    const refused = await errorOf(rounds.submit())
    await setEffective(0)
    expect(refused).toMatchObject({ status: 503, error: 'no_validators' })
  })

  test('numbers continue after the object of the project was killed between two tasks', async () => {
    const one = await taskOf(rounds.submit({ input: 'before' }))
    await killObject(project())
    const two = await taskOf(rounds.submit({ input: 'after' }))
    expect(two.seq).toBe((one.seq ?? 0) + 1)
  })

  test('a task in the last second of an epoch runs in that epoch, and one in the next second waits', async () => {
    rounds.setTime((testEpoch + 1) * 3_600 - 1)
    expect(await taskOf(rounds.submit())).toMatchObject({ status: 'running', epoch: testEpoch })
    rounds.setTime((testEpoch + 1) * 3_600)
    expect(await taskOf(rounds.submit())).toMatchObject({
      status: 'queued',
      round_id: null,
      epoch: null,
    })
  })
})

describe('tasks of a project whose set is not attested', () => {
  beforeAll(async () => {
    await rounds.begin({ isAttested: false })
  })
  beforeEach(() => rounds.install())

  test('wait, and get their rounds once a quorum has attested', async () => {
    const queued = await taskOf(rounds.submit())
    expect(queued).toMatchObject({ status: 'queued', round_id: null, seq: null })
    const waiting = client().get(`/v1/tasks/${queued.task_id}?wait=60`)
    await rounds.attest()
    await vi.waitUntil(async () => {
      await runDurableObjectAlarm(project())
      return (await rounds.task(queued.task_id)).status === 'running'
    })
    const { round_id } = await taskOf(client().get(`/v1/tasks/${queued.task_id}`))
    await finish(round_id ?? '')
    expect(await taskOf(waiting)).toMatchObject({ status: 'finalized', task_id: round_id })
  })
})

describe('tasks that wait while a later version of their project begins', () => {
  test('end with version_changed at once if it lacks their function or allows less gas; others run', async () => {
    await rounds.begin({ isAttested: false, project: { work: { functions: ['echo', 'compute'] } } })
    const [dropped, costly, fitting] = [
      await taskOf(rounds.submit({ input: 'dropped' })),
      await taskOf(rounds.submit({ input: 'costly', function: 'compute', gas_limit: 1_000_001 })),
      await taskOf(rounds.submit({ input: 'fitting', function: 'compute', gas_limit: 1_000_000 })),
    ]
    await runSql(
      `UPDATE project_versions SET manifest = json_set(manifest, '$.consensus.work.functions', json('["compute"]'),
        '$.consensus.work.max_gas_limit', 1000000) WHERE project_id = ?`,
      rounds.projectId,
    )
    await rounds.attest()
    await runDurableObjectAlarm(project())
    for (const { task_id } of [dropped, costly])
      expect(await rounds.task(task_id)).toMatchObject({
        ...{ status: 'failed', error: 'version_changed', round_id: null, waiting_for: null },
      })
    expect(await rounds.task(fitting.task_id)).toMatchObject({ status: 'running', seq: 0 })
  })
})

describe('tasks that wait in vain', () => {
  beforeAll(async () => {
    await rounds.begin({ isAttested: false })
  })
  beforeEach(() => rounds.install())

  test('are limited to 10,000; one more is refused without a trace, and one alarm ends all', async () => {
    // The first one has the object wake for them.
    const { task_id } = await taskOf(rounds.submit())
    await fillQueue(9_999)
    await runSql(`INSERT INTO tasks (task_id, project_id, function, gas_limit, input_hash, created_at)
       WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < 9999)
       SELECT 'waiting ' || n, 'p', 'echo', 1, '', 0 FROM counted`)
    const input = 'one too many'.repeat(1_000)
    const refused = await expectRefusal(rounds.submit({ input }), '503 unavailable')
    expect(refused.headers.get('retry-after')).toBe('5')
    expect(await isKept(input)).toBe(false)

    rounds.setTime((testEpoch + 1) * 3_600)
    await runDurableObjectAlarm(project())
    const ended = "task_id LIKE 'waiting %' AND error = 'no_attested_snapshot'"
    expect(await scalarOf(`SELECT count(*) AS count FROM tasks WHERE ${ended}`)).toBe(9_999)
    expect(await rounds.task(task_id)).toMatchObject({ status: 'failed', error: 'no_attested_snapshot' })
    const left = await runInDurableObject(project(), (_object, { storage }) =>
      storage.sql.exec("SELECT count(*) AS count FROM tasks WHERE state = 'queued'").one(),
    )
    expect(left).toEqual({ count: 0 })
    rounds.setTime(testEpoch * 3_600 + 1_000)
  })

  test('fail with no_attested_snapshot at the end of their epoch', async () => {
    const queued = await taskOf(rounds.submit({ input: 'in vain' }))
    rounds.setTime((testEpoch + 1) * 3_600)
    await runDurableObjectAlarm(project())
    expect(await rounds.task(queued.task_id)).toMatchObject({
      status: 'failed',
      error: 'no_attested_snapshot',
      round_id: null,
    })
  })
})

import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { TaskQueue } from '../../../durable-objects/project/task-queue.ts'
import type { EpochTerms } from '../../../durable-objects/project/tasks.ts'
import {
  freshRelayerObject,
  relayed,
  relayer,
  useRelayer,
} from '../../../durable-objects/testing/relayer-object.ts'
import { createOperator, signIn } from '../../test/callers.ts'
import { bodyOf, expectAnswer, expectInvalid, expectRefusal } from '../../test/client.ts'
import { emptyTables, rowsOf, runSql } from '../../test/tables.ts'

/** It runs, and does not end meanwhile. */
const epoch = Math.floor(Date.now() / 600_000) + 2
vi.useFakeTimers({ toFake: ['Date'], now: (epoch * 600 + 100) * 1_000 })

const operator = await createOperator()
const dump = (cursor: string | null = null) => operator.client.post('/admin/v1/objects/dump', { cursor })
const load = (part: object, backup = 'monday') =>
  operator.client.post('/admin/v1/objects/load', { ...part, backup })
const resume = (body?: object) => operator.client.post('/admin/v1/objects/resume', body)

const projectId = `0x${'07'.repeat(32)}`
const project = env.PROJECT_COMMITTEES.getByName(projectId)
const terms = {
  ...{ epoch, epochSecs: 600, setHash: 'set', consensusHash: 'consensus', moduleAddress: 'module' },
  ...{ functions: ['fold'], gasLimitMax: 1 },
  rules: { committee: {}, roundSecs: 60, leaseSecs: 30, acceptSecs: 10, snapshotAt: 0 },
} as unknown as EpochTerms

async function forgetProject(): Promise<void> {
  await runInDurableObject(project, async (_, { storage }) => {
    await storage.deleteAlarm()
    await storage.deleteAll()
  })
  await evictDurableObject(project)
}
/** Works with the tasks of the project as the next process finds them. */
const queue = <T>(work: (tasks: TaskQueue) => T): Promise<T> =>
  runInDurableObject(project, (_, { storage }) => work(new TaskQueue(storage)))
const submit = (tasks: TaskQueue, taskId: string, of = epoch) =>
  tasks.submit(
    projectId,
    {
      ...{ taskId, function: 'fold', gasLimit: 1, inputHash: 'input', input: null, underfunded: false },
      idempotencyKey: `key of ${taskId}`,
    },
    { epoch: of, epochSecs: 600, terms: { ...terms, epoch: of } },
    of * 600 + 1,
  )

interface Part {
  object: string
  table: string
  rows: string
}
async function dumped(): Promise<Part[]> {
  const parts: Part[] = []
  let cursor: string | null = null
  do {
    const page: { parts: Part[]; next_cursor: string | null } = await bodyOf(dump(cursor))
    parts.push(...page.parts)
    cursor = page.next_cursor
  } while (cursor !== null)
  return parts
}

useRelayer()
beforeEach(async () => {
  await forgetProject()
  await emptyTables('projects', 'epoch_rounds', 'rounds', 'tasks', 'transactions', 'audit_log')
  await runSql(
    "INSERT INTO projects (project_id, ordinal, developer, slug, category, listing_status, created_at) VALUES (?, 1, '0x', 's', 'science', 'listed', 1)",
    projectId,
  )
})

describe('records that only Durable Objects have', () => {
  test('are read and loaded into fresh objects, which continue from them', async () => {
    const sent = await relayed({ perDay: 5 })
    const opened = await queue((tasks) => ['one', 'two', 'three'].map((id) => submit(tasks, id)))
    await queue((tasks) => {
      tasks.close((opened[2] as { roundId: string }).roundId)
      tasks.clear('all')
    })
    const parts = await dumped()
    expect(parts.map(({ object, table }) => `${object.split(' ')[0]} ${table}`)).toEqual([
      ...['relays', 'attempts', 'gas_days', 'owner_gas'].map((table) => `relayer ${table}`),
      ...['stored_sequences', 'tasks', 'keys'].map((table) => `project ${table}`),
    ])

    await freshRelayerObject()
    await forgetProject()
    // An interrupted restore is repeated.
    for (const part of [...parts, ...parts]) await expectAnswer(load(part), 200, { object: part.object })
    expect(await dumped()).toEqual(parts)
    // The round of the second task is over, and so is one that came after the backup.
    const [, second] = opened as { roundId: string }[]
    await runSql(
      `INSERT INTO rounds (round_id, kind, state, module_address, function, input_hash, gas_limit, issued_at,
         committee_size, votes, agreeing, audited) VALUES (?, 'task', 'finalized', '', '', '', 1, 1, 3, 3, 3, 0)`,
      second!.roundId,
    )
    await runSql(
      `INSERT INTO epoch_rounds (project_id, epoch, ends_at, terms, rounds, finalized, fallback, units, primaries, answered)
       VALUES (?, ?, 1, '{}', 3, 3, 0, 0, 0, 0)`,
      projectId,
      epoch,
    )
    await emptyTables('transactions')
    for (let again = 0; again < 2; again++) {
      const { objects, next_cursor } = await bodyOf(resume({ reason: 'A test.' }))
      expect(objects).toEqual([...Array(3).fill(expect.stringMatching(/^relayer /)), 'direct-order'])
      await expectAnswer(resume({ cursor: next_cursor }), 200, { objects: [`project ${projectId}`] })
    }
    // Nobody gets the `seq` of a task that came after the backup, and the epoch waits for none of them.
    const resumedAt = await runInDurableObject(project, (_, { storage }) =>
      storage.kv.get<number>('resumed_at'),
    )
    const free = (resumedAt! + 1 - epoch * 600) * 10_000
    expect(
      await queue((tasks) => [
        tasks.openRounds(epoch),
        submit(tasks, 'four'),
        tasks.termsOfStarting('four')!.task.seq,
        tasks.openRounds(epoch),
      ]),
    ).toEqual([
      { given: 4, open: 1 },
      expect.objectContaining({ status: 'running' }),
      free,
      { given: 5, open: 2 },
    ])
    expect(await queue((tasks) => submit(tasks, 'three'))).toMatchObject({ status: 'known' })
    // Epochs that begin later begin with 0.
    expect(
      await queue((tasks) => [submit(tasks, 'five', epoch + 1), tasks.termsOfStarting('five')!.task.seq]),
    ).toEqual([expect.objectContaining({ status: 'running' }), 0])
    // An action keeps its nonce, and the database is told of it.
    expect(await relayer.relay(sent)).toMatchObject({ relay: { id: sent.id, status: 'sent' } })
    expect(await relayer.health()).toMatchObject({ nextNonce: 1, open: 1 })
    await runInDurableObject(relayer, (object) => object.alarm?.())
    expect(await rowsOf('SELECT id FROM transactions')).toEqual([{ id: sent.id }])
    expect(await rowsOf('SELECT action, operator FROM audit_log')).toEqual(
      Array(2).fill({ action: 'objects.resume', operator: operator.address }),
    )
    await expectRefusal(load(parts[0]!), '409 invalid_state')
  })

  test('continue only in objects that were loaded or are empty; an object in use answers 409 and is unchanged', async () => {
    await queue((tasks) => submit(tasks, 'one'))
    const { next_cursor } = await bodyOf(resume())
    for (let again = 0; again < 2; again++)
      await expectRefusal(resume({ cursor: next_cursor }), '409 invalid_state')
    expect(await queue((tasks) => [submit(tasks, 'two'), tasks.termsOfStarting('two')])).toMatchObject([
      { status: 'running' },
      { task: { seq: 1 } },
    ])
  })

  test('are read in pages', async () => {
    await queue((tasks) => {
      for (let i = 0; i < 1_200; i++) submit(tasks, `task ${i}`)
    })
    const rows = (await dumped()).flatMap(({ table, rows }) => (table === 'keys' ? JSON.parse(rows) : []))
    expect(new Set(rows.map(({ task_id }) => task_id)).size).toBe(1_000)
    expect(rows).toHaveLength(1_000)
  })

  test('skip sequence numbers also for a project that the backup does not contain', async () => {
    await emptyTables('last_restore')
    await project.wake(projectId)
    expect(await runInDurableObject(project, (_, { storage }) => storage.kv.get('resumed_at'))).toBe(
      undefined,
    )
    await forgetProject()
    await runSql('DELETE FROM projects')
    const before = Math.floor(Date.now() / 1_000)
    for (let cursor = null, page = 0; page < 2; page++)
      ({ next_cursor: cursor } = (await bodyOf(resume({ cursor }))) as { next_cursor: null })
    await project.wake(projectId)
    const [, seq] = await queue((tasks) => [submit(tasks, 'one'), tasks.termsOfStarting('one')!.task.seq])
    expect(seq).toBeGreaterThanOrEqual((before + 1 - epoch * 600) * 10_000)
    expect(await queue((tasks) => tasks.openRounds(epoch))).toEqual({ given: 1, open: 1 })
  })

  test('count as backed up when the operator confirms the backup, not when they are read', async () => {
    await emptyTables('last_backup')
    await dumped()
    expect(await rowsOf('SELECT * FROM last_backup')).toEqual([])
    for (const backup of ['monday', 'tuesday']) {
      const noted = operator.client.post('/admin/v1/objects/dumped', { backup, reason: 'A test.' })
      await expectAnswer(noted, 200, { backup, noted_at: expect.any(Number) })
    }
    expect(await rowsOf('SELECT id FROM last_backup')).toEqual([{ id: 1 }])
    expect(await rowsOf('SELECT action, subject FROM audit_log ORDER BY entry')).toEqual(
      ['monday', 'tuesday'].map((subject) => ({ action: 'backup.made', subject })),
    )
    await expectInvalid(operator.client.post('/admin/v1/objects/dumped', { backup: 'a b' }), 'backup')
  })

  test('are not loaded into an object in use, nor into an object of another hub', async () => {
    await queue((tasks) => submit(tasks, 'one'))
    const part = { object: `project ${projectId}`, table: 'keys', rows: '[]' }
    await expectRefusal(load(part), '409 invalid_state')
    await forgetProject()
    await expectRefusal(load({ ...part, table: 'other' }), '409 invalid_state')
    await expectAnswer(load(part), 200, { object: part.object })
    await expectRefusal(load(part, 'tuesday'), '409 invalid_state')
    await expectRefusal(load({ ...part, object: `relayer 1:0x${'07'.repeat(20)}` }), '404 not_found')
    for (const rows of ['no JSON', '{}', '[1]', '[null]'])
      await expectInvalid(load({ ...part, rows }), 'rows')
    await expectInvalid(load({ ...part, object: 'round 1' }), 'object')
  })

  test('are compared with a restored database, and repair its differences once', async () => {
    const request = await relayed()
    await queue((tasks) =>
      tasks.submit(
        projectId,
        {
          ...{
            taskId: 'waits',
            function: 'fold',
            gasLimit: 1,
            inputHash: 'input',
            input: null,
            underfunded: false,
          },
          idempotencyKey: null,
        },
        { epoch, epochSecs: 600, terms: null },
        epoch * 600 + 1,
      ),
    )
    await evictDurableObject(project)
    await emptyTables('transactions', 'tasks')
    const both = async (body: object) => {
      const found: unknown[] = []
      let cursor: string | null = null
      do {
        const page: { differences: unknown[]; next_cursor: string | null } = await bodyOf(
          operator.client.post('/admin/v1/objects/compare', { since: 1, ...body, cursor }),
        )
        found.push(...page.differences)
        cursor = page.next_cursor
      } while (cursor !== null)
      return found
    }
    const differences = [
      { object: expect.stringMatching(/^relayer /), what: 'actions', count: 1 },
      { object: `project ${projectId}`, what: 'queued_tasks', count: 1 },
    ]
    expect(await both({})).toEqual(differences)
    expect(await both({ since: 4_000_000_000 })).toEqual(differences.slice(1))
    expect(await rowsOf('SELECT 1 FROM tasks')).toEqual([])
    expect(await both({ repair: true })).toEqual(differences)
    await runInDurableObject(relayer, (object) => object.alarm?.())
    expect(await both({})).toEqual([])
    expect(await rowsOf('SELECT id FROM transactions')).toEqual([{ id: request.id }])
    expect(await rowsOf('SELECT task_id, project_id FROM tasks')).toEqual([
      { task_id: 'waits', project_id: projectId },
    ])
    expect(await rowsOf('SELECT action FROM audit_log')).toEqual([{ action: 'objects.repair' }])
  })

  test('are for operators only, and a cursor of another list is refused', async () => {
    const stranger = (await signIn()).client
    for (const what of ['dump', 'dumped', 'load', 'resume', 'compare']) {
      const bodies: Record<string, object> = {
        load: { object: 'direct-order', table: 'heads', rows: '[]', backup: 'b' },
        compare: { since: 1 },
        dumped: { backup: 'b' },
      }
      await expectRefusal(stranger.post(`/admin/v1/objects/${what}`, bodies[what] ?? {}), '403 forbidden')
    }
    const { next_cursor } = await bodyOf(resume())
    await expectInvalid(dump(next_cursor), 'cursor')
  })
})

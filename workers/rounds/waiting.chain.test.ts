import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, test, vi } from 'vitest'
import { services } from '../services.ts'
import { bodyOf, client } from '../test/client.ts'
import { SimulatedRounds, testEpoch, written } from '../test/rounds.ts'
import { runSql } from '../test/tables.ts'

const start = testEpoch * 3_600
const status = () => bodyOf(client().get('/v1/status'))

describe('an epoch that runs without an attested set', () => {
  test('is reported by the status, which is degraded, and by each task that waits', async () => {
    const rounds = await new SimulatedRounds().begin({ isAttested: false })
    // A clock that is set back leaves no answer from later.
    rounds.setTime(start + 2_000)
    await status()
    rounds.setTime(start + 1_000)
    const { task_id: id } = await bodyOf(rounds.submit())
    const waiting = { code: 'set_not_attested', since: start + 1_000, until: start + 3_600 }
    expect(await rounds.task(id)).toMatchObject({
      status: 'queued',
      waiting_for: { ...waiting, message: expect.stringContaining(`epoch ${testEpoch}`) },
    })
    rounds.setTime(start + 1_050)
    expect((await status()).late).not.toContainEqual(expect.objectContaining({ what: 'tasks_waiting' }))
    rounds.setTime(start + 1_061)
    const about = { project_id: rounds.projectId, epoch: testEpoch }
    expect(await status()).toMatchObject({
      status: 'degraded',
      database: 'ok',
      late: [
        { what: 'set_not_attested', ...about, since: expect.any(Number), count: 1 },
        { what: 'tasks_waiting', ...about, since: start + 1_000, count: 1 },
      ],
    })
    await rounds.attest()
    await runDurableObjectAlarm(env.PROJECT_COMMITTEES.getByName(rounds.projectId))
    expect(await rounds.task(id)).toMatchObject({ status: 'running', waiting_for: null })
    rounds.setTime(start + 1_070)
    expect(await status()).toMatchObject({ late: [] })
  })

  test('is no longer reported once it is over, and neither are its tasks, which failed with it', async () => {
    const rounds = await new SimulatedRounds().begin({ isAttested: false })
    rounds.setTime(start + 1_000)
    const { task_id: id } = await bodyOf(rounds.submit())
    rounds.setTime(start + 3_599)
    expect(await status()).toMatchObject({ late: [{ what: 'set_not_attested' }, { what: 'tasks_waiting' }] })
    rounds.setTime(start + 3_600 + 61)
    await runDurableObjectAlarm(env.PROJECT_COMMITTEES.getByName(rounds.projectId))
    expect(await rounds.task(id)).toMatchObject({ status: 'failed', waiting_for: null })
    expect(await status()).toMatchObject({ late: [] })
  })
})

describe('an epoch that had no validators when its set was due', () => {
  test('makes its tasks wait for the next epoch, and they fail at the end of that epoch', async () => {
    const rounds = await new SimulatedRounds().begin({ isAttested: false })
    await runSql('UPDATE validator_generations SET effective_at = ?', start)
    rounds.setTime(start + 1_000)
    const { task_id: id } = await bodyOf(rounds.submit())
    const waiting = { code: 'next_epoch', since: start + 1_000, until: start + 7_200 }
    expect(await rounds.task(id)).toMatchObject({ status: 'queued', waiting_for: waiting })
    const project = env.PROJECT_COMMITTEES.getByName(rounds.projectId)
    for (const [time, expected] of [
      [start + 3_700, { status: 'queued', waiting_for: { code: 'set_not_attested', until: start + 7_200 } }],
      [start + 7_201, { status: 'failed', waiting_for: null }],
    ] as const) {
      rounds.setTime(time)
      await runDurableObjectAlarm(project)
      expect(await rounds.task(id)).toMatchObject(expected)
    }
  })
})

describe('a task whose committee has finished', () => {
  test('is late after a minute without an audit block, and then after a minute without a quorum', async () => {
    const rounds = await new SimulatedRounds().begin()
    const { roundId, primaries } = await rounds.begun()
    for (const member of primaries) {
      const offer = await member.offer(roundId)
      member.accept(offer)
      await member.relay.drain()
      await member.vote(offer)
    }
    await vi.waitUntil(async () => (await rounds.task(roundId)).status === 'committee_agreed')
    const lateAt = async (time: number) => {
      rounds.setTime(time)
      const { late } = await status()
      return (late as { project_id: string }[]).filter((one) => one.project_id === rounds.projectId)
    }
    rounds.setTime(start + 1_020)
    await rounds.tick(roundId)
    await vi.waitUntil(async () => (await services(env).rounds.find(roundId)) !== null, 30_000)
    const late = { project_id: rounds.projectId, epoch: testEpoch, since: start + 1_000, count: 1 }
    expect(await lateAt(start + 1_059)).toEqual([])
    expect(await lateAt(start + 1_065)).toEqual([{ what: 'rounds_without_block', ...late }])
    await runSql('INSERT INTO chain_blocks VALUES (999, ?, ?, ?)', 'hash', 'parent', start + 1_001)
    expect(await lateAt(start + 1_071)).toEqual([{ what: 'rounds_without_quorum', ...late }])
    await rounds.mine(roundId)
    await rounds.tick(roundId)
    await written(roundId)
    expect(await lateAt(start + 1_090)).toEqual([])
  })

  test('reports that it waits for the audit block, then for the validators, and nothing once it is final', async () => {
    const rounds = await new SimulatedRounds().begin()
    const { roundId, primaries } = await rounds.begun()
    expect(await rounds.task(roundId)).toMatchObject({ status: 'running', waiting_for: null })
    for (const member of primaries) {
      const offer = await member.offer(roundId)
      member.accept(offer)
      await member.relay.drain()
      await member.vote(offer)
    }
    await vi.waitUntil(async () => (await rounds.task(roundId)).status === 'committee_agreed')
    expect(await rounds.task(roundId)).toMatchObject({
      waiting_for: { code: 'audit_block', since: start + 1_000, until: null },
    })
    for (const validator of rounds.validators) validator.instead = () => new Response(null, { status: 503 })
    await rounds.mine(roundId)
    await rounds.tick(roundId)
    await vi.waitUntil(async () => {
      const { waiting_for: wait } = (await rounds.task(roundId)) as { waiting_for: { code: string } | null }
      return wait?.code === 'validators'
    })
    expect(await rounds.task(roundId)).toMatchObject({
      waiting_for: { since: start + 1_001, until: start + 1_301 },
    })
    for (const validator of rounds.validators) validator.instead = null
    await rounds.passTime(6)
    await rounds.tick(roundId)
    await vi.waitUntil(async () => (await rounds.task(roundId)).status === 'finalized')
    expect(await rounds.task(roundId)).toMatchObject({ waiting_for: null })
  })
})

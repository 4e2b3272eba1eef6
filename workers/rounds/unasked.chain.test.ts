import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { evidenceOf } from '../slashing/round-evidence.ts'
import { requireSet, seatedOf } from '../test/attested-set.ts'
import { bodyOf, client, expectRefusal } from '../test/client.ts'
import { SimulatedRounds, testEpoch } from '../test/rounds.ts'
import { fileOf, isGone, leasesOf, rowOf } from './testing/simulated.ts'

describe('a round whose committee set cannot be read', () => {
  const unread = new SimulatedRounds()
  let stored: ArrayBuffer
  let key: string
  beforeAll(async () => {
    await unread.begin()
    const { setHash } = await requireSet(unread.projectId, testEpoch)
    key = `committee-sets/${setHash}`
    stored = await (await env.MODULES.get(key))!.arrayBuffer()
  })
  beforeEach(async () => {
    unread.install()
    await env.MODULES.delete(key)
  })
  const taken = async () => {
    const { round_id, task_id } = await bodyOf(unread.submit())
    return { roundId: round_id!, taskId: task_id! }
  }

  test('is visible to everyone, fails with a reason, and releases its place in the project', async () => {
    const { roundId, taskId } = await taken()
    expect(await unread.task(taskId)).toMatchObject({ status: 'running', error: null })
    await unread.passTime(361)
    await unread.tick(roundId)
    expect(await unread.task(taskId)).toMatchObject({ status: 'failed', error: 'set_unreadable' })
    expect(await rowOf(roundId)).toMatchObject({ state: 'failed', fallback: null, committeeSize: 0 })
    expect(await isGone(roundId)).toBe(true)
    const project = env.PROJECT_COMMITTEES.getByName(unread.projectId)
    expect(await project.waitForRound(taskId, 0)).toBeNull()
  })

  test('continues when the set is readable again; after its deadline it asks nobody, and blames nobody', async () => {
    const { roundId, taskId } = await taken()
    await unread.passTime(70)
    await env.MODULES.put(key, stored)
    await unread.tick(roundId)
    await unread.mine(roundId)
    await unread.tick(roundId)
    expect(await unread.task(taskId)).toMatchObject({ status: 'finalized', output: 'hello' })
    expect(await rowOf(roundId)).toMatchObject({ committeeSize: 3, fallback: null })
    expect(await leasesOf(roundId)).toEqual([])
    const { task, finality, finality_votes } = await fileOf(roundId)
    const seats = (await seatedOf(task)).seats.filter(({ role }) => role === 'primary')
    for (const { node_key, entry } of seats) {
      const lease = { nodeKey: node_key, role: 'primary', state: 'missed', missedBecause: 'late' } as const
      const file = { ...(await fileOf(roundId)), finality, finality_votes }
      const keys = unread.validators.map(({ node }) => node.publicKey)
      const [evidence] = evidenceOf(file, [{ ...lease, subscriptionId: entry.subscription_id }], keys)
      await expectRefusal(client().post('/v1/slashes', evidence), '422 invalid_evidence', {
        message: expect.stringContaining('the node was not asked'),
      })
    }
  })
})

describe('a round with too few members', () => {
  const few = new SimulatedRounds()
  beforeAll(async () => {
    await few.begin({ members: 2 })
  })
  beforeEach(() => few.install())

  test('is a fallback, which validators run', async () => {
    const { roundId } = await few.begun()
    expect(await few.task(roundId)).toMatchObject({ status: 'fallback' })
    await few.mine(roundId)
    await few.tick(roundId)
    expect(await few.task(roundId)).toMatchObject({ status: 'finalized', output: 'hello' })
    expect(await rowOf(roundId)).toMatchObject({ fallback: 'too_few_members', committeeSize: 0, votes: 0 })
  })
})

import { env } from 'cloudflare:workers'
import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { beforeEach, describe, expect, test } from 'vitest'
import { rebuildRounds } from '../rounds/rebuild-rounds.ts'
import { roundEnd } from '../rounds/round-end.ts'
import { services } from '../services.ts'
import { archiveAll, archiveStep, postEpoch, type Stop, stoppingBoundary } from '../test/archiving.ts'
import { createMembers, type Member } from '../test/attested-set.ts'
import { networkNow } from '../test/callers.ts'
import { bodyOf, client, expectRefusal } from '../test/client.ts'
import { createValidators } from '../test/evidence.ts'
import { type Deed, publishSimulated, right, type SimulatedEnd, simulateRound } from '../test/final-rounds.ts'
import { emptyTables, rowsOf, runSql, scalarOf } from '../test/tables.ts'
import { archivePath } from './archive-files.ts'
import { partitionOf, partitions } from './id-entries.ts'
import { IdIndex } from './id-index.ts'

const validators = await createValidators(4)
const own = (await createMembers(3)) as [Member, Member, Member]
const others = await createMembers(2)
const hour = 3_600
/** Epochs that ended long ago. */
const firstEpoch = Math.floor((await networkNow()) / hour) - 24 * 60

const deeds: Deed[][] = [
  [right, right, right],
  [right, ['wrong'], 'missed'],
  ['missed', right, right],
  [right, right, right],
  [right, right, right],
]

/** Rounds of an epoch, of which one waited and one failed. */
async function fill(members: readonly Member[], epoch: number, count = 5): Promise<SimulatedEnd[]> {
  const rounds: SimulatedEnd[] = []
  for (let i = 0; i < count; i++) {
    const round = simulateRound({
      members,
      deeds: deeds[i % deeds.length] as Deed[],
      validators,
      issuedAt: epoch * hour + 100 + i,
      state: i === 3 ? 'failed' : 'finalized',
      gasUsed: 5,
      task: { seq: i },
    })
    if (i === 0) {
      const taskId = `waited${epoch}${members === own ? 'own' : 'others'}`.padEnd(24, 'x')
      const {
        function: name,
        gas_limit: gasLimit,
        input_hash: inputHash,
        project_id: projectId,
        issued_at,
      } = round.object.terms.task
      await services(env).tasks.queue([
        { taskId, projectId, function: name, gasLimit, inputHash, createdAt: issued_at - 50 },
      ])
      Object.assign(round.object, { terms: { ...round.object.terms, taskId, queuedAt: issued_at - 50 } })
    }
    await publishSimulated(round)
    rounds.push(round)
  }
  return rounds
}

/** The public answers about rounds, by path: one path for each of their ids. */
async function told(rounds: readonly SimulatedEnd[]) {
  const paths = rounds.flatMap(({ object: { terms }, round, leases }) => [
    `/v1/explorer/rounds/${encodeURIComponent(terms.roundId)}`,
    `/v1/tasks/${encodeURIComponent(terms.roundId)}`,
    ...(terms.queuedAt === undefined ? [] : [`/v1/tasks/${terms.taskId}`]),
    ...(round.outputHash === null ? [] : [`/v1/explorer/receipts/${round.receiptHash}`]),
    ...(terms.queuedAt === undefined
      ? []
      : [terms.roundId, terms.roundId.slice('task:'.length), terms.taskId, round.receiptHash].map(
          (name) => `/v1/explorer/search?q=${encodeURIComponent(name ?? '')}`,
        )),
    ...leases.flatMap(({ proofId, proofStatus }) => (proofStatus === null ? [] : [`/v1/proofs/${proofId}`])),
  ])
  const reader = client({ bindings: { RATE_LIMIT_MULTIPLIER: '1000' } })
  return Object.fromEntries(
    await Promise.all(
      [...new Set(paths)].map(async (path) => [path, await bodyOf(reader.get(path))] as const),
    ),
  )
}

const counts = async () => ({
  rounds: await scalarOf<number>('SELECT count(*) FROM rounds'),
  leases: await scalarOf<number>('SELECT count(*) FROM leases'),
  tasks: await scalarOf<number>('SELECT count(*) FROM tasks'),
})
const counters = () =>
  rowsOf('SELECT project_id, epoch, rounds, finalized, units FROM epoch_rounds ORDER BY 1, 2')

beforeEach(async () => {
  await emptyTables(
    'rounds',
    'leases',
    'tasks',
    'epoch_rounds',
    'network_hours',
    'proof_hours',
    'epoch_receipts',
    'archives',
  )
  const { objects } = await env.ROUNDS.list()
  if (objects.length > 0) await env.ROUNDS.delete(objects.map(({ key }) => key))
})

describe('rounds of old epochs', () => {
  test.each<Stop>(['before', 'after'])(
    'move to archives, and can be read by every id at any time, even if the hub stops %s each of its calls',
    async (stop) => {
      const rounds = [
        ...(await fill(own, firstEpoch)),
        ...(await fill(others, firstEpoch, 2)),
        ...(await fill(own, firstEpoch + 1, 4)),
        ...(await fill(own, firstEpoch + 2, 2)),
      ]
      for (const [{ projectId }, epoch] of [
        [own[0], 0],
        [others[0] as Member, 0],
        [own[0], 1],
      ] as const)
        await postEpoch(projectId, firstEpoch + epoch)
      const [before, counted] = [await told(rounds), await counters()]
      const { boundary, stopAfter } = stoppingBoundary(stop)
      let steps = 0
      for (let calls = 0; ; ) {
        stopAfter(calls)
        const outcome = await archiveStep({ limits: { partPages: 2 } }, boundary).catch(
          (error: Error) => error,
        )
        if (outcome === false) break
        if (outcome instanceof Error) {
          calls += 1
          continue
        }
        steps += 1
        calls = 0
        if (steps % 16 === 0) expect(await told(rounds)).toEqual(before)
      }
      expect(await told(rounds)).toEqual(before)
      // The last epoch is not posted.
      expect(await counts()).toEqual({ rounds: 2, leases: 6, tasks: 1 })
      expect(await counters()).toEqual(counted)
      expect(
        await rowsOf('SELECT epoch, rounds FROM archives ORDER BY project_id = ?, epoch', own[0].projectId),
      ).toEqual(
        [
          [0, 2],
          [0, 5],
          [1, 4],
        ].map(([later = 0, rounds]) => ({ epoch: firstEpoch + later, rounds })),
      )
    },
  )

  test('are left out of lists, which say so, and can be downloaded by anyone in a file', async () => {
    const { projectId } = own[0]
    const old = await fill(own, firstEpoch)
    const [newer] = await fill(own, firstEpoch + 1, 1)
    const lists = [
      '/v1/explorer/rounds',
      '/v1/explorer/rounds?kind=exec',
      `/v1/projects/${projectId}/rounds`,
      '/v1/me/leases',
      '/v1/me/proofs',
    ]
    const read = () => Promise.all(lists.map((path) => bodyOf(own[0].owner.client.get(path))))
    expect((await read()).filter((page) => 'archived_before' in page)).toEqual([])
    await postEpoch(projectId, firstEpoch)
    await archiveAll({ limits: { partPages: 2 } })
    const [all, direct, ofProject, leases, proofs] = await read()
    for (const { items, archived_before } of [all, ofProject, leases, proofs]) {
      const tasks = items.filter(({ kind }: { kind?: string }) => kind !== 'epoch')
      expect(tasks.map(({ round_id }: { round_id: string }) => round_id)).toEqual([newer?.round.roundId])
      expect(archived_before).toBe((old.at(-1)?.round.issuedAt ?? 0) + 1)
    }
    expect(direct).toEqual({ items: [], next_cursor: null })
    const elsewhere = await bodyOf(client().get(`/v1/projects/${others[0]?.projectId}/rounds`))
    expect(elsewhere).toEqual({ items: [], next_cursor: null })

    const { items } = await bodyOf(client().get(`/v1/projects/${projectId}/archives`))
    expect(items).toMatchObject([{ epoch: firstEpoch, rounds: 5 }])
    const download = await client().get(new URL(items[0].url).pathname)
    const bytes = new Uint8Array(await download.arrayBuffer())
    expect([bytes.length, createHash('sha256').update(bytes).digest('hex')]).toEqual([
      items[0].bytes,
      items[0].sha256,
    ])
    const lines = gunzipSync(bytes)
      .toString()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const byId = (ids: string[]) => [...ids].sort()
    expect(byId(lines.map(({ round }) => round.round_id))).toEqual(
      byId(old.map(({ round }) => round.roundId)),
    )
    const [waited] = lines.filter(({ task }) => task !== null)
    expect(waited).toMatchObject({
      task: { task_id: old[0]?.object.terms.taskId, round_id: old[0]?.round.roundId },
    })
    expect(waited.leases.map(({ proof_id }: { proof_id: string }) => proof_id).sort()).toEqual(
      old[0]?.leases.map(({ proofId }) => proofId).sort(),
    )
    await expectRefusal(client().get(`/v1/projects/${projectId}/archives/${firstEpoch + 1}`), '404 not_found')
  })

  test('never return, and count once, after a late message or a rebuild', async () => {
    const { projectId } = own[0]
    const rounds = await fill(own, firstEpoch)
    await postEpoch(projectId, firstEpoch)
    await archiveAll()
    const left = [await counts(), await counters()]
    expect(left[0]).toEqual({ rounds: 0, leases: 0, tasks: 0 })
    for (const round of rounds) expect(await publishSimulated(round)).toBe('over')
    const [{ object } = {} as never] = rounds
    await publishSimulated({ object: { ...object, outcome: null } })
    expect(
      await rebuildRounds(services(env), { after: null, limit: 100, sinceMs: 0, isTrial: false }),
    ).toMatchObject({ written: 0, failed: [] })
    expect([await counts(), await counters()]).toEqual(left)
    // Beside a round of another epoch.
    const next = simulateRound({
      members: own,
      deeds: [right, right, right],
      validators,
      issuedAt: (firstEpoch + 1) * hour,
    })
    const both = [...rounds, next].map(({ file, ...round }) => ({
      round: round.round,
      leases: round.leases,
      end: roundEnd(file),
    }))
    expect(await services(env).writeRounds(both)).toEqual([next.round.roundId])
  })

  test('stay while their epoch is not posted, has open rounds, or lacks rounds that were counted', async () => {
    const { projectId } = own[0]
    await fill(own, firstEpoch)
    await archiveAll()
    expect(await counts()).toMatchObject({ rounds: 5 })
    await postEpoch(projectId, firstEpoch, 'underfunded')
    await archiveAll()
    expect(await counts()).toMatchObject({ rounds: 5 })
    await runSql("UPDATE epoch_receipts SET state = 'settled'")
    await archiveAll({ openRounds: async () => 1 })
    expect(await counts()).toMatchObject({ rounds: 5 })
    await runSql('UPDATE epoch_rounds SET rounds = rounds + 1')
    await archiveAll()
    expect(await counts()).toMatchObject({ rounds: 5 })
    expect(await rowsOf('SELECT 1 FROM archives')).toEqual([])
  })

  test('are archived together with a round that ended after the query of the database', async () => {
    const { projectId } = own[0]
    const rounds = await fill(own, firstEpoch, 2)
    await postEpoch(projectId, firstEpoch)
    const late = simulateRound({
      members: own,
      deeds: [right, right, right],
      validators,
      issuedAt: firstEpoch * hour + 200,
      task: { seq: 2 },
    })
    const openRounds = async () => {
      await publishSimulated(late)
      return 0
    }
    await archiveAll({ openRounds })
    expect(await rowsOf('SELECT rounds FROM archives')).toEqual([{ rounds: rounds.length + 1 }])
    expect(await counts()).toEqual({ rounds: 0, leases: 0, tasks: 0 })
  })

  test('an epoch whose archive cannot be written does not delay others', async () => {
    for (const [members, epoch] of [
      [own, firstEpoch],
      [others, firstEpoch + 1],
    ] as const) {
      await fill(members, epoch, 2)
      await postEpoch((members[0] as Member).projectId, epoch)
    }
    const path = archivePath(own[0].projectId, firstEpoch)
    const { boundary } = stoppingBoundary('before', (call, key) => call === 'put' && key === path)
    const outcomes: unknown[] = []
    while (outcomes.at(-1) !== false)
      outcomes.push(await archiveStep({ limits: { attempts: 3 } }, boundary).catch(() => 'failed'))
    expect(outcomes.filter((outcome) => outcome === 'failed')).toHaveLength(3)
    expect(await rowsOf('SELECT project_id FROM rounds GROUP BY 1')).toEqual([
      { project_id: own[0].projectId },
    ])
  })

  test('an epoch whose open rounds are unknown does not delay others, and is archived once they are known', async () => {
    for (const [members, epoch] of [
      [own, firstEpoch],
      [others, firstEpoch + 1],
    ] as const) {
      await fill(members, epoch, 2)
      await postEpoch((members[0] as Member).projectId, epoch)
    }
    const openRounds = async (projectId: string) => {
      if (projectId === own[0].projectId) throw new Error('the object of the project is away')
      return 0
    }
    // Fewer rounds than `runRounds` wait a day for the index.
    const limits = { runRounds: 1_000 }
    await archiveAll({ openRounds, limits })
    expect(await counts()).toMatchObject({ rounds: 4 })
    await archiveAll({ openRounds, limits, now: async () => (await networkNow()) + 86_400 + hour })
    expect(await rowsOf('SELECT project_id FROM rounds GROUP BY 1')).toEqual([
      { project_id: own[0].projectId },
    ])
    await archiveAll()
    expect(await counts()).toEqual({ rounds: 0, leases: 0, tasks: 0 })
  })

  test('the more ids a run has, the fewer partitions one step changes; rounds with one receipt are added a few at a time', async () => {
    const rounds = await fill(own, firstEpoch)
    await postEpoch(own[0].projectId, firstEpoch)
    const before = await told(rounds)
    const added: number[][] = []
    class Observed extends IdIndex {
      override async add(entries: Iterable<Uint8Array>) {
        const all = [...entries]
        added.push(all.map(partitionOf))
        await super.add(all)
      }
    }
    const ofSteps: number[][] = []
    const step = () => archiveStep({ limits: { stepEntries: 1 }, idIndex: new Observed(env.ROUNDS) })
    const sizes: number[] = []
    while (await step()) {
      sizes.push(...added.map(({ length }) => length))
      ofSteps.push(added.splice(0).flat())
    }
    const { length: count } = ofSteps.flat()
    const perStep = Math.floor(partitions / count)
    for (const all of ofSteps)
      expect(new Set(all.map((partition) => Math.floor(partition / perStep))).size).toBeLessThanOrEqual(1)
    expect(Math.max(...sizes)).toBe(2)
    expect(Math.max(...ofSteps.map(({ length }) => length))).toBeGreaterThan(2)
    expect(await told(rounds)).toEqual(before)
  })

  test('that pay nobody are archived a day after their epoch', async () => {
    const epoch = Math.floor((await networkNow()) / hour) - 30
    const round = simulateRound({
      members: own,
      deeds: [],
      state: 'failed',
      validators,
      issuedAt: epoch * hour,
    })
    await publishSimulated(round)
    const retention = { days: 0, rounds: 1e9, bytes: 1e12 }
    await archiveAll({ retention, now: async () => (epoch + 1) * hour + 86_399 })
    expect(await counts()).toMatchObject({ rounds: 1 })
    await archiveAll({ retention, now: async () => (epoch + 1) * hour + 86_400 })
    expect(await counts()).toEqual({ rounds: 0, leases: 0, tasks: 0 })
  })

  test('are archived by age, by number, or by database size, the oldest first', async () => {
    const { projectId } = own[0]
    for (const later of [0, 1, 2, 3]) {
      await fill(own, firstEpoch + later, 2)
      await postEpoch(projectId, firstEpoch + later)
    }
    const kept = () =>
      rowsOf('SELECT epoch FROM rounds GROUP BY 1').then((rows) =>
        rows.map(({ epoch }) => epoch - firstEpoch),
      )
    const now = async () => (firstEpoch + 10) * hour
    const never = { days: 30, rounds: 1e9, bytes: 1e12 }
    const archive = (retention: typeof never, at = now) => archiveAll({ now: at, retention })
    await archive(never)
    expect(await kept()).toEqual([0, 1, 2, 3])
    await archive({ ...never, days: 1 }, async () => (firstEpoch + 25) * hour)
    expect(await kept()).toEqual([1, 2, 3])
    // The newest hours have four rounds together; the hour before these exceeds the limit.
    await archive({ ...never, rounds: 5 })
    expect(await kept()).toEqual([2, 3])
    await archive({ ...never, bytes: 1 })
    expect(await kept()).toEqual([])
  })

  test('an archived epoch still counts in the figures of its project', async () => {
    await fill(own, firstEpoch)
    await postEpoch(own[0].projectId, firstEpoch)
    const { epochRounds } = services(env)
    const before = await epochRounds.counts(own[0].projectId, firstEpoch)
    expect(before?.medianFinalityMs).toBe(4_000)
    await archiveAll()
    expect(await epochRounds.counts(own[0].projectId, firstEpoch)).toEqual(before)
  })
})

import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { FakeChain } from '../../durable-objects/testing/fake-chain.ts'
import { deriveTaskRoundId } from '../../protocol/identity/index.ts'
import { type Evidence, hashEvidence } from '../../protocol/slashing/index.ts'
import type { Env } from '../env.ts'
import { services } from '../services.ts'
import { EarlyEvidenceStore } from '../stores/early-evidence.ts'
import type { RoundFile } from '../stores/round-files.ts'
import { RoundOffenceStore } from '../stores/round-offences.ts'
import type { Member } from '../test/attested-set.ts'
import type { TestNode } from '../test/callers.ts'
import { bodyOf, client, expectAnswer, expectRefusal, runSchedule, statusAndBody } from '../test/client.ts'
import { accusationsOf, bonded, createValidators, hubAction, indexState } from '../test/evidence.ts'
import { failingDatabase } from '../test/failing-database.ts'
import { createSeatedProject, publishSimulated, right } from '../test/final-rounds.ts'
import { minCollateral } from '../test/subscription.ts'
import { rowOf, rowsOf, runSql } from '../test/tables.ts'
import { evidenceOf } from './round-evidence.ts'
import { recordDueOffences, recordRoundOffences } from './round-offences.ts'

/** In the next hours, so that no alarm of these tests is due by the clock of the machine. */
const hour = 3_600
const epoch = Math.floor(Date.now() / 1000 / hour) + 2
const issuedAt = epoch * hour + 100

let validators: TestNode[]
let project: Awaited<ReturnType<typeof createSeatedProject>>
beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.setSystemTime((issuedAt + 60) * 1_000)
  validators = await createValidators(4)
  project = await createSeatedProject(5, epoch, validators)
  for (const { subscriptionId, owner } of project.members)
    await indexState('subscription', subscriptionId, bonded(minCollateral, owner.address))
})
beforeEach(async () => {
  new FakeChain().install()
  await runSql('DELETE FROM round_offences')
})

const earlyEvidence = () => services(env).store(EarlyEvidenceStore)

const keys = () => validators.map(({ publicKey }) => publicKey)

/** A round that has only begun as far as everybody can read, and one of its members missed its vote. */
async function missedEarly(deed: 'late' | 'full' = 'late') {
  const ended = await project.simulate({ deeds: [deed, right, right, right, right] })
  const { object, round, file, leases } = ended
  await publishSimulated({ object: { ...object, outcome: null } })
  const evidence = missedIn(file, leases[0]!.nodeKey)
  const posted = await client().post('/v1/slashes', evidence)
  return { object, roundId: round.roundId, evidence, posted }
}

const slashesOf = async (roundId: string) => {
  const results = await rowsOf<{
    kind: string
    node_id: string
    subscription_id: string
    evidence_hash: string
    amount: string
  }>(
    'SELECT kind, node_id, subscription_id, evidence_hash, amount FROM slashes WHERE round_id = ? ORDER BY kind, node_id',
    roundId,
  )
  return results
}

const offence = (kind: string, { device, subscriptionId }: Member) => ({
  kind,
  node_id: device.nodeId,
  subscription_id: subscriptionId,
})

/** The evidence of a missed vote that a validator can build against a member without the hub's records. */
const missedBy = async (nodeKey: string, roundId: string): Promise<Evidence> =>
  missedIn((await services(env).roundFiles.round(roundId))!, nodeKey)

function missedIn(file: RoundFile, nodeKey: string): Evidence {
  const lease = file.published.leases.find((one) => one.nodeKey === nodeKey)!
  const silent = [{ ...lease, role: 'primary', state: 'missed', missedBecause: 'late' } as const]
  const [evidence] = evidenceOf({ ...file, votes: [], evidence: [] }, silent, keys())
  return evidence as Evidence
}

async function votedTwice(member: Member, roundId: string): Promise<unknown> {
  const { task } = (await services(env).roundFiles.round(roundId))!
  const { vote, evidence } = accusationsOf({ ...member, now: issuedAt })
  return evidence('equivocation', task, { first: vote(task, 'one'), second: vote(task, 'two') })
}

async function refuse(evidence: unknown, message: string): Promise<void> {
  await expectAnswer(client().post('/v1/slashes', evidence), 422, {
    error: 'invalid_evidence',
    message: expect.stringContaining(message),
  })
}

const isDue = async (roundId: string) =>
  (await rowOf('SELECT attempts FROM round_offences WHERE round_id = ?', roundId)) !== null

describe('the offences of a round', () => {
  test('are recorded and proposed, each once, however often this is requested', async () => {
    const { drawn, roundId } = await project.publish({
      audit: 'right',
      deeds: [['one', 'two'], ['wrong'], 'missed', right, right],
    })
    const [equivocator, wrong, absent] = drawn as [Member, Member, Member]
    expect(await isDue(roundId)).toBe(true)
    await recordRoundOffences(env, roundId)
    const recorded = await slashesOf(roundId)
    expect(recorded).toMatchObject([
      offence('equivocation', equivocator),
      offence('invalid_result', wrong),
      offence('missed_sla', absent),
    ])
    for (const { evidence_hash } of recorded)
      expect(await hubAction('propose_slash', evidence_hash)).not.toBeNull()
    expect(await isDue(roundId)).toBe(false)
    await runSql('INSERT INTO round_offences VALUES (?, 0, 0)', roundId)
    await Promise.all([recordRoundOffences(env, roundId), recordRoundOffences(env, roundId)])
    expect(await slashesOf(roundId)).toEqual(recorded)
    expect(await isDue(roundId)).toBe(false)
  })

  test('are shown with the proofs of their members', async () => {
    const { roundId, leases } = await project.publish({
      audit: 'right',
      deeds: [['wrong'], right, right, right, right],
    })
    await recordRoundOffences(env, roundId)
    const [slash] = await slashesOf(roundId)
    expect(await bodyOf(client().get(`/v1/proofs/${leases[0]?.proofId}`))).toMatchObject({
      rejection_reason: 'disagreed',
      slash_id: slash?.evidence_hash,
    })
  })

  test('that only the hub saw, because validators had been asked earlier, are also recorded', async () => {
    const { drawn, roundId } = await project.publish({
      deeds: [right, right, right, right, right],
      afterwards: { 1: 'another' },
    })
    await recordRoundOffences(env, roundId)
    expect(await slashesOf(roundId)).toMatchObject([offence('equivocation', drawn[1] as Member)])
  })

  test('that somebody else proved before are not recorded again', async () => {
    const { roundId, file, leases } = await project.publish({
      audit: 'right',
      deeds: ['missed', right, right, right, right],
    })
    const [own] = evidenceOf(file, leases, keys()) as [Evidence]
    // Of another quorum of validators, so it is other evidence.
    const finality = (own.proof as { finality: object[] }).finality.slice(1)
    const theirs = { ...own, proof: { ...own.proof, finality } }
    expect((await client().post('/v1/slashes', theirs)).status).toBe(201)
    await recordRoundOffences(env, roundId)
    expect(await slashesOf(roundId)).toMatchObject([{ evidence_hash: hashEvidence(theirs as Evidence) }])
    expect(await isDue(roundId)).toBe(false)
  })

  test.each([
    ['without a free slot, which was not asked', 'full' as const, 'had no free slot'],
    ['that the hub did not reach', 'not_told' as const, 'did not receive its offer'],
    ['that was not connected when the set was built', 'absent' as const, 'was not connected when the set'],
    ['that never answered its offer', 'not_accepted' as const, 'never answered'],
    ['whose answer the hub was not running to receive', 'hub_away' as const, 'the hub was offline'],
    ['that declined because of a fault of the hub', 'unserved' as const, 'the hub did not serve'],
    ['whose round started too late', 'cut_short' as const, 'started too late'],
    ['whose result fits into no frame', 'too_large' as const, 'the result is too large'],
  ])('a primary %s has not committed an offence', async (_, deed, message) => {
    const { drawn, roundId, file, leases } = await project.publish({
      audit: 'right',
      deeds: [deed, 'missed', right, right, right],
    })
    const missed = { state: 'missed', missedBecause: 'late' } as const
    const asked = leases.map((lease) => ({ ...lease, ...missed }))
    const [theirs] = evidenceOf(file, asked, keys())
    await refuse(theirs, message)
    await recordRoundOffences(env, roundId)
    expect(await slashesOf(roundId)).toMatchObject([offence('missed_sla', drawn[1] as Member)])
    expect(await isDue(roundId)).toBe(false)
  })

  test.each(['offline', 'declined', 'late'] as const)(
    'include that of a primary that was asked and could answer: %s',
    async (deed) => {
      const { drawn, roundId } = await project.publish({ deeds: [deed, right, right, right, right] })
      await recordRoundOffences(env, roundId)
      expect(await slashesOf(roundId)).toMatchObject([offence('missed_sla', drawn[0] as Member)])
    },
  )

  test('do not exist for a round that asked nobody, or that the hub does not know', async () => {
    const { roundId, file } = await project.publish({ deeds: ['late', right, right, right, right] })
    const { roundFiles } = services(env)
    const evidence = missedIn(file, file.published.leases[0]!.nodeKey)
    await roundFiles.removeRounds([roundId])
    await roundFiles.record({ ...file, published: { ...file.published, leases: [] } })
    await refuse(evidence, 'the node was not asked')
    await roundFiles.removeRounds([roundId])
    await runSql('DELETE FROM rounds WHERE round_id = ?', roundId)
    await refuse(evidence, 'no record of the round')
    expect(await slashesOf(roundId)).toEqual([])
  })

  test('of a member that voted wrongly or twice do not also include its missed vote', async () => {
    const { drawn, roundId, leases } = await project.publish({
      audit: 'right',
      deeds: [['wrong'], 'late', right, right, right],
    })
    const [wrong, late] = drawn as [Member, Member]
    await refuse(await missedBy(leases[0]!.nodeKey, roundId), 'gave a valid vote')
    expect((await client().post('/v1/slashes', await votedTwice(late, roundId))).status).toBe(201)
    await refuse(await missedBy(leases[1]!.nodeKey, roundId), 'slashed for another offence')
    await recordRoundOffences(env, roundId)
    expect(await slashesOf(roundId)).toMatchObject([
      offence('equivocation', late),
      offence('invalid_result', wrong),
    ])
  })

  test('do not include a missed vote if a second vote of the member is proven while it is recorded', async () => {
    const { drawn, roundId, leases } = await project.publish({ deeds: ['late', right, right, right, right] })
    const late = drawn[0] as Member
    const missed = await missedBy(leases[0]!.nodeKey, roundId)
    const twice = await votedTwice(late, roundId)
    const statuses: number[] = []
    let isRecording = false
    const racing: ProxyHandler<D1DatabaseSession> = {
      get(session, name: keyof D1DatabaseSession) {
        if (name === 'prepare')
          return (query: string) => {
            isRecording ||= query.startsWith('insert into "slashes"')
            return session.prepare(query)
          }
        if (name === 'batch')
          return async (statements: D1PreparedStatement[]) => {
            if (isRecording && statuses.length === 0)
              statuses.push((await client().post('/v1/slashes', twice)).status)
            return session.batch(statements)
          }
        return session[name].bind(session)
      },
    }
    const withSession = (constraint?: string) => new Proxy(env.DB.withSession(constraint), racing)
    const DB = new Proxy(env.DB, {
      get: (database, name: keyof D1Database) =>
        name === 'withSession' ? withSession : database[name].bind(database),
    })
    const refused = await expectRefusal(
      client({ bindings: { DB } }).post('/v1/slashes', missed),
      '422 invalid_evidence',
    )
    expect(refused.message).toContain('slashed for another offence')
    expect(statuses).toEqual([201])
    expect(await slashesOf(roundId)).toMatchObject([offence('equivocation', late)])
  })

  test.each([
    ['dropped if the round then excuses the member', 'full' as const, 0],
    ['recorded if the member was at fault', 'late' as const, 1],
  ])('that are posted before the end of their round is written are kept, and %s', async (_, deed, count) => {
    const { object, roundId, evidence, posted } = await missedEarly(deed)
    expect(await statusAndBody(posted)).toEqual([
      202,
      { status: 'kept', evidence_hash: hashEvidence(evidence) },
    ])
    await recordDueOffences(env)
    expect(await slashesOf(roundId)).toEqual([])

    await publishSimulated({ object })
    await recordDueOffences(env)
    expect(await slashesOf(roundId)).toHaveLength(count)
    expect(await earlyEvidence().due(10)).toEqual([])
  })

  test('that are posted early and cannot be judged now do not delay others', async () => {
    const roundIds: string[] = []
    for (let i = 0; i < 2; i++) {
      const { object, roundId, posted } = await missedEarly()
      expect(posted.status).toBe(202)
      await publishSimulated({ object })
      roundIds.push(roundId)
    }
    let inserts = 0
    const DB = failingDatabase((sql) => sql.startsWith('insert into "slashes"') && ++inserts === 1)
    await recordDueOffences({ ...env, DB })
    expect(await earlyEvidence().due(10)).toHaveLength(1)
    await recordDueOffences(env)
    expect((await Promise.all(roundIds.map(slashesOf))).flat()).toHaveLength(2)
    expect(await earlyEvidence().due(10)).toEqual([])
  })

  test('that wait for a round which never ends are forgotten after a week', async () => {
    expect((await missedEarly()).posted.status).toBe(202)
    const count = async () =>
      (await rowOf<{ count: number }>('SELECT count(*) AS count FROM early_evidence'))?.count
    await earlyEvidence().purge(issuedAt + 6 * 86_400)
    expect(await count()).toBe(1)
    await earlyEvidence().purge(issuedAt + 8 * 86_400)
    expect(await count()).toBe(0)
  })

  test('do not exist for a round in which every member was right, or for a failed one', async () => {
    for (const state of ['finalized', 'failed'] as const) {
      const deeds = state === 'failed' ? [['wrong'], 'missed' as const] : [right, right, right, right, right]
      const { roundId } = await project.publish({ audit: 'right', deeds, state })
      expect(await isDue(roundId)).toBe(false)
      await recordRoundOffences(env, roundId)
      expect(await slashesOf(roundId)).toEqual([])
    }
  })

  test('of a round that failed do not exist, though validators decided later; two votes of one member remain one', async () => {
    const { object, file, leases, drawn, roundId } = await project.simulate({
      audit: 'right',
      deeds: [['wrong'], 'late', ['one', 'two'], right, right],
    })
    const outcome = { state: 'failed', at: issuedAt + 400 } as const
    await publishSimulated({ object: { ...object, finalityVotes: [], outcome } })
    const [wrong, late, twice] = evidenceOf(file, leases, keys()) as [Evidence, Evidence, Evidence]
    expect(wrong.kind).toBe('invalid_result')
    for (const evidence of [wrong, late]) await refuse(evidence, 'the round failed')
    expect((await client().post('/v1/slashes', twice)).status).toBe(201)
    expect(await slashesOf(roundId)).toMatchObject([offence('equivocation', drawn[2] as Member)])
  })

  test.each([
    ['refused if the round then fails', 'failed' as const, 0],
    ['recorded if it becomes final', 'finalized' as const, 1],
  ])('by a wrong vote are kept while their round is open, and %s', async (_, state, count) => {
    const { object, file, leases, roundId } = await project.simulate({
      audit: 'right',
      deeds: [['wrong'], right, right, right, right],
    })
    await publishSimulated({ object: { ...object, outcome: null } })
    const [evidence] = evidenceOf(file, leases, keys())
    expect((await client().post('/v1/slashes', evidence)).status).toBe(202)
    const outcome = state === 'failed' ? { state, at: issuedAt + 400 } : object.outcome
    await publishSimulated({ object: { ...object, outcome } })
    await runSql('DELETE FROM round_offences')
    await recordDueOffences(env)
    expect(await slashesOf(roundId)).toHaveLength(count)
  })

  test('wait while their round cannot be read, and are due again after a pause', async () => {
    const { roundId } = await project.publish({
      audit: 'right',
      deeds: ['missed', right, right, right, right],
    })
    const failing = {
      get: () => Promise.reject(new Error('the bucket is overloaded')),
    } as unknown as Env['ROUNDS']
    await expect(recordRoundOffences({ ...env, ROUNDS: failing }, roundId)).rejects.toThrow()
    await recordDueOffences(env)
    expect(await slashesOf(roundId)).toEqual([])
    vi.setSystemTime((issuedAt + 60 + 120) * 1_000)
    await runSchedule()
    expect(await slashesOf(roundId)).toMatchObject([{ kind: 'missed_sla' }])
    expect(await isDue(roundId)).toBe(false)
  })

  test('for which a run has no room are recorded by later ones', async () => {
    const no = () => false
    const deeds = [['one', 'two'], ['one', 'two'], ['one', 'two'], right, right]
    const { roundId } = await project.publish({ audit: 'right', deeds })
    await recordDueOffences(env, { earlyEvidence: no, nextRound: no, sameRound: no })
    expect(await slashesOf(roundId)).toEqual([])
    for (let run = 1; run <= 4; run++) {
      let looks = 0
      await recordRoundOffences(env, roundId, () => ++looks <= run)
      expect(await slashesOf(roundId)).toHaveLength(Math.min(run, 3))
      expect(await isDue(roundId)).toBe(run < 3)
    }
  })

  test('that no known subscription committed do not delay others', async () => {
    const { drawn, roundId } = await project.publish({
      audit: 'right',
      deeds: [['wrong'], 'missed', right, right, right],
    })
    await runSql(
      'UPDATE subscriptions SET node_key = ? WHERE subscription_id = ?',
      deriveTaskRoundId({}).slice('task:'.length),
      drawn[0]?.subscriptionId,
    )
    await recordRoundOffences(env, roundId)
    expect(await slashesOf(roundId)).toMatchObject([offence('missed_sla', drawn[1] as Member)])
    expect(await isDue(roundId)).toBe(false)
    expect(
      await services(env)
        .store(RoundOffenceStore)
        .due(issuedAt + 1e6, 10),
    ).toEqual([])
  })
})

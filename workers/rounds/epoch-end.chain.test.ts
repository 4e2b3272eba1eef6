import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { receiptWaitsUntil, sumUnits } from '../../protocol/earnings/index.ts'
import { defaultNetworkParams } from '../../protocol/identity/index.ts'
import { services } from '../services.ts'
import { evidenceOf } from '../slashing/round-evidence.ts'
import { bodyOf, client, errorOf, expectRefusal } from '../test/client.ts'
import { epochPath, readProject, receiptOf } from '../test/epochs.ts'
import { SimulatedRounds, testEpoch, written } from '../test/rounds.ts'
import { rowsOf, scalarOf } from '../test/tables.ts'
import { findPublished } from './find-round.ts'

let rounds: SimulatedRounds
beforeAll(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => {})
})
beforeEach(async () => {
  rounds = await new SimulatedRounds().begin()
})

const end = (testEpoch + 1) * 3_600
const settled = end + defaultNetworkParams.settle
const until = receiptWaitsUntil(testEpoch, { epoch_secs: 3_600, round_secs: 60 })

/** A round that the primaries agree on, with an absent one where it is asked for. */
async function voted(absent = 0): Promise<string> {
  const { roundId, primaries } = await rounds.begun()
  for (const member of primaries.slice(absent)) {
    const offer = await member.offer(roundId)
    member.accept(offer)
    await member.relay.drain()
    await member.vote(offer)
  }
  return roundId
}

async function finish(roundId: string): Promise<void> {
  await rounds.mine(roundId)
  await rounds.tick(roundId)
  await written(roundId)
}

/** Posts the receipt that validators with these records attest. */
async function post(roundIds: readonly string[]): Promise<Response> {
  const records = await Promise.all(roundIds.map((id) => services(env).roundFiles.round(id)))
  const units = sumUnits(
    records.map((file) => file!.finality!),
    defaultNetworkParams.gas_per_unit,
  )
  const by = rounds.validators.map(({ node }) => node)
  const project = await readProject(rounds.projectId)
  return by[0]!.call('POST', epochPath, receiptOf(project, { epoch: testEpoch, units, by }))
}

const epoch = () => bodyOf(client().get(`/v1/explorer/epochs/${rounds.projectId}/${testEpoch}`))

describe('a receipt waits for the rounds of its epoch', () => {
  test('425 while one is open; when that round is final, the receipt is accepted with its earnings', async () => {
    const first = await voted()
    await finish(first)
    rounds.setTime(end - 30)
    // The chain brings no block for minutes, so validators cannot be asked.
    const second = await voted()
    rounds.setTime(settled + 1)
    expect(await epoch()).toMatchObject({ status: 'closed', open_rounds: 1 })
    await expectRefusal(post([first]), '425 invalid_state', {
      details: { reason: 'rounds_open', open_rounds: 1, until },
    })
    await finish(second)
    expect(await epoch()).toMatchObject({ status: 'closed', open_rounds: 0 })
    expect((await post([first, second])).status).toBe(202)
    const paid = await scalarOf(
      'SELECT sum(units) AS units FROM epoch_shares WHERE project_id = ?',
      rounds.projectId,
    )
    const credited = await scalarOf(
      'SELECT sum(units) AS units FROM leases WHERE project_id = ?',
      rounds.projectId,
    )
    expect(paid).toBe(credited)
    expect(await epoch()).not.toHaveProperty('open_rounds')
  })

  test('425 before the first allowed attempt', async () => {
    const first = await voted()
    await finish(first)
    rounds.setTime(settled - 1)
    expect(await errorOf(post([first]))).toMatchObject({
      status: 425,
      details: { reason: 'too_early', from: settled },
    })
    rounds.setTime(settled)
    expect((await post([first])).status).toBe(202)
  })

  test('a round that is final later pays and blames nobody, and its epoch still counts it', async () => {
    const first = await voted()
    await finish(first)
    rounds.setTime(end - 30)
    const second = await voted(1)
    rounds.setTime(until - 1)
    expect((await post([first])).status).toBe(425)
    rounds.setTime(until)
    expect((await post([first])).status).toBe(202)
    const before = await counters()
    await finish(second)
    const { leases } = (await findPublished(services(env), second))!
    expect(leases.map(({ state, proofStatus, units }) => ({ state, proofStatus, units }))).toEqual(
      leases.map(() => ({ state: 'cancelled', proofStatus: null, units: null })),
    )
    expect(await counters()).toEqual(before)
    expect(await rowsOf('SELECT round_id FROM round_offences WHERE round_id = ?', second)).toEqual([])
    // Validators that hold the same records may take its absent primary for one that owed a vote.
    const file = (await services(env).roundFiles.round(second))!
    const keys = rounds.validators.map(({ node }) => node.publicKey)
    const [evidence] = evidenceOf(
      file,
      leases.map((lease) => ({ ...lease, state: 'missed', missedBecause: 'late' })),
      keys,
    )
    expect(evidence?.kind).toBe('missed_sla')
    await expectRefusal(client().post('/v1/slashes', evidence!), '422 invalid_evidence', {
      message: expect.stringContaining('had stopped waiting'),
    })
    expect(await bodyOf(client().get('/v1/status'))).toMatchObject({
      late: [{ what: 'rounds_unpaid', project_id: rounds.projectId, epoch: testEpoch, since: end, count: 1 }],
    })
    rounds.setTime(end + 7 * 86_400)
    expect(await bodyOf(client().get('/v1/status'))).toMatchObject({ late: [] })
  })

  test('a round whose audit block came in time is paid, as validators pay it, though it is final later', async () => {
    const { roundId, evidence } = await decidedLate()
    const { leases } = (await findPublished(services(env), roundId))!
    expect(leases.slice(1).map(({ state, proofStatus }) => [state, proofStatus])).toEqual(
      leases.slice(1).map(() => ['finalized', 'verified']),
    )
    expect((await post([roundId])).status).toBe(202)
    // Its absent primary is judged by its lease, as in any other round.
    await expectRefusal(client().post('/v1/slashes', evidence), '422 invalid_evidence', {
      message: expect.stringContaining('never answered its offer'),
    })
  })

  test('such a round pays and blames nobody if the receipt came before it', async () => {
    const { roundId, evidence } = await decidedLate(async (first) => {
      expect((await post([first])).status).toBe(202)
    })
    const { leases } = (await findPublished(services(env), roundId))!
    expect(leases.map(({ state }) => state)).toEqual(leases.map(() => 'cancelled'))
    await expectRefusal(client().post('/v1/slashes', evidence), '422 invalid_evidence', {
      message: expect.stringContaining('had stopped waiting'),
    })
  })
})

/** A round with an absent primary and an audit block in its time, which validators decide after the receipt has stopped waiting. */
async function decidedLate(before: (first: string) => Promise<void> = async () => {}) {
  const first = await voted()
  await finish(first)
  rounds.setTime(end - 30)
  const roundId = await voted(1)
  rounds.setTime(end + 40)
  for (const validator of rounds.validators) validator.instead = () => new Response(null, { status: 503 })
  await rounds.mine(roundId)
  await rounds.tick(roundId)
  rounds.setTime(until + 60)
  await before(first)
  for (const validator of rounds.validators) validator.instead = null
  await rounds.tick(roundId)
  await written(roundId)
  const file = (await services(env).roundFiles.round(roundId))!
  const keys = rounds.validators.map(({ node }) => node.publicKey)
  const silent = file.published.leases.map((lease) => ({ ...lease, state: 'missed', missedBecause: 'late' }))
  const [evidence] = evidenceOf(file, silent as typeof file.published.leases, keys)
  return { roundId, evidence: evidence! }
}

const counters = () =>
  rowsOf(
    `SELECT subscription_id, credited_rounds, missed_leases, disagreements, reputation FROM subscriptions
       WHERE project_id = ? ORDER BY subscription_id`,
    rounds.projectId,
  )

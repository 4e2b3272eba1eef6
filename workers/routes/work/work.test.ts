import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { hashText } from '../../../protocol/encoding/index.ts'
import { services } from '../../services.ts'
import { createMembers, type Member } from '../../test/attested-set.ts'
import { networkNow } from '../../test/callers.ts'
import { bodyOf, client, expectRefusal, pagesOf } from '../../test/client.ts'
import { countedDatabase } from '../../test/counted-database.ts'
import { createValidators } from '../../test/evidence.ts'
import {
  publishRound,
  publishSimulated,
  right,
  type SimulatedRound,
  simulateRound,
} from '../../test/final-rounds.ts'
import { emptyTables, runSql } from '../../test/tables.ts'

interface Page {
  items: { round_id: string }[]
  next_cursor: string | null
}

const validators = await createValidators(4)
const [ada, bob, carol] = (await createMembers(3)) as [Member, Member, Member]
/** Of another project. */
const [dave] = (await createMembers(1)) as [Member]
const now = await networkNow()
beforeEach(() => emptyTables('rounds', 'leases', 'proof_hours', 'epoch_rounds', 'epoch_credits'))

const publish = (given: Partial<SimulatedRound> = {}) =>
  publishRound({
    members: [ada, bob, carol],
    deeds: [right, ['wrong'], 'missed'],
    audit: 'right',
    validators,
    issuedAt: now,
    ...given,
  })

async function readAs(member: Member, path: string): Promise<Page> {
  const answer = await member.owner.client.get(path)
  expect(answer.status, path).toBe(200)
  return answer.json()
}

/** The rounds of a list, by a query. */
const roundsAs = async (member: Member, path: string) =>
  (await readAs(member, path)).items.map(({ round_id }) => round_id)

describe('GET /v1/me/leases', () => {
  test('lists the leases of the devices of the wallet with their results', async () => {
    const { round } = await publish({ gasUsed: 3_000_000, primaries: 2 })
    const base = {
      round_id: round.roundId,
      project_id: ada.projectId,
      function: 'echo',
      created_at: now,
      deadline: now + 30,
      completed_at: now + 1,
    }
    const name = (position: number) => `${round.roundId.slice('task:0x'.length)}.${position}`
    const of = async (member: Member) => (await readAs(member, '/v1/me/leases')).items
    const shown = (position: number, { device }: Member, rest: object) => [
      {
        ...base,
        lease_id: name(position),
        offer_id: name(position),
        node_id: device.nodeId,
        position,
        ...rest,
      },
    ]
    expect(await of(ada)).toEqual(shown(0, ada, { role: 'primary', state: 'finalized', units: 3 }))
    expect(await of(bob)).toEqual(shown(1, bob, { role: 'primary', state: 'finalized', units: 0 }))
    expect(await of(carol)).toEqual(shown(2, carol, { role: 'backup', state: 'missed', units: null }))
    expect(await of(dave)).toEqual([])
  })

  test('has no units while the round runs', async () => {
    const { object } = simulateRound({ members: [ada], deeds: [right], validators, issuedAt: now })
    const leases = object.leases.map((lease) => ({ ...lease, state: 'leased' as const, completedAt: null }))
    await publishSimulated({ object: { ...object, votes: [], leases, outcome: null } })
    expect((await readAs(ada, '/v1/me/leases')).items).toMatchObject([
      { state: 'leased', units: null, completed_at: null },
    ])
    expect((await readAs(ada, '/v1/me/proofs')).items).toEqual([])
  })

  test('is filtered by state, device and project', async () => {
    const done = (await publish()).round.roundId
    const missed = (await publish({ deeds: ['missed', right, right], issuedAt: now - 5 })).round.roundId
    const cases: [string, string[]][] = [
      ['', [done, missed]],
      ['state=missed', [missed]],
      ['state=finalized', [done]],
      ['state=offered', []],
      [`node_id=${ada.device.nodeId}`, [done, missed]],
      [`node_id=${bob.device.nodeId}`, []],
      [`project_id=${ada.projectId}&state=missed`, [missed]],
      [`project_id=${dave.projectId}`, []],
      [`project_id=${ada.projectId}&node_id=${ada.device.nodeId}&state=finalized`, [done]],
    ]
    for (const [query, ids] of cases)
      expect(await roundsAs(ada, `/v1/me/leases?${query}`), query).toEqual(ids)
  })

  test('continues after the last item, even if new rounds arrive', async () => {
    for (let i = 0; i < 5; i++) await publish()
    let newest = now
    const goOn = () => {
      newest += 1
      return publish({ issuedAt: newest })
    }
    for (const path of ['/v1/me/leases', '/v1/me/proofs']) {
      const all = await roundsAs(ada, path)
      const walked = (await pagesOf(ada.owner.client, path, 2, goOn)).flat()
      expect(walked.map(({ round_id }) => round_id)).toEqual(all)
    }
  })

  test('keeps a lease with its wallet when the device gets another owner', async () => {
    await publish()
    await runSql('UPDATE devices SET owner = ? WHERE node_id = ?', dave.owner.address, ada.device.nodeId)
    expect((await readAs(ada, '/v1/me/leases')).items).toHaveLength(1)
    expect((await readAs(dave, `/v1/me/leases?node_id=${ada.device.nodeId}`)).items).toEqual([])
  })

  test('400 invalid_field: an unknown state, and a cursor of other filters', async () => {
    await publish()
    await publish()
    const { next_cursor } = await readAs(ada, '/v1/me/leases?limit=1')
    for (const query of ['state=done', `state=finalized&cursor=${encodeURIComponent(next_cursor ?? '')}`])
      await expectRefusal(ada.owner.client.get(`/v1/me/leases?${query}`), '400 invalid_field')
  })
})

describe('GET /v1/me/proofs', () => {
  test('lists each vote or missed vote with its expected reward', async () => {
    const { round, leases, file } = await publish({ gasUsed: 2_000_000 })
    const of = async (member: Member) => (await readAs(member, '/v1/me/proofs')).items
    const base = {
      round_id: round.roundId,
      project_id: ada.projectId,
      epoch: round.epoch,
      final_receipt_hash: round.receiptHash,
      audited: true,
      finality_ms: 4_000,
      slash_id: null,
      submitted_at: now + 1,
    }
    const { consensus } = JSON.parse(
      (await services(env).projectVersions.find(ada.projectId, 1))?.manifest ?? '{}',
    )
    const { reward_per_unit, fee_split_bp } = consensus.economics
    expect(await of(ada)).toEqual([
      {
        ...base,
        proof_id: leases[0]?.proofId,
        subscription_id: ada.subscriptionId,
        node_id: ada.device.nodeId,
        status: 'verified',
        receipt_hash: round.receiptHash,
        rejection_reason: null,
        units: 2,
        expected_amount: String((2n * BigInt(reward_per_unit) * BigInt(fee_split_bp.miner)) / 10_000n),
        verified_at: round.finalizedAt,
      },
    ])
    expect(await of(bob)).toMatchObject([
      {
        status: 'rejected',
        rejection_reason: 'disagreed',
        receipt_hash: file.votes[1]?.receipt_hash,
        units: 0,
        expected_amount: '0',
        verified_at: null,
      },
    ])
    expect(await of(carol)).toMatchObject([
      { status: 'missed', rejection_reason: 'missed', receipt_hash: null, units: 0 },
    ])
  })

  test('lists a proof as pending until the round is final', async () => {
    const { object, leases } = simulateRound({ members: [ada], deeds: [right], validators, issuedAt: now })
    await publishSimulated({ object: { ...object, outcome: null } })
    expect((await readAs(ada, '/v1/me/proofs?status=pending')).items).toMatchObject([
      { status: 'pending', final_receipt_hash: null, finality_ms: null, units: 0, verified_at: null },
    ])
    const proof = await client().get(`/v1/proofs/${leases[0]?.proofId}`)
    expect(await proof.json()).not.toHaveProperty('vote')
  })

  test('is filtered by status, device and project', async () => {
    const verified = (await publish()).round.roundId
    const missed = (await publish({ deeds: ['missed', right, right], issuedAt: now - 5 })).round.roundId
    await publish({ state: 'failed', issuedAt: now - 6 })
    const cases: [string, string[]][] = [
      ['', [verified, missed]],
      ['status=missed', [missed]],
      ['status=verified', [verified]],
      [`status=missed&project_id=${ada.projectId}`, [missed]],
      [`status=verified&node_id=${ada.device.nodeId}`, [verified]],
      [`project_id=${dave.projectId}`, []],
      [`node_id=${bob.device.nodeId}`, []],
    ]
    for (const [query, ids] of cases)
      expect(await roundsAs(ada, `/v1/me/proofs?${query}`), query).toEqual(ids)
  })
})

describe('GET /v1/proofs/{proof_id}', () => {
  test('shows everybody the vote, the finality and the validators that signed it', async () => {
    const { leases, file } = await publish()
    const [own, wrong, none] = await Promise.all(
      leases.map(({ proofId }) => bodyOf(client().get(`/v1/proofs/${proofId}`))),
    )
    const finality = { finality: file.finality, finality_validators: validators.map(({ nodeId }) => nodeId) }
    expect(own).toMatchObject({ ...finality, vote: file.votes[0] })
    expect(wrong).toMatchObject({ ...finality, vote: file.votes[1] })
    expect(none).toMatchObject(finality)
    expect(none).not.toHaveProperty('vote')
  })

  test('404 not_found: a proof of a failed round, and an unknown proof', async () => {
    const { leases } = await publish({ state: 'failed' })
    for (const id of [leases[0]?.proofId, hashText('none')])
      await expectRefusal(client().get(`/v1/proofs/${id}`), '404 not_found')
  })
})

describe('GET /v1/me/proofs/stats', () => {
  const stats = (member: Member, query = '') =>
    bodyOf(member.owner.client.get(`/v1/me/proofs/stats?${query}`))

  test('counts the proofs by result, and the rejections by reason', async () => {
    await publish({ members: [ada], deeds: [right], lastedSecs: 3 })
    await publish({ members: [ada], deeds: [right], lastedSecs: 4 })
    for (const deeds of [[['wrong']], ['late'], ['invalid_vote'], ['missed']] as const)
      await publish({ members: [ada], deeds })
    await publish({ members: [ada], deeds: [right], state: 'failed' })
    expect(await stats(ada)).toEqual({
      submitted: 5,
      verified: 2,
      rejected: 3,
      missed: 1,
      success_bp: 3_333,
      avg_finality_ms: 3_500,
      rejection_reasons: { disagreed: 1, invalid_vote: 1, late: 1, missed: 1 },
    })
  })

  test('are zeros without proofs', async () => {
    expect(await stats(dave)).toEqual({
      submitted: 0,
      verified: 0,
      rejected: 0,
      missed: 0,
      success_bp: 0,
      avg_finality_ms: 0,
      rejection_reasons: {},
    })
  })

  test('are of one wallet, one project and one period', async () => {
    const hours = 3_600
    await publish({ members: [ada], deeds: [right] })
    await publish({ members: [{ ...dave, owner: ada.owner }], deeds: ['missed'], issuedAt: now - 26 * hours })
    await publish({ members: [ada], deeds: ['missed'], issuedAt: now - 9 * 24 * hours })
    await publish({ members: [bob], deeds: ['missed'] })
    const counts = async (query: string) => {
      const { verified, missed } = (await stats(ada, query)) as { verified: number; missed: number }
      return [verified, missed]
    }
    expect(await counts('period=24h')).toEqual([1, 0])
    expect(await counts('')).toEqual([1, 1])
    expect(await counts('period=30d')).toEqual([1, 2])
    expect(await counts('period=all')).toEqual([1, 2])
    expect(await counts(`period=all&project_id=${dave.projectId}`)).toEqual([0, 1])
  })

  test('read the same number of rows for one proof as for many of the same hour', async () => {
    await publish({ members: [ada], deeds: [right] })
    const read = async () => {
      const { db, use } = countedDatabase()
      await client({ token: ada.owner.token, bindings: { DB: db } }).get('/v1/me/proofs/stats?period=all')
      return use.rowsRead
    }
    const one = await read()
    for (let i = 0; i < 20; i++) await publish({ members: [ada], deeds: [right] })
    expect(await read()).toBe(one)
  })
})

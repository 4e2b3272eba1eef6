import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { hashText } from '../../../protocol/encoding/index.ts'
import { createReceipt, hashReceipt, receiptText } from '../../../protocol/execution/index.ts'
import { deriveDirectRoundId, deriveTaskRoundId, resolveProfile } from '../../../protocol/identity/index.ts'
import { createExecutionVote, finalRecord } from '../../../protocol/rounds/index.ts'
import { verifyEd25519 } from '../../../protocol/signatures/index.ts'
import { nobodys } from '../../rounds/round-end.ts'
import { services } from '../../services.ts'
import { createMembers, type Member } from '../../test/attested-set.ts'
import { networkNow } from '../../test/callers.ts'
import { atOnce, bodyOf, client, expectRefusal, pagesOf } from '../../test/client.ts'
import { createProject, createValidators, submitReceipt } from '../../test/epochs.ts'
import {
  publishRound,
  publishSimulated,
  right,
  type SimulatedRound,
  simulateRound,
} from '../../test/final-rounds.ts'
import { emptyTables, setListingStatus } from '../../test/tables.ts'

const profile = resolveProfile()

interface Page {
  items: { round_id: string; kind: string; state: string }[]
  next_cursor: string | null
}
async function read(path: string): Promise<Page> {
  const answer = await client().get(path)
  expect(answer.status, path).toBe(200)
  return answer.json()
}
const idsOf = async (path: string) => (await read(path)).items.map(({ round_id }) => round_id)

const validators = await createValidators(4)
const members = await createMembers(3)
const now = await networkNow()
beforeEach(() => emptyTables('rounds', 'leases', 'epoch_receipts', 'epoch_shares'))

const publish = async (given: Partial<SimulatedRound> = {}) => {
  const whole = { members, deeds: [right, right, right], validators, issuedAt: now, ...given }
  return (await publishRound(whole)).round.roundId
}

/** A direct round that all validators answered alike, written as the hub writes it. */
async function publishDirect() {
  const run = { module_address: hashText('module'), function: 'echo' }
  const receipt = createReceipt({
    ...run,
    input: new Uint8Array(),
    output: new TextEncoder().encode('direct'),
    events: [],
    gas_used: 9,
    success: true,
  })
  const nonce = '0123456789abcdef0123456789abcdef'
  const round = { ...run, input_hash: receipt.input_hash, gas_limit: 1_000, issued_at: now, nonce }
  const roundId = deriveDirectRoundId(round)
  const votes = validators.map(({ key }) =>
    createExecutionVote(profile, key, { round, receipt, payout_address: `0x${'0'.repeat(40)}` }),
  )
  await services(env).roundFiles.putDirectRound({ round_id: roundId, round, exec_votes: votes })
  const { round: task } = simulateRound({ members, deeds: [], validators, issuedAt: now })
  const receiptHash = hashReceipt(receipt)
  const row = {
    ...task,
    ...{ roundId, kind: 'exec' as const, projectId: null, consensusHash: null },
    ...{ epoch: null, seq: null, setHash: null },
    ...{ committeeSize: 4, votes: 4, agreeing: 4, receiptHash, gasUsed: 9, success: true },
    ...{ outputHash: receipt.output_hash, eventsHash: receipt.events_hash },
  }
  await services(env).writeRounds([{ round: row, leases: [], end: nobodys(row, now) }])
  return { roundId, votes, receiptHash }
}

/** Every page of a list, and what happens between two of them. */
const walk = async (path: string, limit: number, between: () => Promise<unknown>) =>
  (await pagesOf(client(), path, limit, between)).flat().map(({ round_id }) => round_id)

describe('lists of rounds', () => {
  test('show tasks, direct rounds and epochs, newest first', async () => {
    const project = await createProject()
    const { receipt_hash } = await submitReceipt(project, { by: validators })
    const accepted = (await services(env).epochs.findByReceipt(receipt_hash))?.acceptedAt ?? 0
    const older = await publish({ issuedAt: accepted - 10 })
    const newer = await publish({ issuedAt: accepted + 10, deeds: [right, right, 'missed'], gasUsed: 7 })
    const { items } = await read('/v1/explorer/rounds')
    expect(items).toMatchObject([
      {
        round_id: newer,
        kind: 'task',
        state: 'finalized',
        project_id: members[0]?.projectId,
        function: 'echo',
        success: true,
        gas_used: 7,
        committee_size: 3,
        votes: 2,
        agreeing: 2,
        audited: false,
        created_at: accepted + 10,
        finalized_at: accepted + 14,
      },
      {
        kind: 'epoch',
        state: 'finalized',
        project_id: project.projectId,
        epoch: project.lastEpoch,
        receipt_hash,
        created_at: accepted,
      },
      { round_id: older },
    ])
    const of = (projectId: string | undefined) => idsOf(`/v1/projects/${projectId}/rounds`)
    expect(await of(members[0]?.projectId)).toEqual([newer, older])
    expect(await of(project.projectId)).toEqual([items[1]?.round_id])
  })

  test('continue after the last item although new rounds arrive, also among rounds of the same second', async () => {
    const project = await createProject()
    for (const epoch of [9, 10, 11].map((back) => project.lastEpoch - back))
      await submitReceipt(project, { by: validators, epoch })
    const same = await atOnce(5, () => publish())
    const all = await idsOf('/v1/explorer/rounds?limit=200')
    expect(all).toHaveLength(8)
    expect(new Set(all)).toEqual(new Set([...same, ...all.filter((id) => id.startsWith('epoch:'))]))
    for (const limit of [1, 2, 3]) {
      const walked = await walk('/v1/explorer/rounds', limit, () => publish({ issuedAt: now + 1_000 }))
      expect(walked.filter((id) => all.includes(id))).toEqual(all)
    }
    await emptyTables('epoch_receipts')
    const path = `/v1/projects/${members[0]?.projectId}/rounds`
    const before = await idsOf(path)
    expect(await walk(path, 2, () => publish({ issuedAt: now + 2_000 }))).toEqual(before)
  })

  test('are filtered by project, module, kind and state', async () => {
    const module = hashText('another module')
    const failed = await publish({ state: 'failed' })
    const other = await publish({ task: { module_address: module }, issuedAt: now - 1 })
    const project = members[0]?.projectId
    const cases: [query: string, ids: string[]][] = [
      ['', [failed, other]],
      ['kind=task', [failed, other]],
      ['kind=exec', []],
      ['kind=reward', []],
      ['kind=epoch', []],
      ['state=failed', [failed]],
      ['state=finalized', [other]],
      ['kind=task&state=pending', []],
      [`module=${module}`, [other]],
      [`module=${module}&state=failed`, []],
      [`project_id=${project}`, [failed, other]],
      [`project_id=${project}&state=finalized`, [other]],
      [`project_id=${project}&module=${module}&kind=task`, [other]],
      [`project_id=${hashText('none')}`, []],
    ]
    for (const [query, ids] of cases) expect(await idsOf(`/v1/explorer/rounds?${query}`), query).toEqual(ids)
  })

  test('400 invalid_field: a cursor of other filters', async () => {
    await publish()
    await publish()
    const { next_cursor } = await read('/v1/explorer/rounds?limit=1')
    const path = `/v1/explorer/rounds?state=finalized&cursor=${encodeURIComponent(next_cursor ?? '')}`
    await expectRefusal(client().get(path), '400 invalid_field')
  })

  test('404 not_found: a project that is not public, or that does not exist', async () => {
    const { projectId } = await createProject()
    await setListingStatus(projectId, 'pending_review')
    for (const id of [projectId, hashText('none')])
      await expectRefusal(client().get(`/v1/projects/${id}/rounds`), '404 not_found')
  })
})

describe('GET /v1/explorer/rounds/{round_id}', () => {
  const get = (id: string) => client().get(`/v1/explorer/rounds/${encodeURIComponent(id)}`)

  test('returns all signed documents of the round as they were signed', async () => {
    const given = { members, deeds: [right, ['wrong'], 'missed' as const], audit: 'right', validators }
    const { file, round } = await publishRound({ ...given, issuedAt: now, afterwards: { 0: 'wrong' } })
    const shown = await bodyOf<
      typeof file & {
        votes_detail: object[]
        audited: boolean
      }
    >(get(round.roundId))
    expect(shown).toMatchObject({
      round_id: round.roundId,
      state: 'finalized',
      audited: true,
      votes: 2,
      agreeing: 1,
    })
    expect(deriveTaskRoundId(shown.task)).toBe(round.roundId)
    expect(shown.votes_detail).toEqual([...file.votes, ...file.evidence])
    const keys = validators.map(({ publicKey }) => publicKey)
    expect(finalRecord(profile, shown.finality_votes, keys)).toEqual(shown.finality)
    // Upper case in a path is the same id.
    const upper = round.roundId
      .replace(/[a-f]+/g, (part) => part.toUpperCase())
      .replace(/^.*0[xX]/, 'task:0x')
    expect((await get(upper)).status).toBe(200)
  })

  test('shows the task but no votes while the round runs', async () => {
    const { object, round } = simulateRound({ members, deeds: [], validators, issuedAt: now })
    await publishSimulated({ object: { ...object, agreedAt: null, closedAt: null, outcome: null } })
    const shown = await bodyOf(get(round.roundId))
    expect(shown).toMatchObject({ state: 'pending', task: { issued_at: now } })
    expect(Object.keys(shown)).not.toEqual(expect.arrayContaining(['votes_detail']))
    expect(shown).not.toHaveProperty('finality')
    expect(shown).not.toHaveProperty('receipt_hash')
  })

  test('shows a failed round with its votes and without a result', async () => {
    const id = await publish({ state: 'failed', deeds: [right, ['wrong'], 'missed'] })
    const shown = await bodyOf(get(id))
    expect(shown).toMatchObject({ state: 'failed', finality_votes: [] })
    expect(shown.votes_detail).toHaveLength(2)
    expect(shown).not.toHaveProperty('finality')
  })

  test('finds only the attempt in which an epoch was attested', async () => {
    const project = await createProject()
    const { receipt_hash } = await submitReceipt(project, { by: validators })
    const [id] = await idsOf('/v1/explorer/rounds?kind=epoch')
    expect(await bodyOf(get(id ?? ''))).toMatchObject({
      round_id: id,
      kind: 'epoch',
      receipt_hash,
      votes: 4,
    })
    expect((await get(`${id}9`)).status).toBe(404)
  })

  test('shows the votes of validators of a direct round', async () => {
    const { roundId, votes, receiptHash } = await publishDirect()
    const shown = await bodyOf(get(roundId))
    expect(shown).toMatchObject({
      round_id: roundId,
      kind: 'exec',
      state: 'finalized',
      committee_size: 4,
      votes: 4,
    })
    expect(shown.exec_votes).toEqual(votes)
    for (const member of ['task', 'project_id', 'committee', 'finality'])
      expect(shown).not.toHaveProperty(member)
    expect(await bodyOf(client().get(`/v1/explorer/receipts/${receiptHash}`))).toMatchObject({
      kind: 'execution',
      receipt: { public_key: votes[0]?.public_key, signature: votes[0]?.signature },
      rounds: [roundId],
    })
  })

  test.each([
    `task:${hashText('none')}`,
    `exec:${hashText('none')}`,
    `epoch:${hashText('none')}:1:0`,
    `reward:${hashText('none')}:1:0`,
    'nonsense',
  ])('404 not_found: %s', async (id) => {
    await expectRefusal(get(id), '404 not_found')
  })
})

describe('GET /v1/explorer/receipts/{receipt_hash}', () => {
  const get = (hash: string) => client().get(`/v1/explorer/receipts/${hash}`)
  /** An audited round in which one of three votes did not prevail. */
  const contested = (): SimulatedRound => ({
    ...{ members, validators, issuedAt: now },
    ...{ deeds: [['wrong'], right, right], audit: 'right' },
  })

  interface Lookup {
    kind: string
    receipt: {
      receipt: Parameters<typeof hashReceipt>[0] & { receipt_hash: string }
      public_key: string
      signature: string
    }
    rounds: string[]
  }

  test('returns the result of rounds, signed by a member that voted for it', async () => {
    const { round } = await publishRound(contested())
    const again = await publish({ issuedAt: now + 5 })
    const hash = round.receiptHash ?? ''
    const { kind, receipt, rounds } = await bodyOf<Lookup>(get(hash))
    const { receipt_hash, ...hashed } = receipt.receipt
    expect([kind, receipt_hash, hashReceipt(hashed), rounds]).toEqual([
      'execution',
      hash,
      hash,
      [again, round.roundId],
    ])
    expect(verifyEd25519(receipt.public_key, receiptText(profile, hash), receipt.signature)).toBe(true)
  })

  test('returns the result of a fallback without a signature of a member', async () => {
    const [first] = members as [Member]
    const { round } = await publishRound({
      members: [],
      deeds: [],
      fallback: first,
      validators,
      issuedAt: now,
      gasUsed: 99,
    })
    const found = await bodyOf(get(round.receiptHash ?? ''))
    expect(found.receipt).not.toHaveProperty('signature')
    expect(found).toMatchObject({ kind: 'execution', rounds: [round.roundId] })
  })

  test('returns the attested receipt of an epoch with the status of its settlement', async () => {
    const project = await createProject()
    const receipt = await submitReceipt(project, { by: validators })
    expect(await bodyOf(get(receipt.receipt_hash.toUpperCase().replace('0X', '0x')))).toMatchObject({
      kind: 'reward_v2',
      receipt: { receipt_hash: receipt.receipt_hash, merkle_root: receipt.merkle_root },
      rounds: await idsOf('/v1/explorer/rounds?kind=epoch'),
      settlement: { status: 'queued' },
    })
  })

  test('404 not_found: the receipt of a vote that did not become the result', async () => {
    const { file } = await publishRound(contested())
    const wrong = file.votes.find(({ receipt_hash }) => receipt_hash !== file.finality?.receipt_hash)
    await expectRefusal(get(wrong?.receipt_hash ?? ''), '404 not_found')
  })
})

import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { hashText } from '../../protocol/encoding/index.ts'
import { nobodys } from '../rounds/round-end.ts'
import { services } from '../services.ts'
import { emptyTables, rowsOf } from '../test/tables.ts'
import type { RoundFile } from './round-files.ts'
import { isRoundOpen, type WrittenRound } from './rounds.ts'
import type { LeaseRow, RoundRow } from './schema/index.ts'

const roundId = `task:${hashText('a round')}`
const projectId = hashText('a project')

const begun: RoundRow = {
  roundId,
  kind: 'task',
  state: 'pending',
  projectId,
  consensusHash: hashText('consensus'),
  epoch: 7,
  seq: 0,
  setHash: hashText('set'),
  moduleAddress: hashText('module'),
  function: 'fold',
  inputHash: hashText('input'),
  gasLimit: 1_000,
  issuedAt: 25_300,
  nonce: null,
  input: 'AAA=',
  fallback: null,
  committeeSize: 3,
  votes: 0,
  agreeing: 0,
  audited: false,
  receiptHash: null,
  success: null,
  gasUsed: null,
  outputHash: null,
  eventsHash: null,
  output: null,
  events: null,
  agreedAt: null,
  finalizedAt: null,
  finalityMs: null,
  error: null,
  taskId: 'the-task',
  createdAt: null,
}

const leaseAt = (position: number): LeaseRow => ({
  roundId,
  position,
  role: 'primary',
  nodeKey: hashText(`node ${position}`),
  nodeId: `hive-${position}`,
  subscriptionId: hashText(`subscription ${position}`),
  owner: `0x${'a0'.repeat(20)}`,
  projectId,
  epoch: 7,
  state: 'offered',
  missedBecause: null,
  createdAt: 25_300,
  deadline: 25_330,
  completedAt: null,
  proofId: hashText(`proof ${position}`),
  proofStatus: null,
  rejectionReason: null,
  receiptHash: null,
  submittedAt: null,
  units: null,
  voteProblem: null,
})

const image = (round: Partial<RoundRow> = {}, lease: Partial<LeaseRow> = {}): WrittenRound => ({
  round: { ...begun, ...round },
  leases: [0, 1, 2].map((position) => ({ ...leaseAt(position), ...lease })),
  end: null,
})

const over = image(
  {
    state: 'finalized',
    votes: 3,
    agreeing: 3,
    receiptHash: hashText('receipt'),
    success: true,
    gasUsed: 12,
    outputHash: hashText('output'),
    eventsHash: hashText('[]'),
    output: 'AAA=',
    events: [],
    agreedAt: 25_301,
    finalizedAt: 25_310,
    finalityMs: 10_000,
  },
  { state: 'finalized', proofStatus: 'verified', submittedAt: 25_301, units: 1 },
)
const final: WrittenRound = { ...over, end: nobodys(over.round, 25_310) }

const stores = () => services(env)

beforeEach(() => emptyTables('tasks', 'rounds', 'leases'))

const write = (...rounds: WrittenRound[]) => stores().writeRounds(rounds)
const leaseRows = () => rowsOf('SELECT position, state, proof_status FROM leases ORDER BY position')
const finalLeases = [0, 1, 2].map((position) => ({ position, state: 'finalized', proof_status: 'verified' }))

describe('the stored round', () => {
  test('is read back as it was written, first open and then over', async () => {
    expect(await write(image())).toEqual([])
    expect(await stores().rounds.find(roundId)).toEqual(begun)
    expect(await write(final)).toEqual([roundId])
    expect(await stores().rounds.find(roundId)).toEqual(final.round)
    expect(await leaseRows()).toEqual(finalLeases)
  })

  test('never returns to an earlier state', async () => {
    await write(image({ state: 'escalated' }))
    expect(await write(image({ state: 'pending' }))).toEqual([])
    expect(await stores().rounds.find(roundId)).toMatchObject({ state: 'escalated' })
  })

  test('does not change after its end', async () => {
    await write(final)
    expect(await write(image({ state: 'failed' }, { state: 'missed' }), final)).toEqual([])
    expect(await stores().rounds.find(roundId)).toEqual(final.round)
    expect(await leaseRows()).toEqual(finalLeases)
  })

  test('is written as usual in the same call as a round that is over', async () => {
    const other = `task:${hashText('another')}`
    await write(final)
    const others = { ...final, leases: [], round: { ...final.round, roundId: other } }
    expect(await write(final, { ...others, end: nobodys(others.round, 25_311) })).toEqual([other])
  })

  test('applies the effects of its end once if 20 callers write it at once', async () => {
    await stores().tasks.queue([
      { taskId: 'other', projectId, function: 'f', gasLimit: 1, inputHash: begun.inputHash, createdAt: 0 },
    ])
    const follows = sql`UPDATE tasks SET gas_limit = gas_limit + 1 WHERE task_id = 'other' AND ${isRoundOpen(roundId)}`
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => stores().writeRounds([final], [follows])),
    )
    expect(outcomes.filter((outcome) => outcome?.length === 1)).toHaveLength(1)
    expect((await stores().tasks.find('other'))?.task.gasLimit).toBe(2)
  })
})

describe('a task', () => {
  const queued = {
    taskId: 'the-task',
    projectId,
    function: 'fold',
    gasLimit: 1_000,
    inputHash: begun.inputHash,
    createdAt: 25_200,
  }

  test('that waits gets exactly one round', async () => {
    await stores().tasks.queue([queued, queued])
    expect(await stores().tasks.find('the-task')).toMatchObject({ task: { roundId: null }, round: null })
    await stores().tasks.schedule([{ taskId: 'the-task', roundId }])
    await stores().tasks.schedule([{ taskId: 'the-task', roundId: 'another' }])
    expect(await stores().tasks.find('the-task')).toMatchObject({ task: { createdAt: 25_200, roundId } })
  })

  test('fails only while it has no round', async () => {
    await stores().tasks.queue([queued, { ...queued, taskId: 'another' }])
    await stores().tasks.schedule([{ taskId: 'the-task', roundId }])
    await stores().tasks.fail(['the-task', 'another'], 'no_attested_snapshot')
    expect((await stores().tasks.find('the-task'))?.task.error).toBeNull()
    expect((await stores().tasks.find('another'))?.task.error).toBe('no_attested_snapshot')
  })
})

describe('files of rounds', () => {
  test('payloads are found under their hash, and a payload that was never stored is not found', async () => {
    const { roundFiles } = stores()
    await roundFiles.putPayload(hashText('bytes'), new TextEncoder().encode('bytes'))
    expect(new TextDecoder().decode((await roundFiles.payload(hashText('bytes'))) ?? undefined)).toBe('bytes')
    expect(await roundFiles.payload(hashText('nothing'))).toBeNull()
  })

  test('a round has one record: of parallel different ends, the first one is kept', async () => {
    const { roundFiles } = stores()
    const record = (ended_at: number) =>
      roundFiles.record({ round_id: roundId, ended_at, published: over } as unknown as RoundFile)
    const stored = await Promise.all([1, 2, 3, 4].map(record))
    const kept = await roundFiles.round(roundId)
    for (const one of stored) expect(one.ended_at).toBe(kept?.ended_at)
    expect((await record(5)).ended_at).toBe(kept?.ended_at)
  })

  test('a record in a later format is refused, and one in an earlier format is read', async () => {
    const { roundFiles } = stores()
    const record = (id: string, v?: number) =>
      roundFiles.record({ v, round_id: id, published: over } as unknown as RoundFile)
    await record('earlier')
    expect(await roundFiles.round('earlier')).toMatchObject({ round_id: 'earlier' })
    await record('later', 2)
    const refused = { code: 'unavailable', message: expect.stringContaining('in form 2') }
    await expect(roundFiles.round('later')).rejects.toMatchObject(refused)
    // The record is not taken for the end of a round that ends again, either.
    await expect(record('later', 1)).rejects.toMatchObject(refused)
  })
})

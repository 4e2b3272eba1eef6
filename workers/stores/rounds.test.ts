import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { hashText } from '../../protocol/encoding/index.ts'
import { services } from '../services.ts'
import { emptyTables } from '../test/tables.ts'
import { isRoundOpen, type LeaseRow, type PublishedRound, type RoundRow } from './rounds.ts'

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
})

const image = (round: Partial<RoundRow> = {}, lease: Partial<LeaseRow> = {}): PublishedRound => ({
  taskId: 'the-task',
  round: { ...begun, ...round },
  leases: [0, 1, 2].map((position) => ({ ...leaseAt(position), ...lease })),
})

const final = image(
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

const stores = () => services(env)

beforeEach(() => emptyTables('tasks', 'rounds', 'leases'))

describe('what is published of a round', () => {
  test('is read back as it was written, under both ids of its task', async () => {
    expect(await stores().rounds.publish(image())).toBe('written')
    expect(await stores().rounds.publish(final)).toBe('written')
    expect(await stores().rounds.find(roundId)).toEqual(final.round)
    expect(await stores().rounds.leases(roundId)).toEqual(final.leases)
    const found = await stores().tasks.find('the-task')
    expect(found).toEqual({
      round: final.round,
      task: {
        taskId: 'the-task',
        projectId,
        roundId,
        function: 'fold',
        gasLimit: 1_000,
        inputHash: begun.inputHash,
        error: null,
        createdAt: 25_300,
      },
    })
    expect(await stores().tasks.find(roundId)).toEqual(found)
  })

  test('nothing changes a round that is over', async () => {
    await stores().rounds.publish(final)
    expect(await stores().rounds.publish(image({ state: 'failed' }, { state: 'missed' }))).toBe('over')
    expect(await stores().rounds.publish(final)).toBe('over')
    expect(await stores().rounds.find(roundId)).toEqual(final.round)
    expect(await stores().rounds.leases(roundId)).toEqual(final.leases)
  })

  test('what follows from its end happens once, of 20 that publish it at once', async () => {
    await stores().tasks.queue([
      { taskId: 'other', projectId, function: 'f', gasLimit: 1, inputHash: begun.inputHash, createdAt: 0 },
    ])
    const follows = sql`UPDATE tasks SET gas_limit = gas_limit + 1 WHERE task_id = 'other' AND ${isRoundOpen(roundId)}`
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => stores().rounds.publish(final, [follows])),
    )
    expect(outcomes.filter((outcome) => outcome === 'written')).toHaveLength(1)
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

  test('that waits gets its round, and keeps when it was given', async () => {
    await stores().tasks.queue([queued, queued])
    expect(await stores().tasks.find('the-task')).toMatchObject({ round: null, task: { roundId: null } })
    await stores().rounds.publish(image())
    expect(await stores().tasks.find('the-task')).toMatchObject({
      round: { state: 'pending' },
      task: { createdAt: 25_200, roundId },
    })
  })

  test('fails only while it has no round', async () => {
    await stores().tasks.queue([queued, { ...queued, taskId: 'another' }])
    await stores().rounds.publish(image())
    await stores().tasks.fail(['the-task', 'another'], 'no_attested_snapshot')
    expect((await stores().tasks.find('the-task'))?.task.error).toBeNull()
    expect((await stores().tasks.find('another'))?.task.error).toBe('no_attested_snapshot')
  })
})

describe('files of rounds', () => {
  test('payloads are found under their hash, and what was never put is not', async () => {
    const { roundFiles } = stores()
    await roundFiles.putPayload(hashText('bytes'), new TextEncoder().encode('bytes'))
    expect(new TextDecoder().decode((await roundFiles.payload(hashText('bytes'))) ?? undefined)).toBe('bytes')
    expect(await roundFiles.payload(hashText('nothing'))).toBeNull()
  })
})

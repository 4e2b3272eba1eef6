import { applyD1Migrations } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeAll, expect, test } from 'vitest'
import { hashText } from '../../protocol/encoding/index.ts'
import { nobodys } from '../rounds/round-end.ts'
import { services } from '../services.ts'
import { emptyStorage } from '../test/empty-storage.ts'
import { rowsOf } from '../test/tables.ts'
import { ProofStore } from './proofs.ts'
import type { WrittenRound } from './rounds.ts'
import type { LeaseRow, RoundRow } from './schema/index.ts'

const firstAt = 1_790_000_000
const owners = [0, 1, 2, 3, 4].map((n) => `0x${String(n).repeat(40)}`)
const projectId = hashText('a project')

const roundAt = (n: number, state: RoundRow['state'] = 'finalized'): RoundRow => ({
  ...{ roundId: `task:${hashText(`round ${n}`)}`, kind: 'task', state, projectId },
  ...{ consensusHash: hashText('consensus'), epoch: 7, seq: n, setHash: hashText('set') },
  ...{ moduleAddress: hashText('module'), function: 'fold', inputHash: hashText(`input ${n}`) },
  ...{ gasLimit: 1_000, issuedAt: firstAt + Math.floor(n / 12), nonce: null, input: 'AAAA' },
  ...{ fallback: null, committeeSize: 3, votes: 3, agreeing: 3, audited: false },
  ...{ receiptHash: hashText(`receipt ${n}`), success: true, gasUsed: 12 },
  ...{ outputHash: hashText(`output ${n}`), eventsHash: hashText('[]'), output: 'AAAA', events: [] },
  ...{ agreedAt: firstAt, finalizedAt: firstAt, finalityMs: 900, error: null },
  ...{ taskId: hashText(`task ${n}`), createdAt: null },
})

const leaseOf = (n: number, position: number, change: Partial<LeaseRow> = {}): LeaseRow => ({
  ...{ roundId: `task:${hashText(`round ${n}`)}`, position, role: 'primary' },
  ...{ nodeKey: hashText(`node ${position}`), nodeId: `node-${position}` },
  ...{ subscriptionId: hashText(`subscription ${position}`), owner: owners[(n + position) % 5]! },
  ...{ projectId, epoch: 7, state: 'finalized', missedBecause: null },
  ...{ createdAt: firstAt + Math.floor(n / 12), deadline: firstAt + 60, completedAt: firstAt + 1 },
  ...{ proofId: hashText(`proof ${n} ${position}`), proofStatus: 'verified', rejectionReason: null },
  ...{ receiptHash: hashText(`receipt ${n}`), submittedAt: firstAt + 1, units: 1, voteProblem: null },
  ...change,
})

const rounds = (from: number, to: number): WrittenRound[] =>
  Array.from({ length: to - from }, (_, index) => {
    const round = roundAt(from + index)
    const leases = [0, 1, 2].map((position) => leaseOf(from + index, position))
    return { round, leases, end: nobodys(round, firstAt) }
  })

const tables = () =>
  Promise.all([
    rowsOf('SELECT * FROM leases ORDER BY proof_id'),
    rowsOf('SELECT * FROM rounds ORDER BY round_id'),
  ])
const lastTwo = () => env.TEST_MIGRATIONS.findIndex(({ name }) => name.startsWith('0029_'))

beforeAll(async () => {
  await emptyStorage()
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS.slice(0, lastTwo()))
})

test('rows that an earlier build wrote are kept unchanged, and are found as before', async () => {
  const { writeRounds, store } = services(env)
  const proofs = store(ProofStore)
  await writeRounds(rounds(0, 40))
  const failed = roundAt(40, 'failed')
  const missed = {
    state: 'missed',
    missedBecause: 'late',
    proofStatus: 'missed',
    voteProblem: 'none',
  } as const
  await writeRounds([{ round: failed, leases: [leaseOf(40, 0, missed)], end: nobodys(failed, firstAt) }])
  const before = await tables()
  expect(before.map(({ length }) => length)).toEqual([121, 41])
  const listed = () =>
    Promise.all([
      proofs.list(owners[0] as never, {}, undefined, 100),
      proofs.list(owners[0] as never, { status: 'missed' }, undefined, 100),
      proofs.find(hashText('proof 7 1')),
    ])
  const lists = await listed()
  expect(lists[1]).toHaveLength(1)
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS)
  expect(await tables()).toEqual(before)
  expect(await listed()).toEqual(lists)
})

test('a round of three members takes less than 5 kB, including its indexes', async () => {
  const sizeOf = async () => (await env.DB.prepare('SELECT 1').all()).meta.size_after
  const { writeRounds } = services(env)
  const before = await sizeOf()
  for (let n = 100; n < 700; n += 12) await writeRounds(rounds(n, n + 12))
  expect(((await sizeOf()) - before) / 600).toBeLessThan(5_000)
})

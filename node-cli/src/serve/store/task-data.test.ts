import { expect, test } from 'vitest'
import type { FinalityRecord } from '../../../../protocol/rounds/index.ts'
import { openTestStore } from '../../../../testing/node/node-parts.ts'
import type { TaskDataRetention } from './task-data.ts'

const generous: TaskDataRetention = { seconds: 1_000, bytes: 1_000_000, graceSeconds: 5 }

/** Data of ten bytes for each of the first seconds. */
const tenBytes = '"12345678"'

function createStore() {
  const store = openTestStore()
  const { votes, ledger, taskData, rounds, db } = store
  const voteWith = (kind: 'task' | 'finality', second: number, alongside: () => void, answer?: string) =>
    votes.give(
      {
        vote: { kind, round_id: `task:${second}`, public_key: 'key' },
        issuedAt: second,
        createdAt: second,
        ...(answer !== undefined && { answer }),
      },
      alongside,
    )
  const receipt = (second: number) =>
    ledger.append({
      address: 'module',
      functionName: 'f',
      receiptHash: `${second}`,
      envelope: tenBytes,
      createdAt: second,
    })
  return {
    store,
    receipt,
    /** A miner's vote with its receipt. */
    mine: (second: number) => voteWith('task', second, () => taskData.keepReceipt(receipt(second))),
    /** A validator's vote with its run. */
    validate: (second: number, answer = tenBytes) => {
      rounds.see({ roundId: `task:${second}`, projectId: 'project', epoch: 1 }, second)
      voteWith('finality', second, () => taskData.keepAnswer(`task:${second}`), answer)
    },
    end: (second: number) =>
      rounds.finalize(
        { round_id: `task:${second}`, project_id: 'project', epoch: 1 } as FinalityRecord,
        'hash',
        second,
      ),
    receipts: () =>
      db
        .prepare('SELECT created_at FROM ledger ORDER BY id')
        .all()
        .map((row) => row.created_at),
    answer: (second: number) => votes.find('key', 'finality', `task:${second}`)?.answer,
    prune: (retention: Partial<TaskDataRetention>, now: number) =>
      taskData.prune({ ...generous, ...retention }, now),
  }
}

const upTo = (last: number): number[] => Array.from({ length: last }, (_, i) => i + 1)

test.each([
  ['bytes', { bytes: 39 }],
  ['time', { seconds: 2 }],
] as const)(
  'receipts of tasks beyond their %s go, the oldest first; votes and other receipts stay',
  (_, bound) => {
    const { store, receipt, mine, receipts, prune } = createStore()
    receipt(0)
    for (const second of upTo(6)) mine(second)
    expect(prune(bound, 6)).toBe(3)
    expect(receipts()).toEqual([0, 4, 5, 6])
    expect(prune(bound, 6)).toBe(0)
    for (const second of upTo(6)) expect(store.votes.find('key', 'task', `task:${second}`)).not.toBeNull()
  },
)

test('one call drops a bounded number, and the newest receipt stays, so that no number is given twice', () => {
  const { store, mine, receipts, prune } = createStore()
  for (const second of upTo(60)) mine(second)
  expect([prune({}, 9_000), prune({}, 9_000), prune({}, 9_000)]).toEqual([50, 9, 0])
  expect(receipts()).toEqual([60])
  expect(store.ledger.count()).toBe(60)
  mine(9_001)
  expect(prune({}, 9_002)).toBe(1)
  expect(receipts()).toEqual([9_001])
})

test('the run beside a finality vote goes once its round is decided; its vote stays', () => {
  const { store, validate, end, answer, prune } = createStore()
  for (const second of upTo(4)) validate(second)
  end(1)
  store.rounds.fail('task:3')
  expect(prune({}, 1_000)).toBe(0)
  expect(prune({}, 1_500)).toBe(4)
  expect(upTo(4).map(answer)).toEqual([null, tenBytes, null, tenBytes])
  // An open round is looked at again after the same time.
  end(2)
  expect(prune({}, 2_000)).toBe(0)
  expect(prune({}, 2_600)).toBe(2)
  expect(upTo(4).map(answer)).toEqual([null, null, null, tenBytes])
  // Nobody makes it final any more.
  expect(prune({}, 3 * 86_400)).toBe(1)
  expect(answer(4)).toBeNull()
})

test('runs beyond their bytes go sooner, but not before the hub has had time to take them', () => {
  const { validate, end, answer, prune } = createStore()
  for (const second of upTo(4)) {
    validate(second)
    end(second)
  }
  expect(prune({ bytes: 15 }, 6)).toBe(0)
  expect(prune({ bytes: 15 }, 8)).toBe(2)
  expect(prune({ bytes: 15 }, 20)).toBe(1)
  expect(upTo(4).map(answer)).toEqual([null, null, null, tenBytes])
})

test('a round that was not run has nothing to drop', () => {
  const { validate, end, answer, prune } = createStore()
  validate(1, 'null')
  end(1)
  expect(prune({}, 9_000)).toBe(0)
  expect(answer(1)).toBe('null')
})

import { expect, test } from 'vitest'
import { openTestStore } from '../../../../testing/node/node-parts.ts'
import { VoteWithheld } from '../slashing-protection/votes.ts'
import type { DirectRetention } from './direct-rounds.ts'
import type { ServeStore } from './index.ts'

const generous: DirectRetention = { seconds: 1_000, rounds: 1_000, bytes: 1_000_000 }

const rowsOf = ({ db }: ServeStore, table: string): number =>
  Number(db.prepare(`SELECT count(*) AS count FROM ${table}`).get()!.count)

/** A store with direct rounds that were voted on one second after the other, from second 1 on, of 100 bytes each. */
function storeOf(count: number) {
  const store = openTestStore()
  const vote = (second: number) =>
    store.votes.give(
      {
        vote: { kind: 'execution', round_id: `exec:${second}`, public_key: 'key' },
        issuedAt: second,
        createdAt: second,
      },
      () => {
        store.directRounds.checkAllowed(second)
        const ledgerId = store.ledger.append({
          address: 'module',
          functionName: 'f',
          receiptHash: `${second}`,
          envelope: '{}',
          createdAt: second,
        })
        store.directRounds.keep({
          roundId: `exec:${second}`,
          issuedAt: second,
          ledgerId,
          bytes: 100,
          createdAt: second,
        })
      },
    )
  for (let second = 1; second <= count; second++) vote(second)
  const kept = () => ({
    ...store.directRounds.totals(),
    votes: rowsOf(store, 'votes'),
    receipts: rowsOf(store, 'ledger'),
  })
  const pruneAll = (retention: Partial<DirectRetention>, now: number) => {
    while (store.directRounds.prune({ ...generous, ...retention }, now) > 0);
  }
  return { store, vote, kept, pruneAll }
}

test.each([
  ['number', { rounds: 7 }],
  ['bytes', { bytes: 799 }],
  ['time', { seconds: 6 }],
] as const)(
  'direct rounds beyond their %s are deleted, the oldest first, with all their data',
  (_, bound) => {
    const { store, kept, pruneAll } = storeOf(120)
    pruneAll(bound, 120)
    expect(kept()).toEqual({ rounds: 7, bytes: 700, votes: 7, receipts: 7 })
    expect(store.votes.find('key', 'execution', 'exec:114')).not.toBeNull()
    expect(store.votes.find('key', 'execution', 'exec:113')).toBeNull()
  },
)

test('one call deletes a bounded number of rounds', () => {
  const { store, kept } = storeOf(120)
  expect(store.directRounds.prune({ ...generous, rounds: 1 }, 120)).toBe(50)
  expect(kept().rounds).toBe(70)
})

test('a round whose vote was deleted gets no other, even if the clock went back', () => {
  const { store, vote, pruneAll } = storeOf(10)
  pruneAll({ rounds: 3 }, 10)
  expect(() => vote(7)).toThrow(VoteWithheld)
  expect(() => store.directRounds.checkAllowed(7)).toThrow(VoteWithheld)
  expect(store.votes.find('key', 'execution', 'exec:7')).toBeNull()
  expect(vote(8).isNew).toBe(false)
  expect(vote(11).isNew).toBe(true)
})

test('votes on tasks and receipts of other runs are kept', () => {
  const { store, pruneAll } = storeOf(3)
  const task = { kind: 'task', round_id: 'task:1', public_key: 'key' } as const
  store.votes.give({ vote: task, issuedAt: 1, createdAt: 1 })
  store.ledger.append({ address: 'm', functionName: 'f', receiptHash: 'h', envelope: '{}', createdAt: 1 })
  pruneAll({ rounds: 0 }, 1)
  expect(store.votes.find('key', 'task', 'task:1')).not.toBeNull()
  expect(rowsOf(store, 'ledger')).toBe(1)
})

import { beforeEach, describe, expect, test } from 'vitest'
import type { FinalityRecord, Task } from '../../../../protocol/rounds/index.ts'
import type { Evidence } from '../../../../protocol/slashing/index.ts'
import { openTestStore } from '../../../../testing/node/node-parts.ts'
import type { ServeStore } from './index.ts'
import type { CheckedVote } from './round-votes.ts'
import type { Judgement } from './rounds.ts'

const day = 86_400

let store: ServeStore

const recordOf = (round_id: string, epoch = 7) =>
  ({ round_id, project_id: 'project', epoch, gas_used: 1 }) as FinalityRecord
const voteOf = (public_key: string, subject: string): CheckedVote =>
  ({ vote: { round_id: 'task:1', kind: 'finality', public_key, subject }, subject }) as unknown as CheckedVote

beforeEach(() => {
  store = openTestStore()
})

describe('rounds', () => {
  const task = { project_id: 'project', epoch: 7 } as Task
  const judgement = { fallback: null } as Judgement
  const judge = (roundId: string, now: number) =>
    store.rounds.judge({ roundId, task, judgement }, 'escalated', now)

  test('belong to the project and epoch of their task and record, whatever a vote said before', () => {
    store.rounds.see({ roundId: 'task:1', projectId: 'elsewhere', epoch: 1 }, 10)
    judge('task:1', 11)
    expect(store.rounds.find('task:1')).toMatchObject({
      projectId: 'project',
      epoch: 7,
      state: 'escalated',
      task,
    })
    store.rounds.see({ roundId: 'task:2', projectId: 'elsewhere', epoch: 1 }, 12)
    expect(store.rounds.finalize(recordOf('task:2'), 'hash', 13)).toBe(true)
    const page = store.rounds.finalPage({ projectId: 'project', epoch: 7, after: 0, limit: 9 })
    expect(page.map(({ final }) => final)).toEqual([recordOf('task:2')])
    store.rounds.see({ roundId: 'task:3', projectId: 'project', epoch: 7 }, 14)
    expect(store.rounds.openOfEpoch('project', 7)).toEqual(['task:1'])
  })

  test('keep the first record and the first judgement, and stay final', () => {
    store.rounds.finalize(recordOf('task:1'), 'first', 10)
    expect(store.rounds.finalize({ ...recordOf('task:1'), gas_used: 2 }, 'second', 11)).toBe(false)
    judge('task:1', 12)
    store.rounds.judge({ roundId: 'task:1', task, judgement: { ...judgement, agreed_at: 5 } }, 'fallback', 13)
    expect(store.rounds.find('task:1')).toMatchObject({
      state: 'finalized',
      final: { gas_used: 1 },
      finalityHash: 'first',
      judgement,
    })
  })

  test('are read from the position of a reader, of one epoch or of all', () => {
    for (const [i, epoch] of [7, 8, 7].entries())
      store.rounds.finalize(recordOf(`task:${i}`, epoch), 'hash', 10)
    store.rounds.close('exec:1', 10)
    const page = (epoch: number | null, after: number, limit: number) =>
      store.rounds
        .finalPage({ projectId: epoch === null ? null : 'project', epoch, after, limit })
        .map(({ roundId, finalSeq }) => `${finalSeq} ${roundId}`)
    expect(page(null, 0, 2)).toEqual(['1 task:0', '2 task:1'])
    expect(page(null, 2, 2)).toEqual(['3 task:2'])
    expect(page(7, 1, 2)).toEqual(['3 task:2'])
    expect(store.rounds.count()).toEqual({ known: 4, final: 4 })
  })

  test('are open until they are final, the oldest first', () => {
    judge('task:2', 20)
    judge('task:1', 10)
    judge('task:3', 30)
    store.rounds.see({ roundId: 'exec:1', projectId: null, epoch: null }, 15)
    const ids = (from: number, to: number) => store.rounds.open(from, to, 9).map(({ roundId }) => roundId)
    expect(ids(0, 30)).toEqual(['task:1', 'task:2'])
    store.rounds.finalize(recordOf('task:1'), 'hash', 31)
    expect(ids(0, 99)).toEqual(['task:2', 'task:3'])
    store.rounds.fail('task:2')
    expect(ids(0, 99)).toEqual(['task:3'])
  })

  describe('that only votes tell of', () => {
    const hear = (roundId: string, from: string, now = 10) =>
      store.rounds.hear({ roundId, projectId: 'project', epoch: 7 }, from, now)
    const heardOf = (key: string) =>
      store.db.prepare('SELECT rounds FROM heard_totals WHERE public_key = ?').get(key)?.rounds

    test('count for the key of their first vote, until more is known about them', () => {
      for (const id of ['judged', 'final', 'failed', 'closed', 'old', 'open']) hear(id, 'a')
      hear('open', 'b')
      expect([heardOf('a'), heardOf('b')]).toEqual([6, undefined])
      judge('judged', 11)
      store.rounds.finalize(recordOf('final'), 'hash', 11)
      store.rounds.finalize(recordOf('judged'), 'hash', 11)
      store.rounds.fail('failed')
      store.rounds.close('closed', 11)
      expect(heardOf('a')).toBe(2)
    })

    test('are so many for each key, while other keys and known rounds go on', () => {
      store.db.exec("INSERT INTO heard_totals VALUES ('a', 99999)")
      judge('known', 10)
      expect([hear('one', 'a'), hear('two', 'a')]).toEqual([true, false])
      expect(store.rounds.find('two')).toBeNull()
      expect([hear('known', 'a'), hear('one', 'a'), hear('two', 'b')]).toEqual([true, true, true])
    })

    test('are dropped after a while, the oldest first', () => {
      hear('task:2', 'a', 20)
      hear('task:1', 'a', 10)
      hear('task:3', 'a', 30)
      judge('task:0', 5)
      expect(store.rounds.dropHeard(30, 1)).toEqual(['task:1'])
      expect(store.rounds.dropHeard(30, 9)).toEqual(['task:2'])
      expect([heardOf('a'), store.rounds.find('task:1'), store.rounds.find('task:0')?.state]).toEqual([
        1,
        null,
        'escalated',
      ])
    })

    test('keep no judged round from being looked at', () => {
      for (let i = 0; i < 9; i++) hear(`made-up:${i}`, 'a', i)
      judge('task:1', 20)
      expect(store.rounds.open(0, 99, 2).map(({ roundId }) => roundId)).toEqual([
        'task:1',
        'made-up:0',
        'made-up:1',
      ])
    })
  })
})

describe('votes of rounds', () => {
  test('are stored once, and at most two that contradict each other', () => {
    expect(store.roundVotes.keep(voteOf('b', 'x'), 1)).toBe('new')
    expect(store.roundVotes.keep(voteOf('b', 'x'), 1)).toBe('known')
    expect(store.roundVotes.keep(voteOf('b', 'y'), 1)).toBe('conflict')
    expect(store.roundVotes.keep(voteOf('b', 'z'), 1)).toBe('dropped')
    expect(store.roundVotes.keep(voteOf('a', 'z'), 1)).toBe('new')
    const kept = store.roundVotes.ofRound('task:1', 'finality')
    expect(kept.map(({ vote, subject }) => [vote.public_key, subject])).toEqual([
      ['a', 'z'],
      ['b', 'x'],
      ['b', 'y'],
    ])
    expect(store.roundVotes.ofRound('task:1', 'task')).toEqual([])
  })

  test('are dropped after 30 days', () => {
    store.roundVotes.keep(voteOf('a', 'x'), 0)
    store.roundVotes.keep(voteOf('b', 'x'), day)
    store.roundVotes.dropOld(30 * day)
    expect(store.roundVotes.ofRound('task:1', 'finality')).toHaveLength(2)
    store.roundVotes.dropOld(30 * day + 1)
    expect(store.roundVotes.ofRound('task:1', 'finality').map(({ vote }) => vote.public_key)).toEqual(['b'])
  })
})

test('evidence is stored once for each offence, and waits for the hub from finality of its round until it is marked', () => {
  const evidence = {
    kind: 'missed_sla',
    round_id: 'task:1',
    node_key: 'a',
    proof: { of: 1 },
  } as unknown as Evidence
  expect(store.evidence.keep(evidence, 5)).toBe(true)
  expect(store.evidence.keep({ ...evidence, proof: { of: 2 } }, 6)).toBe(false)
  expect(store.evidence.keep({ ...evidence, node_key: 'b' }, 7)).toBe(true)
  expect(store.evidence.waiting(0, 9)).toEqual([])
  store.rounds.finalize(recordOf('task:1'), 'hash', 8)
  const [first, second] = store.evidence.waiting(0, 9)
  expect(first).toEqual({ id: 1, evidence, agreedAt: null, failures: 0 })
  store.evidence.markPosted(1, 8)
  store.evidence.markPosted(1, 9)
  expect({ ...store.db.prepare('SELECT posted_at FROM evidence WHERE id = 1').get() }).toEqual({
    posted_at: 8,
  })
  expect(store.evidence.waiting(0, 9)).toEqual([second])
  expect(store.evidence.ids(0, 1)).toEqual([1])
  expect(JSON.parse(store.evidence.text(1)!)).toEqual(evidence)
  expect(store.evidence.count()).toBe(2)
})

test('one set is attested for each project and epoch, for ever; snapshots are kept for 30 days', () => {
  const set = { setHash: 'one', projectId: 'project', epoch: 7, epochSecs: 60, snapshot: new Uint8Array([1]) }
  const attestation = { node_id: 'node', public_key: 'key', signature: 'signature' }
  store.sets.keep(set, 0)
  expect(store.sets.attest(set, attestation, 0)).toEqual({ setHash: 'one', attestation })
  const other = { ...set, setHash: 'two' }
  expect(store.sets.attest(other, { ...attestation, signature: 'other' }, 1)).toEqual({
    setHash: 'one',
    attestation,
  })
  expect(store.sets.has('one')).toBe(true)
  store.sets.keep(other, 30 * day + 1)
  expect([store.sets.has('one'), store.sets.snapshot('two')]).toEqual([false, new Uint8Array([1])])
  expect(store.sets.attested('project', 7)).toEqual({ setHash: 'one', attestation })
})

test('a set gives the length of its epoch only for its own project and epoch', () => {
  const set = { setHash: 'set', projectId: 'project', epoch: 7 }
  const snapshot = new TextEncoder().encode('{}')
  store.sets.keep({ ...set, epochSecs: 3_600, snapshot }, 1)
  expect(store.sets.epochSecs(set)).toBe(3_600)
  expect(store.sets.snapshot('set')).toEqual(snapshot)
  expect(store.sets.epochSecs({ ...set, epoch: 8 })).toBeNull()
  expect(store.sets.epochSecs({ ...set, projectId: 'another' })).toBeNull()
})

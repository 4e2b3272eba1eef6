import { describe, expect, test } from 'vitest'
import type { FinalityRecord, Task, TaskVote } from '../../../../protocol/rounds/index.ts'
import { findOffences } from './offences.ts'

const task = { project_id: '0x01', epoch: 3, consensus_hash: '0x02' } as Task
const members = (['primary', 'primary', 'backup'] as const).map((role, i) => ({
  node_key: `key ${i}`,
  role,
  subscription_id: `subscription ${i}`,
}))
const vote = (i: number, receipt_hash = 'right') => ({ public_key: `key ${i}`, receipt_hash }) as TaskVote
const finalOf = (audited: boolean, ...voters: number[]) => ({
  record: {
    receipt_hash: 'right',
    audited,
    voters: voters.map((i) => ({ public_key: `key ${i}`, payout_address: '0x' })),
  } as unknown as FinalityRecord,
  votes: [],
})

const found = (votes: TaskVote[], final: ReturnType<typeof finalOf> | null, drawn = members) =>
  findOffences({ task, members: drawn, votes, final }).map(({ kind, node_key }) => `${kind} of ${node_key}`)

describe('findOffences', () => {
  test('before a round is final, only votes that contradict each other are an offence', () => {
    expect(found([vote(0), vote(0, 'wrong'), vote(1, 'wrong')], null)).toEqual(['equivocation of key 0'])
  })

  test('a missing vote is an offence of primaries only', () => {
    expect(found([vote(0)], finalOf(false, 0))).toEqual(['missed_sla of key 1'])
  })

  test('a vote against the result is an offence only if validators ran the task themselves', () => {
    expect(found([vote(0), vote(1, 'wrong'), vote(2, 'wrong')], finalOf(true, 0))).toEqual([
      'invalid_result of key 1',
      'invalid_result of key 2',
    ])
    expect(found([vote(0), vote(1, 'wrong')], finalOf(false, 0))).toEqual([])
  })

  test('a member that voted twice is blamed only for that', () => {
    expect(found([vote(0), vote(1), vote(1, 'wrong')], finalOf(true, 0))).toEqual(['equivocation of key 1'])
  })

  test('a fallback has no members, so nobody misses a vote', () => {
    expect(found([], finalOf(true), [])).toEqual([])
  })

  test('a voter whose vote this node lacks did not miss it', () => {
    expect(found([], finalOf(false, 0, 1))).toEqual([])
  })
})

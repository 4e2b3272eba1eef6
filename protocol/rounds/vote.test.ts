import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createReceipt } from '../execution/index.ts'
import { resolveProfile } from '../identity/index.ts'
import { property } from '../testing/property.ts'
import { createExecutionVote, parseExecutionVote } from './execution-vote.ts'
import { roundText, VoteError, type VoteKind, voteText } from './round-vote.ts'

const profile = resolveProfile()
const seed = `0x${'91'.repeat(32)}`
const hash = (byte: string) => `0x${byte.repeat(32)}`
const receipt = createReceipt({
  module_address: hash('a1'),
  function: 'fold',
  input: new Uint8Array(2),
  output: new Uint8Array(3),
  events: [],
  gas_used: 7,
  success: true,
})
const content = {
  round: {
    module_address: hash('a1'),
    function: 'fold',
    input_hash: receipt.input_hash,
    gas_limit: 9,
    issued_at: 1_800_000_000,
    nonce: '7'.repeat(32),
  },
  receipt,
  payout_address: `0x${'b2'.repeat(20)}`,
}
const state = [
  { module_address: hash('a1'), pre_root: hash('c3'), pre_seq: 0, post_root: hash('d4'), post_seq: 1 },
]

describe('votes', () => {
  test('the texts of different kinds differ, so a signature is valid for one kind only', () => {
    const kinds: VoteKind[] = ['execution', 'task', 'finality', 'reward', 'epoch']
    const texts = kinds.flatMap((kind) => {
      const extra = kind === 'finality' ? { extra: hash('e5') } : {}
      const vote = { kind, round_id: 'r', receipt_hash: hash('f6'), ...extra }
      return kind === 'task'
        ? [roundText(profile, vote)]
        : [roundText(profile, vote), voteText(profile, vote)]
    })
    expect(new Set(texts).size).toBe(texts.length)
  })
})

describe('parseExecutionVote', () => {
  test.each([{}, { state }])('accepts a signed vote: %o', (given) => {
    const vote = createExecutionVote(profile, seed, { ...content, ...given })
    expect(parseExecutionVote(profile, JSON.parse(JSON.stringify(vote)))).toEqual(vote)
  })

  test('the signature covers the state', () => {
    const vote = createExecutionVote(profile, seed, { ...content, state })
    const { state: _, ...without } = vote
    for (const changed of [
      without,
      { ...vote, state: [{ ...state[0], post_seq: 2 }] },
      { ...vote, state: [] },
    ])
      expect(() => parseExecutionVote(profile, changed)).toThrowError(VoteError)
  })

  test('a state that does not ascend is refused', () => {
    const vote = createExecutionVote(profile, seed, { ...content, state })
    expect(() => parseExecutionVote(profile, { ...vote, state: [...state, ...state] })).toThrowError(
      VoteError,
    )
  })

  const vote = createExecutionVote(profile, seed, content)
  property(
    'one changed member is refused',
    [fc.constantFrom(...(Object.keys(vote) as (keyof typeof vote)[])), fc.anything()],
    (key, value) => {
      fc.pre(JSON.stringify(value) !== JSON.stringify(vote[key]))
      expect(() => parseExecutionVote(profile, { ...vote, [key]: value })).toThrowError(VoteError)
    },
  )

  test('a run of another module, or beyond the gas limit, is refused even if it is signed', () => {
    for (const change of [{ module_address: hash('00') }, { function: 'g' }, { gas_used: 10 }]) {
      const vote = createExecutionVote(profile, seed, { ...content, receipt: { ...receipt, ...change } })
      expect(() => parseExecutionVote(profile, vote)).toThrowError(VoteError)
    }
  })
})

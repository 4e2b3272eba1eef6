import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { AnswerListener } from '../../durable-objects/round/types.ts'
import { hashText } from '../../protocol/encoding/index.ts'
import { resolveProfile } from '../../protocol/identity/index.ts'
import { createFinalityVote, type FinalityVote } from '../../protocol/rounds/index.ts'
import { createNode } from '../test/callers.ts'
import { simulateRound } from '../test/final-rounds.ts'
import { ValidatorCalls } from './ask-each.ts'
import { askForFinality, type ValidatorSources } from './round-votes.ts'

const profile = resolveProfile()
const validators = Array.from({ length: 4 }, () => createNode())
const { object } = simulateRound({
  ...{ members: [], deeds: [], validators, issuedAt: 1_790_000_000 },
  fallback: { projectId: hashText('project'), consensusHash: hashText('consensus') },
})
const round = { ...object, finalityVotes: [], outcome: null }
const keys = validators.map(({ publicKey }) => publicKey)

let called: string[]
beforeEach(() => {
  called = []
  vi.useFakeTimers()
  // Nobody answers by HTTP.
  vi.stubGlobal('fetch', (target: URL, { signal }: RequestInit) => {
    called.push(target.hostname)
    return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('aborted'))))
  })
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

interface Links {
  /** How long each takes to answer; null for never. */
  readonly answerMs: number | null
  /** How long ago each answered about another round; null for never. */
  readonly heardMsAgo: number | null
  readonly isTooLarge?: boolean
}

const honest = (publicKey: string) => object.finalityVotes.find((one) => one.public_key === publicKey)!

/**
 * Asks about the round. @returns How often links were given it in `seconds`, how many validators were called by HTTP, and how
 * many votes came.
 */
async function ask(
  { answerMs, heardMsAgo, isTooLarge = false }: Links,
  seconds: number,
  voteOf: (publicKey: string) => FinalityVote = honest,
) {
  const calls = new ValidatorCalls()
  if (heardMsAgo !== null) {
    for (const key of keys) calls.heardOnLink(key)
    await vi.advanceTimersByTimeAsync(heardMsAgo)
  }
  let listener: AnswerListener | undefined
  let given = 0
  const answer = (publicKey: string) => {
    const vote = voteOf(publicKey)
    const { round_id } = vote
    const answer = isTooLarge ? { round_id, code: 'too_large' as const } : { round_id, vote, run: null }
    void listener?.(publicKey, answer)
  }
  const sources = {
    ...{ profile, calls, roundFiles: {}, rules: { coordinator: { sign: () => ({}) }, isLocal: false } },
    validators: {
      ofSet: async () => ({
        validators: keys.map((publicKey, at) => ({
          ...{ publicKey, url: `https://validator-${at}.example`, revokedAt: null },
        })),
      }),
    },
    links: (publicKey: string) => ({
      decide: async () => {
        given += 1
        if (answerMs !== null) setTimeout(answer, answerMs, publicKey)
        return true
      },
    }),
    now: async () => 1_790_000_010,
  } as unknown as ValidatorSources
  const asked = askForFinality(sources, round, '', (one) => {
    listener = one
  })
  await vi.advanceTimersByTimeAsync(1_000 * seconds)
  const found = { given, called: new Set(called).size }
  await vi.advanceTimersByTimeAsync(60_000)
  return { ...found, votes: (await asked).votes.length }
}

test('validators that answer quickly over their links are asked only once', async () => {
  expect(await ask({ answerMs: 100, heardMsAgo: null }, 3)).toEqual({ given: 4, called: 0, votes: 3 })
})

test('a validator that has just answered about other rounds gets more time, and is not called by HTTP', async () => {
  expect(await ask({ answerMs: 4_000, heardMsAgo: 1_000 }, 6)).toEqual({ given: 8, called: 0, votes: 3 })
})

test.each<[string, Links, number]>([
  ['two seconds, if it never sent anything', { answerMs: null, heardMsAgo: null }, 2],
  ['two seconds, if it sent nothing for long', { answerMs: null, heardMsAgo: 4_000 }, 2],
  [
    'two seconds, if its answer does not fit into a frame',
    { answerMs: 100, heardMsAgo: 0, isTooLarge: true },
    2,
  ],
  ['seven seconds, if all have just answered about other rounds', { answerMs: null, heardMsAgo: 0 }, 7],
])('a validator that does not answer over its link is called by HTTP after %s', async (_, links, seconds) => {
  const before = await ask(links, seconds - 0.1)
  expect(before.called).toBe(0)
  called = []
  expect((await ask(links, seconds + 0.1)).called).toBe(2)
})

test('a vote whose record has more voters than the round has seats is not kept', async () => {
  const voters = Array.from({ length: 12_000 }, (_, at) => ({
    public_key: `0x${at.toString(16).padStart(64, '0')}`,
    payout_address: `0x${'0a'.repeat(20)}`,
  }))
  const [liar] = validators
  const voteOf = (publicKey: string) => {
    const vote = honest(publicKey)
    return publicKey === liar!.publicKey
      ? createFinalityVote(profile, liar!.key, { ...vote.finality, voters })
      : vote
  }
  expect(await ask({ answerMs: 100, heardMsAgo: null }, 3, voteOf)).toMatchObject({ votes: 3 })
})

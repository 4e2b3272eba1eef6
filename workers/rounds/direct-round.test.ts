import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { StateBook } from '../../durable-objects/direct-order/state-book.ts'
import { hashText } from '../../protocol/encoding/index.ts'
import { createReceipt } from '../../protocol/execution/index.ts'
import { type DirectRound, deriveDirectRoundId, resolveProfile } from '../../protocol/identity/index.ts'
import { createExecutionVote } from '../../protocol/rounds/index.ts'
import { bytesToBase64 } from '../http/base64.ts'
import type { DirectRoundFile } from '../stores/round-files.ts'
import { createNode } from '../test/callers.ts'
import { runDirectRound } from './direct-round.ts'

const profile = resolveProfile()
const bytes = new TextEncoder().encode('hi')
const run = { module_address: hashText('module'), function: 'echo', input: bytes }
const receipt = createReceipt({ ...run, output: bytes, events: [], gas_used: 9, success: true })
const round: DirectRound = {
  ...{ module_address: run.module_address, function: run.function, input_hash: receipt.input_hash },
  ...{ gas_limit: 1_000, issued_at: 1_790_000_000, nonce: '0'.repeat(32) },
}

/** The connections that the platform opens at once; the others wait. */
const connectionsMax = 6

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

interface Faults {
  /** Which calls are never answered. */
  hangs: (index: number, path: string) => boolean
  book?: StateBook
  /** How many modules the vote of each validator names. */
  modulesOf?: (index: number) => number
}

const transition = (at: number) => ({
  module_address: `0x${at.toString(16).padStart(64, '0')}`,
  ...{ pre_root: hashText('before'), pre_seq: 0, post_root: hashText('after'), post_seq: 1 },
})

/** Runs a direct round of 20 validators. @returns With the calls that were open when it was written, and how many votes were. */
async function runWith({ hangs, book, modulesOf }: Faults) {
  const validators = Array.from({ length: 20 }, () => createNode())
  const waiting: (() => void)[] = []
  let [open, openThen, stored] = [0, -1, -1]
  vi.stubGlobal('fetch', async (target: URL, { signal }: { signal: AbortSignal }) => {
    const index = Number(target.hostname.split('.')[0]!.slice(1))
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(new Error('aborted')))
    })
    if (open >= connectionsMax) {
      const turn = new Promise<void>((resolve) => waiting.push(resolve))
      await Promise.race([turn, aborted])
    }
    open += 1
    try {
      if (hangs(index, target.pathname)) await aborted
      await Promise.race([new Promise((resolve) => setTimeout(resolve, 50)), aborted])
      const state = Array.from({ length: modulesOf?.(index) ?? 0 }, (_, at) => transition(at))
      const payout_address = `0x${'0'.repeat(40)}`
      const content = { round, receipt, payout_address, ...((book || state.length > 0) && { state }) }
      const vote = createExecutionVote(profile, validators[index]!.key, content)
      return Response.json({ output: 'hi', events: [], vote })
    } finally {
      open -= 1
      waiting.shift()?.()
    }
  })
  const generation = {
    validators: validators.map(({ publicKey }, index) => ({
      ...{ publicKey, url: `https://v${index}.example`, revokedAt: null },
    })),
  }
  const coordinator = { sign: () => ({}) }
  const sources = {
    ...{ profile, rules: { coordinator, isLocal: false }, now: async () => round.issued_at },
    validators: { at: async () => generation },
    roundFiles: {
      putDirectRound: async ({ exec_votes }: DirectRoundFile) => {
        ;[openThen, stored] = [open, exec_votes.length]
        return 1
      },
    },
    writeRounds: async () => [],
  } as unknown as Parameters<typeof runDirectRound>[0]
  const request = { roundId: deriveDirectRoundId(round), round, input: bytesToBase64(bytes) }
  const outcome = runDirectRound(sources, request, { answerMsMax: 27_000, book: book ?? null })
  await vi.advanceTimersByTimeAsync(29_000)
  return { ...(await outcome), openThen, stored }
}

test('a direct round gets its quorum while as many validators hang as an invocation has connections', async () => {
  const outcome = await runWith({ hangs: (index) => index < connectionsMax })
  expect(outcome).toMatchObject({ votes: 14, quorum: 14, result: { receipt } })
})

test('validators that hang when they are told the result do not keep it from being stored', async () => {
  const book = { touchedBy: () => [], heads: () => [], decide: () => true } as Partial<StateBook> as StateBook
  const outcome = await runWith({ hangs: (_, path) => path.startsWith('/consensus'), book })
  expect(outcome).toMatchObject({ result: { receipt }, openThen: 0 })
})

test('a vote that names thousands of modules is not stored', async () => {
  const modulesOf = (index: number) => (index === 0 ? 5_000 : 0)
  const outcome = await runWith({ hangs: (index) => index > 14, modulesOf })
  expect(outcome).toMatchObject({ votes: 14, result: { receipt }, stored: 14 })
})

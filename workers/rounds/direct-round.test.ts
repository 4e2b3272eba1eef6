import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { hashText } from '../../protocol/encoding/index.ts'
import { createReceipt } from '../../protocol/execution/index.ts'
import { type DirectRound, deriveDirectRoundId, resolveProfile } from '../../protocol/identity/index.ts'
import { createExecutionVote } from '../../protocol/rounds/index.ts'
import { bytesToBase64 } from '../http/base64.ts'
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

test('a direct round gets its quorum while as many validators hang as an invocation has connections', async () => {
  const validators = Array.from({ length: 20 }, () => createNode())
  const waiting: (() => void)[] = []
  let open = 0
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
      if (index < connectionsMax) await aborted
      await Promise.race([new Promise((resolve) => setTimeout(resolve, 50)), aborted])
      const content = { round, receipt, payout_address: `0x${'0'.repeat(40)}` }
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
  const sources = {
    ...{
      profile,
      rules: { coordinator: { sign: () => ({}) }, isLocal: false },
      now: async () => round.issued_at,
    },
    validators: { at: async () => generation },
    roundFiles: { putDirectRound: async () => 1 },
    writeRounds: async () => [],
  } as unknown as Parameters<typeof runDirectRound>[0]
  const request = { roundId: deriveDirectRoundId(round), round, input: bytesToBase64(bytes) }
  const outcome = runDirectRound(sources, request, { answerMsMax: 27_000, book: null })
  await vi.advanceTimersByTimeAsync(27_000)
  expect(await outcome).toMatchObject({ votes: 14, quorum: 14, result: { receipt } })
})

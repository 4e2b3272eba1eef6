import { describe, expect, test } from 'vitest'
import type { Attempt } from './ledger.ts'
import { replacementOf, type WaitingNonce } from './replacement.ts'
import type { SendRefusal } from './send-errors.ts'

const gwei = 10n ** 9n
const capWei = 100n * gwei
const market = { baseFeeWei: gwei, tipWei: gwei }
const marketFees = { maxFeeWei: 3n * gwei, tipWei: gwei }
const nowMs = 1_000_000
const stuckMs = 30_000

const attempt = (over: Partial<Attempt> = {}): Attempt => ({
  hash: '0x1',
  nonce: 0,
  raw: '0x',
  ...marketFees,
  signedAtMs: nowMs - stuckMs,
  accepted: false,
  noop: false,
  ...over,
})
const priced = { fees: marketFees, noop: false }
const noopAtMarket = { fees: marketFees, noop: true }
const dear = attempt({ maxFeeWei: 81n * gwei })

const replaced = (over: Partial<WaitingNonce>) =>
  replacementOf(
    { attempts: [attempt()], isFirst: true, refusal: null, isGivenUp: false, ...over },
    market,
    capWei,
    { stuckMs, nowMs },
  )

describe('the replacement of an attempt', () => {
  test('does nothing while the attempt may be mined, or no node refuses it', () => {
    expect(replaced({})).toBeNull()
    expect(replaced({ attempts: [] })).toBeNull()
    expect(replaced({ attempts: [attempt({ accepted: true, signedAtMs: nowMs - 1 })] })).toBeNull()
    expect(replaced({ attempts: [attempt({ accepted: true })], isFirst: false })).toBeNull()
  })

  test('raises the fees if the attempt is stuck or too cheap', () => {
    const raised = { fees: { maxFeeWei: expect.toSatisfy((fee) => fee > 3n * gwei) }, noop: false }
    expect(replaced({ attempts: [attempt({ accepted: true })] })).toMatchObject(raised)
    expect(replaced({ refusal: 'underpriced' })).toMatchObject(raised)
    expect(replaced({ attempts: [attempt({ maxFeeWei: gwei - 1n })] })).toMatchObject({ noop: false })
    expect(replaced({ attempts: [attempt({ maxFeeWei: capWei })], refusal: 'underpriced' })).toBeNull()
  })

  test.each<SendRefusal>(['temporary', 'insufficient_funds', 'invalid'])(
    'uses the market fees if they fell after the attempt was refused: %s',
    (refusal) => {
      for (const isFirst of [true, false])
        expect(replaced({ attempts: [dear], refusal, isFirst })).toEqual(priced)
      expect(replaced({ attempts: [{ ...dear, signedAtMs: nowMs - 1 }], refusal })).toBeNull()
      // A node took it at a lower fee, and dropped it when the base fee rose.
      const before = attempt({ accepted: true, maxFeeWei: 2n * gwei })
      expect(replaced({ attempts: [dear, before], refusal })).toEqual(priced)
    },
  )

  test('after a long time without success: lower fees first, then a noop', () => {
    const taken = [{ ...dear, accepted: true }]
    expect(replaced({ attempts: taken, refusal: 'temporary', isGivenUp: true, isFirst: false })).toEqual(
      priced,
    )
    expect(replaced({ refusal: 'temporary', isGivenUp: true })).toEqual(noopAtMarket)
    expect(replaced({ attempts: [dear], refusal: 'invalid', isGivenUp: true })).toMatchObject({ noop: true })
  })

  test('sends no noop if another nonce, higher fees or a higher balance solves the problem', () => {
    for (const refusal of ['nonce_gap', 'nonce_too_low', 'insufficient_funds', 'already_known'] as const)
      expect(replaced({ refusal, isGivenUp: true })).toBeNull()
    expect(replaced({ refusal: 'underpriced', isGivenUp: true })).toMatchObject({ noop: false })
  })

  test('replaces a noop by a noop at another price, never by the action', () => {
    const noop = { ...dear, noop: true }
    expect(replaced({ attempts: [noop], refusal: 'temporary' })).toEqual(noopAtMarket)
    const own = [attempt({ noop: true })]
    expect(replaced({ attempts: own, refusal: 'temporary', isGivenUp: true })).toBeNull()
  })
})

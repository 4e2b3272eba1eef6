import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  allowsCall,
  type SubscriptionCall,
  type SubscriptionState,
  statusAfterBond,
  statusAfterSlash,
  statusAt,
} from '../../protocol/actions/index.ts'
import type { ChainEvent } from '../chain/events.ts'
import { applyEvent, type ChainState } from '../chain/projections.ts'
import { type SubscriptionFacts, standingOf } from './subscription-standing.ts'

const owner = `0x${'0a'.repeat(20)}`
const minCollateral = 100n
const unbondingSeconds = 5

const emit = (state: ChainState | null, name: string, args: Record<string, string>, blockTime: number) =>
  applyEvent('subscription', state, {
    name,
    args,
    blockTime,
    contract: '',
    blockHash: '',
    blockNumber: 1,
    logIndex: 0,
    txHash: '',
  } satisfies ChainEvent)

/** A step in the life of a subscription: by its owner, by a slash, or by time alone. */
type Step =
  | { kind: 'bond' | 'slash'; amount: bigint }
  | { kind: 'pause' | 'resume' | 'unbond' | 'withdraw' | 'create' | 'wait' }

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constantFrom('bond' as const, 'slash' as const),
      amount: fc.bigInt({ min: 1n, max: 150n }),
    }),
    fc.record({
      kind: fc.constantFrom(
        'pause' as const,
        'resume' as const,
        'unbond' as const,
        'withdraw' as const,
        'create' as const,
        'wait' as const,
      ),
    }),
  ),
  { maxLength: 40 },
)

/** The states as the rules make one of the other. */
class Model {
  status: SubscriptionState = 'pending_collateral'
  collateral = 0n
  slashed = 0n
  releaseAt: number | null = null

  allows(call: SubscriptionCall, now: number): boolean {
    const standing = { status: this.status, release_at: this.releaseAt, pending_slashes: 0 }
    return allowsCall(standing, call, now)
  }
}

/** The same as the hub keeps it: events of the chain, and its own row. */
class Kept {
  chain: ChainState | null = null
  closings = 0
  pausedAt: number | null = null

  get facts(): SubscriptionFacts {
    const { chain, closings, pausedAt } = this
    return { chain, closings, pausedAt, minCollateral: String(minCollateral) }
  }
}

function take(step: Step, model: Model, kept: Kept, now: number): void {
  switch (step.kind) {
    case 'bond': {
      if (!model.allows('bond', now)) return
      model.collateral += step.amount
      model.status = statusAfterBond(model.status, model.collateral, minCollateral)
      const args = { owner, amount: String(step.amount), collateral: String(model.collateral) }
      kept.chain = emit(kept.chain, 'Bonded', args, now)
      return
    }
    case 'slash': {
      if (model.status === 'pending_collateral' || model.status === 'closed') return
      const amount = step.amount < model.collateral ? step.amount : model.collateral
      model.collateral -= amount
      model.slashed += amount
      model.status = statusAfterSlash(model.status, model.collateral, minCollateral)
      kept.chain = emit(kept.chain, 'SlashExecuted', { amount: String(amount) }, now)
      return
    }
    case 'unbond':
      if (!model.allows('unbond', now)) return
      model.status = 'unbonding'
      model.releaseAt = now + unbondingSeconds
      kept.chain = emit(kept.chain, 'Unbonding', { releaseAt: String(model.releaseAt) }, now)
      return
    case 'withdraw':
      if (!model.allows('withdraw', now)) return
      Object.assign(model, { status: 'closed', collateral: 0n })
      kept.chain = emit(kept.chain, 'Withdrawn', { owner, amount: '0' }, now)
      return
    case 'create':
      if (model.status !== 'closed') return
      Object.assign(model, new Model())
      kept.closings = Number(kept.chain?.closings)
      kept.pausedAt = null
      return
    case 'pause':
      if (!model.allows('pause', now)) return
      model.status = 'paused'
      kept.pausedAt = now
      return
    case 'resume':
      if (!model.allows('resume', now)) return
      model.status = 'active'
      kept.pausedAt = null
      return
    case 'wait':
  }
}

describe('standingOf', () => {
  test('property: the derived standing equals that of the rules applied step by step', () => {
    fc.assert(
      fc.property(steps, (taken) => {
        const [model, kept] = [new Model(), new Kept()]
        for (const [index, step] of taken.entries()) {
          const now = 1_000 + index
          take(step, model, kept, now)
          expect(standingOf(kept.facts, now)).toMatchObject({
            status: statusAt({ status: model.status, release_at: model.releaseAt }, now),
            collateral: String(model.collateral),
            slashedTotal: String(model.slashed),
          })
        }
      }),
      { numRuns: 500 },
    )
  })

  test('if a reorganisation moves a closing to another block, it closes the same record', () => {
    const bonded = emit(null, 'Bonded', { owner, collateral: '100' }, 1)
    const closed = (time: number) => emit(bonded, 'Withdrawn', { owner, amount: '100' }, time)
    const facts = { closings: 0, pausedAt: null, minCollateral: '100' }
    expect(standingOf({ ...facts, chain: closed(2) }, 3).status).toBe('closed')
    expect(standingOf({ ...facts, chain: bonded }, 3).status).toBe('active')
    expect(standingOf({ ...facts, chain: closed(3) }, 3).status).toBe('closed')
    expect(standingOf({ ...facts, closings: 1, chain: closed(9) }, 9).status).toBe('pending_collateral')
  })

  test('a paused and then jailed subscription is active after jail, also when a later slash does not jail', () => {
    const facts = { closings: 0, pausedAt: 2, minCollateral: '100' }
    const standing = (chain: ChainState) => standingOf({ ...facts, chain }, 6)
    const bonded = emit(null, 'Bonded', { owner, collateral: '67' }, 1)
    const jailed = emit(bonded, 'SlashExecuted', { amount: '1' }, 3)
    const free = emit(jailed, 'Bonded', { owner, collateral: '101' }, 4)
    const slashedAgain = emit(free, 'SlashExecuted', { amount: '1' }, 5)
    expect([bonded, jailed, free, slashedAgain].map((chain) => standing(chain).status)).toEqual([
      'paused',
      'jailed',
      'active',
      'active',
    ])
  })

  test('below the minimum collateral of the project it is active, and only a slash jails it', () => {
    const bonded = emit(null, 'Bonded', { owner, collateral: '1' }, 1)
    const facts = { closings: 0, pausedAt: null, minCollateral: '100' }
    expect(standingOf({ ...facts, chain: bonded }, 2).status).toBe('active')
    const slashed = emit(bonded, 'SlashExecuted', { amount: '1' }, 2)
    expect(standingOf({ ...facts, chain: slashed }, 2)).toMatchObject({ status: 'jailed', collateral: '0' })
  })
})

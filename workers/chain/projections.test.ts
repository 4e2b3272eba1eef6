import { describe, expect, test } from 'vitest'
import type { ChainEvent } from './events.ts'
import { isPostingPaused, nextPauseAt } from './pauses.ts'
import { applyEvent, type ChainState, ownerOf, type Subject, subjectsOf, vaultTerms } from './projections.ts'

const address = (byte: string) => `0x${byte.repeat(20)}`
const bytes = (byte: string) => `0x${byte.repeat(32)}`
const staking = address('c6')
const projectId = bytes('91')
const vault = address('7a')

let blocks = 0
const event = (name: string, args: Record<string, string>, contract = staking): ChainEvent => {
  blocks += 1
  return {
    blockHash: bytes('bb'),
    logIndex: 0,
    blockNumber: blocks,
    blockTime: 1_000 + blocks,
    txHash: bytes('cc'),
    contract,
    name,
    args,
  }
}

const fold = (kind: Subject['kind'], ...events: ChainEvent[]): ChainState =>
  events.reduce<ChainState | null>((state, next) => applyEvent(kind, state, next), null) ?? {}

/** What an epoch is posted with, apart from the miners' part. */
const posting = {
  epoch: '4',
  merkleRoot: bytes('06'),
  receiptHash: bytes('07'),
  developer: '0',
  treasury: '0',
  releaseAt: '3700',
}

const subscriptionId = bytes('51')
const bonded = (collateral: string) =>
  event('Bonded', {
    subscriptionId,
    owner: address('0e'),
    projectId,
    nodeKey: bytes('0e'),
    amount: '1',
    collateral,
  })

describe('a project', () => {
  const registered = event(
    'ProjectRegistered',
    {
      projectId,
      developer: address('0d'),
      slug: 's',
      worker: bytes('01'),
      consensusHash: bytes('02'),
      manifestHash: bytes('03'),
    },
    address('c3'),
  )

  test('belongs to its developer', () => {
    expect(subjectsOf(registered)).toEqual([
      { kind: 'project', id: projectId },
      { kind: 'version', id: `${projectId}:1` },
    ])
    const state = fold('project', registered)
    expect(state).toMatchObject({
      developer: address('0d'),
      slug: 's',
      version: 1,
      registered_tx: bytes('cc'),
    })
    expect(ownerOf('project', state)).toBe(address('0d'))
  })

  test('has the hashes of the version published last, and the listing status set last', () => {
    const published = event('VersionPublished', {
      projectId,
      version: '2',
      consensusHash: bytes('04'),
      manifestHash: bytes('05'),
    })
    const listed = event('ListingStatusSet', { projectId, status: '3' })
    expect(subjectsOf(listed)).toEqual([{ kind: 'project', id: projectId }])
    expect(fold('project', registered, published, listed)).toMatchObject({
      slug: 's',
      version: 2,
      consensus_hash: bytes('04'),
      manifest_hash: bytes('05'),
      listing_status: 'listed',
    })
  })

  test('keeps the hashes of each version apart', () => {
    const published = event('VersionPublished', {
      projectId,
      version: '2',
      consensusHash: bytes('04'),
      manifestHash: bytes('05'),
    })
    expect(subjectsOf(published)).toContainEqual({ kind: 'version', id: `${projectId}:2` })
    expect([registered, published].map((one) => fold('version', one))).toEqual([
      {
        project_id: projectId,
        version: 1,
        consensus_hash: bytes('02'),
        manifest_hash: bytes('03'),
        published_at: registered.blockTime,
        published_tx: bytes('cc'),
      },
      {
        project_id: projectId,
        version: 2,
        consensus_hash: bytes('04'),
        manifest_hash: bytes('05'),
        published_at: published.blockTime,
        published_tx: bytes('cc'),
      },
    ])
  })

  test("'s vault keeps its books from its creation on", () => {
    const created = event('VaultCreated', {
      projectId,
      vault,
      developer: address('0d'),
      token: address('c1'),
      epochSecs: '3600',
      epochCap: '1000',
    })
    expect(subjectsOf(created)).toEqual([{ kind: 'vault', id: vault }])
    const events = [
      created,
      event('VaultFunded', { from: address('0f'), amount: '700' }, vault),
      event('EpochPosted', { ...posting, miner: '289', developer: '5', treasury: '6' }, vault),
      event('Claimed', { epoch: '4', miner: address('0a'), amount: '120' }, vault),
      event('FeesPaid', { epoch: '4', developer: '5', treasury: '6' }, vault),
      event('VaultFunded', { from: address('0f'), amount: '1' }, vault),
      event('FundsWithdrawn', { developer: address('0d'), amount: '9' }, vault),
    ]
    expect(fold('vault', ...events)).toMatchObject({
      project_id: projectId,
      token: address('c1'),
      funded: '701',
      withdrawn: '9',
      total_paid: '131',
      reserved: '169',
    })
  })

  test("'s vault gets back what an epoch that was vetoed had set aside", () => {
    const posted = (epoch: string, miner: string) => event('EpochPosted', { ...posting, epoch, miner }, vault)
    const vetoed = event('EpochVetoed', { epoch: '4', merkleRoot: bytes('06') }, vault)
    expect(subjectsOf(vetoed)).toEqual([
      { kind: 'epoch', id: `${vault}:4` },
      { kind: 'vault', id: vault },
    ])
    expect(fold('vault', posted('4', '300'), posted('5', '50'), vetoed, posted('4', '7'))).toMatchObject({
      reserved: '57',
    })
  })

  test("'s vault has new terms from the time on that they were set for", () => {
    const terms = (from: string, epochCap: string, blockTime: number) => ({
      ...event('TermsSet', { from, epochSecs: '7200', epochCap }, vault),
      blockTime,
    })
    const created = { ...event('VaultCreated', { vault, epochSecs: '3600', epochCap: '10' }), blockTime: 50 }
    expect(subjectsOf(terms('1', '1', 1))).toEqual([{ kind: 'vault', id: vault }])
    const first = fold('vault', created, terms('100', '20', 60))
    expect(vaultTerms(first, 99)).toEqual({ from: 50, epoch_secs: 3600, epoch_cap: '10' })
    expect(vaultTerms(first, 100)).toEqual({ from: 100, epoch_secs: 7200, epoch_cap: '20' })
    const replaced = fold('vault', created, terms('100', '20', 60), terms('200', '30', 70))
    expect(vaultTerms(replaced, 100)?.epoch_cap).toBe('10')
    const second = fold('vault', created, terms('100', '20', 60), terms('200', '30', 150))
    expect([150, 200].map((time) => vaultTerms(second, time)?.epoch_cap)).toEqual(['20', '30'])
    expect(vaultTerms({}, 1)).toBe(null)
  })

  test("'s epoch says what its posting said, and when both fees are paid", () => {
    const posted = event('EpochPosted', { ...posting, miner: '9', developer: '5', treasury: '6' }, vault)
    expect(fold('epoch', posted)).toMatchObject({
      receipt_hash: bytes('07'),
      miner: '9',
      developer: '5',
      treasury: '6',
      total: '20',
      release_at: 3_700,
      fees_paid: false,
    })
    const paid = (developer: string, treasury: string) =>
      event('FeesPaid', { epoch: '4', developer, treasury }, vault)
    expect(fold('epoch', posted, paid('5', '0'))).toMatchObject({ fees_paid: false })
    expect(fold('epoch', posted, paid('5', '0'), paid('0', '6'))).toMatchObject({ fees_paid: true })
  })

  test("'s developer announces a withdrawal, which is gone once it was made", () => {
    const requested = event(
      'WithdrawalRequested',
      { amount: '9', availableAt: '500', expiresAt: '900' },
      vault,
    )
    expect(fold('vault', requested)).toMatchObject({
      withdrawal: { amount: '9', available_at: 500, expires_at: 900 },
    })
    const made = event('FundsWithdrawn', { developer: address('0d'), amount: '9' }, vault)
    expect(fold('vault', requested, made)).toMatchObject({ withdrawn: '9', withdrawal: null })
  })

  test("'s epoch may be vetoed and posted again", () => {
    const posted = (root: string) =>
      event('EpochPosted', { ...posting, merkleRoot: root, miner: '300' }, vault)
    const vetoed = event('EpochVetoed', { epoch: '4', merkleRoot: bytes('06') }, vault)
    expect(fold('epoch', posted(bytes('06')), vetoed)).toMatchObject({
      vetoed: true,
      reopened: false,
      merkle_root: bytes('06'),
    })
    const reopened = event('EpochReopened', { epoch: '4' }, vault)
    expect(subjectsOf(reopened)).toEqual([{ kind: 'epoch', id: `${vault}:4` }])
    expect(fold('epoch', posted(bytes('06')), vetoed, reopened)).toMatchObject({
      vetoed: true,
      reopened: true,
    })
    expect(fold('epoch', posted(bytes('06')), vetoed, reopened, posted(bytes('07')))).toMatchObject({
      vetoed: false,
      reopened: false,
      merkle_root: bytes('07'),
    })
  })
})

describe('a subscription', () => {
  test('is paid to its owner until a payout is set, which a top-up leaves alone', () => {
    expect(fold('subscription', bonded('5'))).toMatchObject({
      status: 'bonded',
      collateral: '5',
      payout: address('0e'),
    })
    const payout = event('PayoutSet', { subscriptionId, payout: address('0b') })
    expect(fold('subscription', bonded('5'), payout, bonded('9'))).toMatchObject({
      collateral: '9',
      payout: address('0b'),
    })
  })

  test('starts again when it is bonded after it was withdrawn', () => {
    const state = fold(
      'subscription',
      bonded('5'),
      event('PayoutSet', { subscriptionId, payout: address('0b') }),
      event('Unbonding', { subscriptionId, releaseAt: '99' }),
      event('Withdrawn', { subscriptionId, owner: address('0e'), amount: '5' }),
      bonded('2'),
    )
    expect(state).toMatchObject({
      status: 'bonded',
      collateral: '2',
      payout: address('0e'),
      release_at: null,
    })
  })

  test('loses what a slash takes', () => {
    const slash = event('SlashExecuted', { evidenceHash: bytes('e1'), subscriptionId, amount: '3' })
    expect(fold('subscription', bonded('5'), slash)).toMatchObject({ collateral: '2', slashed_total: '3' })
    expect(subjectsOf(slash)).toEqual([
      { kind: 'slash', id: bytes('e1') },
      { kind: 'subscription', id: subscriptionId },
    ])
  })
})

test('a slash goes from proposed to disputed, and to what was decided', () => {
  const args = { evidenceHash: bytes('e1'), subscriptionId, amount: '3', executableAt: '500' }
  const proposed = event('SlashProposed', args)
  expect(fold('slash', proposed)).toMatchObject({
    status: 'proposed',
    executable_at: 500,
    propose_tx: bytes('cc'),
  })
  expect(fold('slash', proposed, event('SlashDisputed', args))).toMatchObject({
    status: 'disputed',
    disputed_at: expect.any(Number),
  })
  expect(fold('slash', proposed, event('SlashCancelled', args))).toMatchObject({
    status: 'cancelled',
    amount: '3',
    resolved_at: expect.any(Number),
  })
  expect(fold('slash', proposed, event('SlashDisputed', args), event('SlashUpheld', args))).toMatchObject({
    status: 'proposed',
    outcome: 'upheld',
    disputed_at: expect.any(Number),
    resolved_at: expect.any(Number),
  })
  expect(fold('slash', proposed, event('SlashExecuted', args))).toMatchObject({ status: 'executed' })
  const voided = event('SlashVoided', args)
  expect(fold('slash', proposed, voided)).toMatchObject({ status: 'cancelled', voided_at: voided.blockTime })
})

test('applying an event leaves the state before it as it was', () => {
  const before = Object.freeze(fold('subscription', bonded('5')))
  const after = applyEvent('subscription', before, event('Unbonding', { subscriptionId, releaseAt: '9' }))
  expect(before).toMatchObject({ status: 'bonded' })
  expect(after).toMatchObject({ status: 'unbonding' })
})

test('the posting of epochs is paused for three days at most, also where a pause is taken up again', () => {
  const at = (name: string, blockTime: number) => ({ ...event(name, { account: address('a7') }), blockTime })
  const days = (count: number) => 1_000_000 + count * 86_400
  const once = fold('posting', at('Paused', days(0)))
  expect([days(0), days(3) - 1, days(3)].map((time) => isPostingPaused(once, time))).toEqual([
    true,
    true,
    false,
  ])
  const ended = fold('posting', at('Paused', days(0)), at('Unpaused', days(1)))
  expect(isPostingPaused(ended, days(1))).toBe(false)
  // One that was ended early may be taken up again until its time is over; the next one begins a day after that.
  for (const state of [once, ended])
    expect([days(2), days(3), days(4) - 1, days(4)].map((time) => nextPauseAt(state, time))).toEqual([
      null,
      days(4),
      days(4),
      null,
    ])
  expect(nextPauseAt({}, days(1))).toBeNull()
  const again = fold('posting', at('Paused', days(0)), at('Unpaused', days(1)), at('Paused', days(2)))
  expect([days(3) - 1, days(3)].map((time) => isPostingPaused(again, time))).toEqual([true, false])
  const next = fold('posting', at('Paused', days(0)), at('Paused', days(4)))
  expect([days(7) - 1, days(7)].map((time) => isPostingPaused(next, time))).toEqual([true, false])
})

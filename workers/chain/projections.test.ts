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

/** The arguments with which an epoch is posted, except the miners' part. */
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
  const hashes = { worker: bytes('01'), consensusHash: bytes('02'), manifestHash: bytes('03') }
  const first = { projectId, developer: address('0d'), slug: 's', ...hashes }
  const registered = event('ProjectRegistered', first, address('c3'))

  const next = { projectId, version: '2', consensusHash: bytes('04'), manifestHash: bytes('05') }
  const published = event('VersionPublished', next)

  test('belongs to its developer', () => {
    expect(subjectsOf(registered)).toEqual([
      { kind: 'project', id: projectId },
      { kind: 'version', id: `${projectId}:1` },
    ])
    const state = fold('project', registered)
    const developer = address('0d')
    expect(state).toMatchObject({ developer, slug: 's', version: 1, registered_tx: bytes('cc') })
    expect(ownerOf('project', state)).toBe(developer)
  })

  test('has the hashes of the version published last, and the listing status set last', () => {
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
    expect(subjectsOf(published)).toContainEqual({ kind: 'version', id: `${projectId}:2` })
    const common = { project_id: projectId, published_tx: bytes('cc') }
    const first = { version: 1, consensus_hash: bytes('02'), manifest_hash: bytes('03') }
    const second = { version: 2, consensus_hash: bytes('04'), manifest_hash: bytes('05') }
    expect(fold('version', registered)).toEqual({ ...common, ...first, published_at: registered.blockTime })
    expect(fold('version', published)).toEqual({ ...common, ...second, published_at: published.blockTime })
  })

  test('its vault sums funded, withdrawn, paid and reserved amounts', () => {
    const terms = { epochSecs: '3600', epochCap: '1000' }
    const of = { projectId, vault, developer: address('0d'), token: address('c1') }
    const created = event('VaultCreated', { ...of, ...terms })
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
    const books = { funded: '701', withdrawn: '9', total_paid: '131', reserved: '169' }
    expect(fold('vault', ...events)).toMatchObject({ project_id: projectId, token: address('c1'), ...books })
  })

  test('its vault releases the amount that a vetoed epoch had reserved', () => {
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

  test('its vault applies new terms from the time that they name', () => {
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

  test('its epoch has the amounts of the posting, and shows whether both fees are paid', () => {
    const posted = event('EpochPosted', { ...posting, miner: '9', developer: '5', treasury: '6' }, vault)
    const amounts = { miner: '9', developer: '5', treasury: '6', total: '20' }
    const facts = { receipt_hash: bytes('07'), release_at: 3_700, fees_paid: false }
    expect(fold('epoch', posted)).toMatchObject({ ...amounts, ...facts })
    const paid = (developer: string, treasury: string) =>
      event('FeesPaid', { epoch: '4', developer, treasury }, vault)
    expect(fold('epoch', posted, paid('5', '0'))).toMatchObject({ fees_paid: false })
    expect(fold('epoch', posted, paid('5', '0'), paid('0', '6'))).toMatchObject({ fees_paid: true })
  })

  test('its developer announces a withdrawal, which disappears once the withdrawal is made', () => {
    const args = { amount: '9', availableAt: '500', expiresAt: '900' }
    const requested = event('WithdrawalRequested', args, vault)
    const withdrawal = { amount: '9', available_at: 500, expires_at: 900 }
    expect(fold('vault', requested)).toMatchObject({ withdrawal })
    const made = event('FundsWithdrawn', { developer: address('0d'), amount: '9' }, vault)
    expect(fold('vault', requested, made)).toMatchObject({ withdrawn: '9', withdrawal: null })
  })

  test('its epoch can be vetoed and posted again', () => {
    const posted = (merkleRoot: string) =>
      event('EpochPosted', { ...posting, merkleRoot, miner: '300' }, vault)
    const vetoed = event('EpochVetoed', { epoch: '4', merkleRoot: bytes('06') }, vault)
    const reopened = event('EpochReopened', { epoch: '4' }, vault)
    expect(subjectsOf(reopened)).toEqual([{ kind: 'epoch', id: `${vault}:4` }])
    const history = [posted(bytes('06')), vetoed, reopened, posted(bytes('07'))]
    for (const [index, expected] of [
      { vetoed: false, reopened: false, merkle_root: bytes('06') },
      { vetoed: true, reopened: false, merkle_root: bytes('06') },
      { vetoed: true, reopened: true },
      { vetoed: false, reopened: false, merkle_root: bytes('07') },
    ].entries())
      expect(fold('epoch', ...history.slice(0, index + 1))).toMatchObject(expected)
  })
})

describe('a subscription', () => {
  test('pays its owner until a payout address is set; a top-up does not change that address', () => {
    const [owner, payout] = [address('0e'), address('0b')]
    const first = { status: 'bonded', collateral: '5', payout: owner }
    expect(fold('subscription', bonded('5'))).toMatchObject(first)
    const set = event('PayoutSet', { subscriptionId, payout })
    expect(fold('subscription', bonded('5'), set, bonded('9'))).toMatchObject({
      ...{ collateral: '9', payout, payout_at: set.blockTime },
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
    const fresh = { status: 'bonded', collateral: '2', payout: address('0e'), release_at: null }
    expect(state).toMatchObject(fresh)
  })

  test('loses the amount of an executed slash', () => {
    const slash = event('SlashExecuted', { evidenceHash: bytes('e1'), subscriptionId, amount: '3' })
    expect(fold('subscription', bonded('5'), slash)).toMatchObject({ collateral: '2', slashed_total: '3' })
    expect(subjectsOf(slash)).toEqual([
      { kind: 'slash', id: bytes('e1') },
      { kind: 'subscription', id: subscriptionId },
    ])
  })
})

test('a slash follows its events: proposed, disputed, upheld, executed, cancelled or voided', () => {
  const args = { evidenceHash: bytes('e1'), subscriptionId, amount: '3', executableAt: '500' }
  const proposed = event('SlashProposed', args)
  const after = (...names: string[]) => fold('slash', proposed, ...names.map((name) => event(name, args)))
  const [disputed_at, resolved_at] = [expect.any(Number), expect.any(Number)]
  expect(after()).toMatchObject({ status: 'proposed', executable_at: 500, propose_tx: bytes('cc') })
  expect(after('SlashDisputed')).toMatchObject({ status: 'disputed', disputed_at })
  expect(after('SlashCancelled')).toMatchObject({ status: 'cancelled', amount: '3', resolved_at })
  const upheld = { status: 'proposed', outcome: 'upheld', disputed_at, resolved_at }
  expect(after('SlashDisputed', 'SlashUpheld')).toMatchObject(upheld)
  expect(after('SlashExecuted')).toMatchObject({ status: 'executed' })
  expect(after('SlashVoided')).toMatchObject({ status: 'cancelled', voided_at: 1_000 + blocks })
})

test('applying an event does not modify the state before it', () => {
  const before = Object.freeze(fold('subscription', bonded('5')))
  const after = applyEvent('subscription', before, event('Unbonding', { subscriptionId, releaseAt: '9' }))
  expect(before).toMatchObject({ status: 'bonded' })
  expect(after).toMatchObject({ status: 'unbonding' })
})

test('posting of epochs is paused for three days at most, also if a pause is ended early and resumed', () => {
  const at = (name: string, blockTime: number) => ({ ...event(name, { account: address('a7') }), blockTime })
  const days = (count: number) => 1_000_000 + count * 86_400
  const once = fold('posting', at('Paused', days(0)))
  const paused = [days(0), days(3) - 1, days(3)].map((time) => isPostingPaused(once, time))
  expect(paused).toEqual([true, true, false])
  const ended = fold('posting', at('Paused', days(0)), at('Unpaused', days(1)))
  expect(isPostingPaused(ended, days(1))).toBe(false)
  // A pause that was ended early may be taken up again until its time is over; the next pause may begin a day after that.
  for (const state of [once, ended]) {
    const begins = [days(2), days(3), days(4) - 1, days(4)].map((time) => nextPauseAt(state, time))
    expect(begins).toEqual([null, days(4), days(4), null])
  }
  expect(nextPauseAt({}, days(1))).toBeNull()
  const again = fold('posting', at('Paused', days(0)), at('Unpaused', days(1)), at('Paused', days(2)))
  expect([days(3) - 1, days(3)].map((time) => isPostingPaused(again, time))).toEqual([true, false])
  const next = fold('posting', at('Paused', days(0)), at('Paused', days(4)))
  expect([days(7) - 1, days(7)].map((time) => isPostingPaused(next, time))).toEqual([true, false])
})

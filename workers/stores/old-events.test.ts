import { env } from 'cloudflare:workers'
import { beforeEach, expect, test } from 'vitest'
import { hashText } from '../../protocol/encoding/index.ts'
import { applyEvent, type ChainState } from '../chain/projections.ts'
import { services } from '../services.ts'
import { type Happening, IndexedHistory } from '../test/indexed-history.ts'
import { emptyTables, rowsOf } from '../test/tables.ts'
import { eventsKeptSecs } from './old-events.ts'

const { chainIndex, setCandidates, transactions } = services(env)
const start = 1_800_000_000
const vault = `0x${'ba'.repeat(20)}`
const subscriptions = [0, 1, 2].map((who) => hashText(`subscription ${who}`))

let history: IndexedHistory

beforeEach(async () => {
  await emptyTables('chain_cursor', 'chain_blocks', 'chain_events', 'chain_states', 'chain_states_before')
  await emptyTables('transactions')
  history = new IndexedHistory()
  await history.begin({ number: 0, hash: hashText('first'), timestamp: start })
})

const bonded = (who: number, collateral: number): Happening => ({
  name: 'Bonded',
  args: {
    subscriptionId: subscriptions[who] as string,
    owner: `0x${'a1'.repeat(20)}`,
    projectId: hashText('project'),
    nodeKey: hashText(`node ${who}`),
    amount: '1',
    collateral: String(collateral),
  },
})
const withdrawn = (who: number): Happening => ({
  name: 'Withdrawn',
  args: { subscriptionId: subscriptions[who] as string, account: `0x${'a1'.repeat(20)}`, amount: '1' },
})
const payoutSet = (who: number, payout: number, txHash = hashText(`payout ${payout}`)): Happening => ({
  name: 'PayoutSet',
  args: {
    subscriptionId: subscriptions[who] as string,
    payout: `0x${payout.toString(16).padStart(40, '0')}`,
  },
  txHash,
})
const funded = (txHash: string): Happening => ({
  name: 'VaultFunded',
  args: { from: `0x${'a1'.repeat(20)}`, amount: '1' },
  contract: vault,
  txHash,
})
const posted: Happening = {
  name: 'EpochPosted',
  args: {
    epoch: '1',
    merkleRoot: '0x',
    receiptHash: '0x',
    miner: '1',
    developer: '1',
    treasury: '1',
    releaseAt: '1',
  },
  contract: vault,
}

/** One block, which is final with everything before it. */
const mine = (secs: number, ...happenings: Happening[]) =>
  history.append(start + secs, happenings, history.blocks.length - 1)

const record = (txHash: string) =>
  transactions.put([
    {
      id: hashText(`action ${txHash}`),
      action: 'fund',
      owner: `0x${'a1'.repeat(20)}`,
      status: 'confirmed',
      txHash,
      error: null,
      confirmations: 1,
      createdAt: start,
      updatedAt: start,
      revision: 1,
    },
  ])

const stored = async () => {
  const results = await rowsOf<{ name: string; args: string }>(
    'SELECT name, args FROM chain_events ORDER BY block_number, log_index',
  )
  return results.map(({ name, args }) => {
    const { payout } = JSON.parse(args) as { payout?: string }
    return payout === undefined ? name : `${name} ${Number(payout)}`
  })
}

/** The states of subscriptions at a block, as committee sets are built from them. */
const statesAt = async (block: number) => {
  const states = new Map<string, ChainState>()
  for await (const { subscriptionId, event } of setCandidates.eventsUpTo(subscriptions, block))
    states.set(subscriptionId, applyEvent('subscription', states.get(subscriptionId) ?? null, event))
  return [...states].sort(([a], [b]) => (a < b ? -1 : 1))
}

test('deletes old events that are no longer needed, and keeps the rest', async () => {
  await mine(1, bonded(0, 5), payoutSet(0, 1), payoutSet(0, 2, hashText('relayed payout')), payoutSet(0, 3))
  await mine(2, funded(hashText('unknown')), funded(hashText('relayed')), posted)
  await mine(3, payoutSet(0, 4), bonded(1, 5), payoutSet(1, 5), withdrawn(1))
  await mine(5, payoutSet(0, 6), funded(hashText('recent')))
  await record(hashText('relayed'))
  await record(hashText('relayed payout'))
  // Everything is younger, or just as old.
  await mine(1 + eventsKeptSecs)
  const all = await stored()
  await chainIndex.deleteOldEvents()
  expect(await stored()).toEqual(all)

  await mine(4 + eventsKeptSecs)
  await chainIndex.deleteOldEvents()
  expect(await stored()).toEqual([
    ...['Bonded', 'PayoutSet 2', 'VaultFunded', 'EpochPosted', 'PayoutSet 4', 'Bonded', 'PayoutSet 5'],
    ...['Withdrawn', 'PayoutSet 6', 'VaultFunded'],
  ])
  const found = await transactions.find(hashText(`action ${hashText('relayed')}`))
  expect(found).toMatchObject({ hasEvents: true })

  await mine(6 + eventsKeptSecs)
  await chainIndex.deleteOldEvents()
  expect(await stored()).toEqual([
    ...['Bonded', 'PayoutSet 2', 'VaultFunded', 'EpochPosted', 'Bonded', 'PayoutSet 5', 'Withdrawn'],
    'PayoutSet 6',
  ])
})

test('keeps events that may still be rolled back, however old they are', async () => {
  await history.append(start + 1, [payoutSet(0, 1), payoutSet(0, 2)], 0)
  await history.append(start + 10 * eventsKeptSecs, [], 0)
  await chainIndex.deleteOldEvents()
  expect(await stored()).toEqual(['PayoutSet 1', 'PayoutSet 2'])
  await history.append(start + 10 * eventsKeptSecs + 1, [], 2)
  await chainIndex.deleteOldEvents()
  expect(await stored()).toEqual(['PayoutSet 2'])
})

test('beacons that a set may still use show the same subscriptions after the deletion', async () => {
  let state = 7
  const below = (limit: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return (state >>> 8) % limit
  }
  let secs = 0
  let payouts = 0
  let set = 0
  for (let round = 0; round < 40; round++) {
    secs += 1 + below(eventsKeptSecs / 4)
    const happenings = Array.from({ length: below(6) }, () => {
      const who = below(3)
      payouts += 1
      return [bonded(who, below(100)), withdrawn(who), payoutSet(who, payouts), payoutSet(who, payouts)][
        below(4)
      ] as Happening
    })
    await mine(secs, ...happenings)
    set += happenings.filter(({ name }) => name === 'PayoutSet').length
    if (round % 4 > 0) continue
    const needed = history.blocks.filter(({ timestamp }) => timestamp >= start + secs - eventsKeptSecs)
    const before = await Promise.all(needed.map(({ number }) => statesAt(number)))
    await chainIndex.deleteOldEvents()
    expect(await Promise.all(needed.map(({ number }) => statesAt(number)))).toEqual(before)
  }
  expect((await stored()).filter((text) => text.startsWith('PayoutSet')).length).toBeLessThan(set / 2)
})

test('deletes in parts, each event once', async () => {
  const many = Array.from({ length: 2_500 }, (_, i) => payoutSet(0, i + 1))
  await mine(1, ...many)
  await mine(2 + eventsKeptSecs)
  const counts: number[] = []
  for (let call = 0; call < 3; call++) {
    await chainIndex.deleteOldEvents()
    counts.push((await stored()).length)
  }
  expect(counts).toEqual([501, 1, 1])
})

import { env } from 'cloudflare:workers'
import { encodeEventTopics, type Hex, keccak256, pad, toHex } from 'viem'
import { beforeEach, describe, expect, test } from 'vitest'
import { projectVaultAbi, stakingAbi } from '../../contracts/generated/contracts.ts'
import type { Header, Log } from '../../durable-objects/indexer/chain.ts'
import type { Cursor } from '../../durable-objects/indexer/index-store.ts'
import { defaultNetworkParams } from '../../protocol/identity/index.ts'
import { ChainIndexStore } from '../stores/chain-index.ts'
import { openDatabase } from '../stores/database.ts'
import { scalarOf } from '../test/tables.ts'
import { createIndexStore } from './index-store.ts'

const address = (byte: string): Hex => `0x${byte.repeat(20)}`
const contracts = {
  token: address('c0'),
  faucet: address('c1'),
  project_registry: address('c2'),
  vault_factory: address('c3'),
  vault_implementation: address('c4'),
  staking: address('c5'),
  treasury: address('c6'),
}
const subscriptionId = keccak256('0x51')

/** The local database takes any value; a deployed one takes two megabytes. */
const limited = new Proxy(env.DB, {
  get(db, name) {
    if (name !== 'prepare') return (Reflect.get(db, name) as (...args: unknown[]) => unknown).bind(db)
    return (text: string) => {
      const statement = db.prepare(text)
      const bind = statement.bind.bind(statement)
      return Object.assign(statement, {
        bind: (...values: unknown[]) => {
          if (values.some((value) => String(value).length > 2_000_000)) throw new Error('too big')
          return bind(...values)
        },
      })
    }
  },
})
const store = new ChainIndexStore(openDatabase(limited), 128, defaultNetworkParams)
const index = createIndexStore(store, contracts)

/** Thousands of logs name the same block. */
const hashes = new Map<number, Hex>()
function hashAt(number: number): Hex {
  const hash = hashes.get(number) ?? keccak256(toHex(number))
  hashes.set(number, hash)
  return hash
}

const blockAt = (number: number): Header => ({
  number,
  hash: hashAt(number),
  parentHash: hashAt(Math.max(0, number - 1)),
  timestamp: number,
  logsBloom: '0x',
})

const logAt = (number: number, logIndex: number, from: string, topics: unknown, data: Hex): Log => ({
  blockNumber: number,
  blockHash: hashAt(number),
  logIndex,
  transactionHash: hashAt(number),
  address: from,
  topics: topics as string[],
  data,
})

const payoutSetTopics = encodeEventTopics({
  abi: stakingAbi,
  eventName: 'PayoutSet',
  args: { subscriptionId },
})
/** In a transaction of its own. */
const payoutSet = (number: number, logIndex: number): Log => ({
  ...logAt(number, logIndex, contracts.staking, payoutSetTopics, toHex(logIndex, { size: 32 })),
  transactionHash: toHex(number * 100_000 + logIndex, { size: 32 }),
})

const claimedTopics = encodeEventTopics({
  abi: projectVaultAbi,
  eventName: 'Claimed',
  args: { epoch: 1n, miner: address('a1') },
})
const claimedElsewhere = (number: number, logIndex: number): Log =>
  logAt(number, logIndex, address('ee'), claimedTopics, toHex(logIndex, { size: 32 }))

const append = async (number: number, logs: Log[], final = 0) =>
  index.append((await store.cursor()) as Cursor, [blockAt(number)], logs, blockAt(final), false)

const count = (table: string) => scalarOf<number>(`SELECT count(*) AS n FROM ${table}`)

describe('the chain index', () => {
  beforeEach(async () => {
    const tables = ['chain_cursor', 'chain_events', 'chain_states', 'chain_states_before', 'chain_blocks']
    await env.DB.batch(tables.map((table) => env.DB.prepare(`DELETE FROM ${table}`)))
    await store.begin(blockAt(0), {})
  })

  test('keeps the largest lead of a block timestamp over the local clock', async () => {
    const appendAhead = async (number: number, seconds: number) => {
      const timestamp = Math.floor(Date.now() / 1000) + seconds
      await index.append(
        (await store.cursor()) as Cursor,
        [{ ...blockAt(number), timestamp }],
        [],
        blockAt(0),
        false,
      )
      return store.leadSecs()
    }
    expect(await store.leadSecs()).toBe(0)
    expect(await appendAhead(1, -5_000)).toBe(0)
    const lead = await appendAhead(2, 7_200)
    expect(lead).toBeGreaterThan(7_100)
    expect(lead).toBeLessThanOrEqual(7_200)
    expect(await appendAhead(3, 3_600)).toBe(lead)
    await store.rollback((await store.cursor()) as Cursor, blockAt(1))
    expect(await store.leadSecs()).toBe(lead)
  })

  // As many events as a loop of calls can emit with the gas of one block.
  test('applies a block full of events of one account, and rolls it back', async () => {
    await append(1, [payoutSet(1, 0)])
    const before = await store.state('subscription', subscriptionId)
    const logs = Array.from({ length: 15_000 }, (_, index) => payoutSet(2, index))
    expect(await append(2, logs)).toBe('done')
    expect(await count('chain_events')).toBe(15_001)
    expect(await store.state('subscription', subscriptionId)).toEqual({
      payout: toHex(14_999, { size: 20 }),
      payout_at: 2,
    })
    await store.rollback((await store.cursor()) as Cursor, blockAt(1))
    expect(await store.state('subscription', subscriptionId)).toEqual(before)
    expect(await count('chain_events')).toBe(1)
  })

  test('stores one row for a transaction that sets a payout address in a loop, and confirms its logs', async () => {
    await append(1, [payoutSet(1, 0)])
    const transactionHash = keccak256('0x100b')
    const logs = Array.from({ length: 9_000 }, (_, index) => ({ ...payoutSet(2, index), transactionHash }))
    await append(2, [...logs, payoutSet(2, 9_000)])
    expect(await count('chain_events')).toBe(3)
    expect(await store.state('subscription', subscriptionId)).toEqual({
      payout: toHex(9_000, { size: 20 }),
      payout_at: 2,
    })
    expect(await index.differing(1, 2, [payoutSet(1, 0), ...logs, payoutSet(2, 9_000)])).toEqual([])
    expect(await index.differing(1, 2, [payoutSet(1, 0), ...logs.slice(1), payoutSet(2, 9_000)])).toEqual([2])
  })

  test('rolls back several blocks to the state before them, and keeps no earlier states of final blocks', async () => {
    const payout = async () => (await store.state('subscription', subscriptionId))?.payout
    for (const number of [1, 2, 3, 4]) await append(number, [payoutSet(number, 0), payoutSet(number, number)])
    expect(await count('chain_states_before')).toBe(4)
    await store.rollback((await store.cursor()) as Cursor, blockAt(2))
    expect(await payout()).toBe(toHex(2, { size: 20 }))
    await append(3, [payoutSet(3, 7)], 2)
    expect([await payout(), await count('chain_states_before')]).toEqual([toHex(7, { size: 20 }), 1])
    await store.rollback((await store.cursor()) as Cursor, blockAt(2))
    expect([await payout(), await count('chain_states_before')]).toEqual([toHex(2, { size: 20 }), 0])
  })

  test('states match their events after any sequence of appended and rolled back blocks', async () => {
    const subjects = [1, 2, 3].map((who) => keccak256(toHex(who)))
    const topics = subjects.map((subject) =>
      encodeEventTopics({ abi: stakingAbi, eventName: 'PayoutSet', args: { subscriptionId: subject } }),
    )
    let seed = 11
    const below = (limit: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
      return (seed >>> 8) % limit
    }
    /** The payout addresses that each block sets, by index of the subscription. The last blocks are replaced. */
    const blocks: { header: Header; payouts: [who: number, payout: Hex][] }[] = []
    const headerAt = (number: number) => blocks[number - 1]?.header ?? blockAt(0)
    let final = 0
    for (let round = 0; round < 60; round++) {
      const tip = (await store.cursor()) as Cursor
      if (below(3) === 0) {
        blocks.splice(final + below(blocks.length - final + 1))
        expect(await store.rollback(tip, headerAt(blocks.length))).toBe('done')
      } else {
        const first = blocks.length
        for (let grown = below(4); grown >= 0; grown--) {
          const number = blocks.length + 1
          const hash = keccak256(toHex(`${round} ${number}`))
          const header = { ...blockAt(number), hash, parentHash: headerAt(number - 1).hash }
          const payouts = Array.from({ length: below(4) }, (): [number, Hex] => [
            below(3),
            toHex(below(1_000_000), { size: 20 }),
          ])
          blocks.push({ header, payouts })
        }
        final = Math.max(final, blocks.length - 8)
        const added = blocks.slice(first)
        const logs = added.flatMap(({ header: { number, hash }, payouts }) =>
          payouts.map(([who, payout], logIndex) => ({
            ...logAt(number, logIndex, contracts.staking, topics[who], pad(payout)),
            blockHash: hash,
            transactionHash: keccak256(toHex(`${number} ${logIndex}`)),
          })),
        )
        const headers = added.map(({ header }) => header)
        expect(await index.append(tip, headers, logs, headerAt(final), false)).toBe('done')
      }
      for (const [who, subject] of subjects.entries()) {
        const last = blocks.flatMap(({ payouts }) => payouts).findLast(([whose]) => whose === who)
        expect((await store.state('subscription', subject))?.payout).toBe(last?.[1])
      }
      expect(await count('chain_events')).toBe(blocks.flatMap(({ payouts }) => payouts).length)
      expect(await count(`chain_states_before WHERE block_number <= ${final}`)).toBe(0)
    }
  })

  test('ignores a block full of look-alike events of other contracts', async () => {
    expect(
      await append(
        1,
        Array.from({ length: 24_000 }, (_, index) => claimedElsewhere(1, index)),
      ),
    ).toBe('done')
    expect(await count('chain_events')).toBe(0)
  })
})

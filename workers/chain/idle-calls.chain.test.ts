import { createScheduledController, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { FakeChain } from '../../durable-objects/testing/fake-chain.ts'
import { relayRequest } from '../../durable-objects/testing/relay-request.ts'
import { freshRelayerObject } from '../../durable-objects/testing/relayer-object.ts'
import hub from '../index.ts'
import { createRelayer } from '../relayer/object.ts'
import { AuditBlocks } from '../rounds/audit-blocks.ts'
import { services } from '../services.ts'
import { createIndexer } from './indexer-object.ts'

const blockSecs = 12
/** Far ahead, so that no alarm comes by itself. */
const genesisSecs = 4_000_000_000
/** Each test goes on where the one before left the index. */
let startSecs = genesisSecs + 100 * blockSecs

let chain: FakeChain
beforeEach(() => {
  chain = new FakeChain().install()
  startSecs += 3_600
  chain.timeOf = (number) => genesisSecs + number * blockSecs
  // Two epochs of the chain behind.
  chain.finalOf = (head) => (Math.floor(head / 32) - 2) * 32
  vi.useFakeTimers({ toFake: ['Date'], now: startSecs * 1000 })
})
afterEach(() => vi.useRealTimers())

const blockAt = (ms: number): number => Math.floor((ms / 1000 - genesisSecs) / blockSecs)
const runSchedule = () => hub.scheduled(createScheduledController(), env)

/** The calls in each of ten minutes. A block comes every 12 s, and the node shows it `delayMs` after its timestamp. */
async function callsOfMinutes(
  delayMs: number,
  isEvicted: boolean,
  nodes = 'http://chain.test',
): Promise<number[]> {
  const minutes: number[] = Array(10).fill(0)
  let now = startSecs * 1000
  let from = now
  chain.head = blockAt(now - delayMs)
  const counted = { ...env, CHAIN_BLOCK_SECS: String(blockSecs), CHAIN_RPC_URL: nodes }
  await runInDurableObject(env.CHAIN_INDEXER.getByName('31337'), async (_, state) => {
    let indexer = createIndexer(state, counted)
    const client = services(env).chain
    if (client === null) throw new Error('the hub has no chain')
    const rounds = new AuditBlocks(client, () => indexer.newest(), blockSecs * 1000)
    for (let alarms = 0; alarms < 10; alarms++) await indexer.alarm()
    from = (await state.storage.getAlarm()) as number
    chain.onCall = () => {
      const minute = Math.floor((now - from) / 60_000)
      minutes[minute] = (minutes[minute] ?? 0) + 1
    }
    let scheduledMs = from
    for (now = from; now < from + 600_000; now = (await state.storage.getAlarm()) as number) {
      vi.setSystemTime(now)
      chain.head = blockAt(now - delayMs)
      if (isEvicted) indexer = createIndexer(state, counted)
      await indexer.alarm()
      expect(await indexer.status()).toMatchObject({ state: 'ok', lagSecs: 0, indexedBlock: chain.head })
      // A round that was agreed just now waits for the next block, and one before has its block.
      expect(await rounds.find(chain.timeOf(chain.head))).toBeNull()
      vi.setSystemTime(now + 1_000)
      expect((await rounds.find(chain.timeOf(chain.head) - 1))?.number).toBe(chain.head)
      if (now >= scheduledMs) {
        await runSchedule()
        scheduledMs += 60_000
      }
    }
  })
  return minutes
}

test.each([
  ['', 1_000, false],
  [' whose node is late with every block', 4_000, false],
  [' while the object is evicted after every alarm', 1_000, true],
])(
  'indexer, relayer and waiting rounds together make at most 25 calls in an idle minute, on a busy chain%s',
  async (_, delayMs, isEvicted) => {
    chain.fullBlooms = true
    // The relayer has something final to watch.
    await services(env).relayer?.relay(relayRequest())
    chain.mine()
    const minutes = await callsOfMinutes(delayMs, isEvicted)
    expect(Math.max(...minutes)).toBeLessThanOrEqual(25)
    expect(Math.min(...minutes)).toBeGreaterThan(5)
  },
)

/** The calls of a relayer in each of ten minutes in which people and monitors ask for the status all the time. */
async function callsOfStatus(CHAIN_RPC_URL: string): Promise<number[]> {
  const minutes: number[] = []
  await runInDurableObject(await freshRelayerObject(), async (_, state) => {
    const watched = createRelayer(state, { ...env, CHAIN_BLOCK_SECS: String(blockSecs), CHAIN_RPC_URL })
    await watched.health()
    for (let minute = 0; minute < 10; minute++) {
      let calls = 0
      chain.onCall = () => calls++
      for (let asked = 0; asked < 60; asked++) {
        vi.setSystemTime(Date.now() + 1_000)
        expect(await watched.health()).toMatchObject({ status: 'ok' })
      }
      minutes.push(calls)
    }
  })
  return minutes
}

test('with two nodes and a status request every second, ten idle minutes need at most 25 calls each on average', async () => {
  const nodes = 'http://one.test,http://two.test'
  const followed = await callsOfMinutes(1_000, false, nodes)
  const watched = await callsOfStatus(nodes)
  const sum = (calls: readonly number[]) => calls.reduce((all, one) => all + one, 0)
  expect(sum([...followed, ...watched]) / 10).toBeLessThanOrEqual(25)
})

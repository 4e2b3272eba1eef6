import { expect, onTestFinished, test, vi } from 'vitest'
import { temporaryFolder } from '../../../../testing/node/folders.ts'
import type { Executor } from '../execution/executor.ts'
import { createLog } from '../log.ts'
import { withholdVotesBefore } from '../slashing-protection/votes.ts'
import { openServeStore } from '../store/index.ts'
import type { MinerMetrics } from './miner-metrics.ts'
import { OfferDesk } from './offer-desk.ts'

test('on a copy of a data directory, the node offers no slots until it may vote again', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const store = openServeStore(temporaryFolder())
  onTestFinished(() => store.close())
  const now = () => Math.floor(Date.now() / 1000)
  const until = now() + 300
  withholdVotesBefore(store.facts, until)
  const announced: number[] = []
  const desk: OfferDesk = new OfferDesk({
    ...{ workers: 2, store, clock: { now }, log: createLog('json', 'error', () => {}) },
    identity: { nodeId: '', publicKey: '' },
    executor: {} as Executor,
    metrics: {} as MinerMetrics,
    check: () => Promise.reject(new Error('nothing is offered')),
    link: { send: () => true, announce: () => announced.push(desk.slots), now },
  })
  expect([desk.slots, desk.withheldUntil]).toEqual([0, until])
  vi.advanceTimersByTime(295_000)
  expect([desk.slots, announced]).toEqual([0, []])
  vi.advanceTimersByTime(10_000)
  expect([desk.slots, desk.withheldUntil, announced]).toEqual([2, null, [2]])
})

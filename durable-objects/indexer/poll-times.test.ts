import { expect, test } from 'vitest'
import { nextPoll } from './poll-times.ts'

const blockMs = 12_000

/** The times of all polls of an hour, of a node that shows each block `delayMs` after its timestamp; some slots have no block. */
function pollsOfAnHour(delayMs: number, isMissed: (slot: number) => boolean = () => false) {
  const slotMs = (slot: number) => 1_700_000_000_000 + slot * blockMs
  const newestAt = (nowMs: number) => {
    let slot = Math.floor((nowMs - delayMs - slotMs(0)) / blockMs)
    while (isMissed(slot)) slot -= 1
    return { timestamp: slotMs(slot) / 1000 }
  }
  const polls: { atMs: number; lateMs: number | null }[] = []
  let newest = newestAt(slotMs(0))
  for (let atMs = slotMs(0); atMs < slotMs(300); ) {
    const found = newestAt(atMs)
    const isNew = found.timestamp !== newest.timestamp
    polls.push({ atMs, lateMs: isNew ? atMs - found.timestamp * 1000 - delayMs : null })
    newest = found
    atMs = nextPoll(atMs, blockMs, newest, isNew)
  }
  return polls
}

test.each([
  ['that has each block soon', 800, 5.1, 2_200],
  ['that has each block late', 4_000, 10.1, 2_000],
  ['that has each block very late', 7_000, 10.1, 8_000],
])(
  'a node %s is polled at most the given times a minute, and its blocks are seen within the given time',
  (_, delayMs, aMinute, lateMs) => {
    const polls = pollsOfAnHour(delayMs)
    expect(polls.length / 60).toBeLessThanOrEqual(aMinute)
    expect(Math.max(...polls.map((poll) => poll.lateMs ?? 0))).toBeLessThanOrEqual(lateMs)
  },
)

test('each slot without a block costs one more poll', () => {
  const missed = pollsOfAnHour(800, (slot) => slot % 10 === 3)
  expect(missed.length).toBeLessThanOrEqual(pollsOfAnHour(800).length + 31)
})

test('a chain whose clock was moved, or which has no block yet, is polled once per block time', () => {
  const nowMs = 1_700_000_000_123
  for (const timestamp of [0, 1_700_000_000, 4_000_000_000]) {
    const next = nextPoll(nowMs, 500, { timestamp }, true)
    expect(next).toBeGreaterThan(nowMs)
    expect(next).toBeLessThanOrEqual(nowMs + 500)
  }
  expect(nextPoll(nowMs, 500, null, false)).toBe(nowMs + 500)
})

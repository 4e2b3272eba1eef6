import { expect, test } from 'vitest'
import { type Load, Portions, portionSecs, roomOf, turnAfter } from './rules.ts'

const idle: Load = {
  ...{ isSlow: false, failingSince: null, earliestDue: null },
  ...{ pending: 0, underWay: 0, pendingOfOwner: 0, underWayOfOwner: 0 },
}

test.each<[string, Partial<Load>, number]>([
  ['no delivery is pending', {}, 20],
  ['its wallet has 45 in flight', { underWayOfOwner: 45 }, 5],
  ['its wallet has more in flight than allowed', { underWayOfOwner: 60 }, 0],
  ['its wallet has 493 pending', { pendingOfOwner: 493 }, 7],
  ['it is slow', { isSlow: true }, 5],
  ['it is slow, and has three in flight', { isSlow: true, underWay: 3 }, 2],
  ['it fails', { failingSince: 1 }, 10],
  ['it fails, and has nine pending', { failingSince: 1, pending: 9 }, 1],
])('the free capacity of a webhook if %s', (_, load, room) => {
  expect(roomOf({ ...idle, ...load })).toBe(room)
})

test.each<[string, Partial<Load>, number]>([
  ['others are in flight', {}, 110],
  ['it fails, and retries in a minute', { failingSince: 1, pending: 10, earliestDue: 160 }, 160],
  ['it fails, and retries in hours', { failingSince: 1, pending: 10, earliestDue: 20_000 }, 1_000],
  ['it fails, and retries now', { failingSince: 1, pending: 10, earliestDue: 90 }, 110],
])('the next turn of a webhook if %s', (_, load, at) => {
  expect(turnAfter({ ...idle, ...load }, 100)).toBe(at)
})

test('each wallet gets its own portion, until the hub has created enough deliveries', () => {
  const portions = new Portions()
  expect(portions.left('ada', 100)).toBe(20)
  portions.note('ada', 15)
  expect([portions.left('ada', 101), portions.left('bob', 101)]).toEqual([5, 20])
  for (const other of ['b', 'c', 'd', 'e']) portions.note(other, 20)
  expect([portions.left('ada', 101), portions.left('bob', 101)]).toEqual([5, 5])
  portions.note('ada', 5)
  expect(portions.left('bob', 101)).toBeNull()
  expect(portions.left('ada', 100 + portionSecs)).toBe(20)
})

import { expect, test } from 'vitest'
import { type Load, Portions, portionSecs, roomOf, turnAfter } from './rules.ts'

const idle: Load = {
  ...{ isSlow: false, failingSince: null, earliestDue: null },
  ...{ pending: 0, underWay: 0, pendingOfOwner: 0, underWayOfOwner: 0 },
}

test.each<[string, Partial<Load>, number]>([
  ['nothing is open', {}, 20],
  ['its wallet has 45 under way', { underWayOfOwner: 45 }, 5],
  ['its wallet has more under way than one may', { underWayOfOwner: 60 }, 0],
  ['its wallet has 493 open', { pendingOfOwner: 493 }, 7],
  ['it is slow', { isSlow: true }, 5],
  ['it is slow, and has three under way', { isSlow: true, underWay: 3 }, 2],
  ['it fails', { failingSince: 1 }, 10],
  ['it fails, and has nine open', { failingSince: 1, pending: 9 }, 1],
])('room where %s', (_, load, room) => {
  expect(roomOf({ ...idle, ...load })).toBe(room)
})

test.each<[string, Partial<Load>, number]>([
  ['others are under way', {}, 110],
  ['it fails, and tries in a minute', { failingSince: 1, pending: 10, earliestDue: 160 }, 160],
  ['it fails, and tries in hours', { failingSince: 1, pending: 10, earliestDue: 20_000 }, 1_000],
  ['it fails, and tries now', { failingSince: 1, pending: 10, earliestDue: 90 }, 110],
])('the next turn where %s', (_, load, at) => {
  expect(turnAfter({ ...idle, ...load }, 100)).toBe(at)
})

test('wallets get portions of their own, until the hub has made enough', () => {
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

import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../../testing/node/folders.ts'
import { hubContactStore } from './hub-contact.ts'
import { openServeStore } from './index.ts'

test('a pause or a start of the node ends a span of contact, and a leap of network time does not', () => {
  const { db } = openServeStore(temporaryFolder())
  let ms = 0
  const contact = hubContactStore(db, () => ms)
  expect(contact.covers(1000, 1000)).toBe('no')
  contact.heard(1000)
  expect(contact.covers(999, 1000)).toBe('no')
  expect(contact.covers(1000, 1010)).toBe('not_yet')
  ms += 30_000
  contact.heard(1030)
  expect(contact.covers(1000, 1010)).toBe('yes')

  ms += 30_000
  contact.heard(9000)
  expect(contact.covers(1020, 8000)).toBe('yes')
  const before = contact.span()

  ms += 76_000
  expect(contact.covers(8990, 9010)).toBe('not_yet')
  contact.heard(9076)
  expect(contact.covers(8990, 9010)).toBe('no')
  expect(contact.span()).toBeGreaterThan(before!)
  expect(contact.covers(9076, 9077)).toBe('not_yet')

  const restarted = hubContactStore(db, () => ms)
  expect(restarted.covers(9076, 9077)).toBe('no')
  restarted.heard(9080)
  expect(restarted.covers(9076, 9081)).toBe('no')
  expect(restarted.covers(1000, 9000)).toBe('yes')
})

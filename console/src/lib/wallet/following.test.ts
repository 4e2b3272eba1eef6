import { expect, test } from 'vitest'
import { refusalOf } from '../../../../sdk/errors.ts'
import type { Transaction } from '../hub.ts'
import { arrived, type Followed, follow, followMs, isUnknown } from './following.ts'

const answer = (status: number, error: 'not_found' | 'unavailable') =>
  refusalOf({ operation: 'GET /', status, body: { error, message: 'No.', request_id: 'r' } })
const absent = () => Promise.reject(answer(404, 'not_found'))
const transaction = { id: '0x1', status: 'queued', indexed: false } as Transaction

test('an action counts as unknown after five answers 404, and as known if it arrives later', async () => {
  let read: Followed | undefined
  for (let asked = 1; asked <= 5; asked++) {
    expect(isUnknown(read)).toBe(false)
    read = await follow(absent, read)
    expect(arrived(read)).toBeUndefined()
  }
  expect(isUnknown(read)).toBe(true)
  read = await follow(async () => transaction, read)
  expect(isUnknown(read)).toBe(false)
  expect(arrived(read)).toBe(transaction)
})

test('a transaction that the hub knew never counts as unknown, and other errors do not count as 404', async () => {
  await expect(follow(absent, transaction)).rejects.toMatchObject({ status: 404 })
  await expect(
    follow(() => Promise.reject(answer(503, 'unavailable')), { missing: 4 }),
  ).rejects.toMatchObject({ status: 503 })
})

test('an open action is read every second, seldom after a minute, and not once it is over or unknown', () => {
  const of = (facts: object) => ({ ...transaction, ...facts }) as Transaction
  const [sent, minute] = [of({ status: 'sent' }), 60_000]
  expect([undefined, transaction, sent].map((read) => followMs(read, false, minute - 1))).toEqual([
    1_000, 1_000, 1_000,
  ])
  expect([{ missing: 1 }, { missing: 4 }].map((read) => followMs(read, false, 0))).toEqual([3_000, 3_000])
  expect(followMs(sent, true, 0)).toBe(3_000)
  expect([undefined, sent, { missing: 1 }].map((read) => followMs(read, true, minute))).toEqual([
    10_000, 10_000, 10_000,
  ])
  const ended = [{ missing: 5 }, of({ indexed: true }), of({ status: 'reverted' }), of({ status: 'failed' })]
  expect(ended.map((read) => followMs(read, true, 0))).toEqual([false, false, false, false])
})

import { expect, test } from 'vitest'
import { refusalOf } from '../../../../sdk/errors.ts'
import type { Transaction } from '../hub.ts'
import { arrived, type Followed, follow, isUnknown } from './following.ts'

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

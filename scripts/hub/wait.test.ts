import { expect, test } from 'vitest'
import { HubError } from '../../sdk/errors.ts'
import { waitFor } from './wait.ts'

test('reads until a value meets the condition, and returns this value', async () => {
  const values = ['queued', 'sent', 'confirmed', 'later']
  const read = async () => values.shift()
  expect(await waitFor('a transaction', read, (value) => value === 'confirmed')).toBe('confirmed')
  expect(values).toEqual(['later'])
})

test('fails at the deadline, and names the expected object and the last state', async () => {
  const waited = waitFor(
    'a transaction',
    async () => ({ status: 'queued' }),
    () => false,
    1,
  )
  await expect(waited).rejects.toThrow(HubError)
  await expect(waited).rejects.toThrow('s for a transaction. The last state: {"status":"queued"}')
})

test('ends at once when reading fails', async () => {
  const read = () => Promise.reject(new Error('no hub'))
  await expect(waitFor('a transaction', read, () => false)).rejects.toThrow('no hub')
})

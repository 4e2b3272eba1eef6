import { expect, test } from 'vitest'
import { claimAll } from './claiming.ts'

/** A hub with so many vaults, which claims from two of them at a time. */
function createHub(vaults: number) {
  let left = vaults
  const told: number[][] = []
  const claim = async () => {
    const items = Array.from({ length: Math.min(2, left) }, () => left--)
    return { items, more: left > 0 }
  }
  return { told, run: () => claimAll(claim, (items) => told.push([...items])) }
}

test('a claim is repeated while the hub says that more is left', async () => {
  const { told, run } = createHub(5)
  expect(await run()).toBe(false)
  expect(told).toEqual([[5, 4], [3, 2], [1]])
})

test('one click sends few requests and says that more is left', async () => {
  const { told, run } = createHub(14)
  expect([await run(), told.length]).toEqual([true, 5])
  expect([await run(), told.length]).toEqual([false, 7])
})

test('the claims before a failed request are told', async () => {
  const told: number[] = []
  let requests = 0
  const claim = async () => {
    if (requests++ === 1) throw new Error('The hub is away.')
    return { items: [requests], more: true }
  }
  await expect(claimAll(claim, (items) => told.push(...items))).rejects.toThrow('away')
  expect(told).toEqual([1])
})

import { env } from 'cloudflare:workers'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { HubContext } from '../context.ts'
import { type Charge, giveBack, pay } from './allowances.ts'

const request = () => ({ env, executionCtx: { waitUntil: () => {} }, var: {} }) as unknown as HubContext
const charge: Charge = { key: 'execute_gas:given-back', limit: 10, windowSeconds: 60, amount: 10 }
const isRefused = async (c: HubContext) => (await pay(c, [charge])).refused

test('a request gets back what it paid in the running window, and nothing of an earlier one', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const [first, second, third] = [request(), request(), request()]
  expect(await isRefused(first)).toBe(false)
  vi.setSystemTime(Date.now() + 60_001)
  expect([await isRefused(second), await isRefused(third)]).toEqual([false, true])
  giveBack(first, charge)
  giveBack(third, charge)
  expect(await isRefused(third)).toBe(true)
  giveBack(second, charge)
  expect(await isRefused(third)).toBe(false)
})

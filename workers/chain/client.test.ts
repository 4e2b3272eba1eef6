import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createServices } from '../services.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

test('a call to the chain times out after CHAIN_TIMEOUT_MS', async () => {
  vi.spyOn(globalThis, 'fetch').mockImplementation(
    (_, init) =>
      new Promise((_, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))
      }),
  )
  for (const ms of [200, 20_000]) {
    const { chain } = createServices({
      ...env,
      CHAIN_RPC_URL: 'http://chain.test',
      CHAIN_TIMEOUT_MS: String(ms),
    })
    const ended = vi.fn()
    const asked = chain!.latestBlock().catch(ended)
    await vi.advanceTimersByTimeAsync(ms - 10)
    expect(ended).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(10)
    await asked
    expect(ended).toHaveBeenCalledWith(expect.objectContaining({ name: 'RpcUnreachable' }))
  }
})

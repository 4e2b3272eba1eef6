import { expect, onTestFinished, test, vi } from 'vitest'
import type { Descriptor } from '../hub.ts'
import { openWallet } from './wallets.ts'

test('a wallet that announces itself after the request is found', async () => {
  const window = new EventTarget()
  vi.stubGlobal('window', window)
  onTestFinished(() => void vi.unstubAllGlobals())
  const provider = { request: async () => ['0xAB'] }
  const info = { uuid: 'u', name: 'Late', rdns: 'late.wallet', icon: '' }
  const opened = openWallet('0xab', { kind: 'browser', rdns: info.rdns, name: info.name }, {
    chain: { id: 31337 },
  } as Descriptor)
  await Promise.resolve()
  window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: { info, provider } }))
  expect((await opened).address).toBe('0xab')
})

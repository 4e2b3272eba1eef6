import { expect, onTestFinished, test, vi } from 'vitest'
import type { Descriptor } from '../hub.ts'
import type { Sent } from './mined.ts'
import { openSender, openWallet } from './wallets.ts'

/** Has the browser announce a wallet when the page asks for wallets. */
async function announce<T>(rdns: string, provider: object, opens: () => Promise<T>): Promise<T> {
  const window = new EventTarget()
  vi.stubGlobal('window', window)
  onTestFinished(() => void vi.unstubAllGlobals())
  const info = { uuid: 'u', name: 'Late', rdns, icon: '' }
  const opened = opens()
  await Promise.resolve()
  window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: { info, provider } }))
  return opened
}

const descriptor = { chain: { id: 31337 } } as Descriptor
const walletOf = (rdns: string) => ({ kind: 'browser', rdns, name: 'Late' }) as const

test('a wallet that announces itself after the request is found', async () => {
  const rdns = 'late.wallet'
  const provider = { request: async () => ['0xAB'] }
  const opened = await announce(rdns, provider, () => openWallet('0xab', walletOf(rdns), descriptor))
  expect(opened.address).toBe('0xab')
})

test.each<[string, Sent]>([
  ['that nobody heard of', { hash: null, own: null, nextBlock: 6 }],
  ['that the wallet has sent', { hash: '0x01', own: null, nextBlock: 6 }],
])('a wallet that went to another chain says nothing of a transaction %s', async (_, before) => {
  // Each with a name of its own: a wallet that is known is not asked for again.
  const rdns = `gone.wallet.${before.hash}`
  const other = { hash: '0x02', from: '0xab', nonce: '0x7', to: '0xef', input: '0x' }
  const answers: Record<string, unknown> = {
    eth_requestAccounts: ['0xab'],
    eth_chainId: '0x1',
    eth_blockNumber: '0xffff',
    eth_getBlockByNumber: { transactions: [other] },
    eth_getTransactionByHash: { ...other, hash: '0x01', to: '0xcd' },
    eth_getTransactionCount: '0x8',
    eth_getTransactionReceipt: null,
  }
  const provider = { request: async ({ method }: { method: string }) => answers[method] }
  const { signal } = new AbortController()
  const sender = await announce(rdns, provider, () => openSender('0xab', walletOf(rdns), descriptor, signal))
  const sent = { ...before }
  const ended = sender.succeeds(sent, { to: '0xcd', data: '0x' })
  await expect(ended).rejects.toMatchObject({ kind: 'wrong_chain' })
  expect(sent).toEqual(before)
})

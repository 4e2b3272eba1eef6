import { expect, onTestFinished, test, vi } from 'vitest'
import { buildGaslessPayload } from '../protocol/actions/index.ts'
import { resolveProfile } from '../protocol/identity/index.ts'
import { ed25519PublicKey, evmAddress } from '../protocol/signatures/index.ts'
import type { Network } from '../scripts/hub/network.ts'
import type { Payload, Wallet } from '../scripts/hub/wallet.ts'
import { createHub } from '../sdk/index.ts'
import { json, scriptedHub } from '../sdk/testing/scripted-hub.ts'
import { printToStandardError } from './print.ts'
import { printedRelay } from './printed-calls.ts'

test('a relayed transaction is named at once and in full, also if it cannot be followed', async () => {
  const printed: string[] = []
  vi.spyOn(console, 'error').mockImplementation((line) => void printed.push(String(line)))
  onTestFinished(() => void vi.restoreAllMocks())
  printToStandardError()
  const [profile, key] = [resolveProfile(), `0x${'11'.repeat(32)}`]
  const contracts = {
    project_registry: `0x${'1a'.repeat(20)}`,
    staking: `0x${'2b'.repeat(20)}`,
    token: `0x${'3c'.repeat(20)}`,
  }
  const now = Math.floor(Date.now() / 1000)
  const projectId = `0x${'44'.repeat(32)}`
  const message = { owner: evmAddress(key), projectId, nodeKey: ed25519PublicKey(key), amount: '5' }
  const payload = buildGaslessPayload(profile, contracts, { action: 'bond', message, nonce: 0n, now })
  await using server = await scriptedHub(json(200, { time: now }), (response) =>
    response.writeHead(502).end('Bad Gateway'),
  )
  const quiet = createHub({ url: server.url, retry: { attempts: 1 } })
  const network = { quiet, profile, contracts } as unknown as Network
  const id = `0x${'ab'.repeat(32)}`
  const relay = async () => ({ id, action: 'bond', status: 'queued' })
  const relaying = printedRelay(network, { key } as Wallet, payload as unknown as Payload, message, relay)
  await expect(relaying).rejects.toMatchObject({ transactionId: id })
  expect(printed.join('\n')).toContain(`/v1/transactions/${id}`)
})

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { privateKeyToAccount } from 'viem/accounts'
import { parseTransaction } from 'viem/utils'
import { expect, test } from 'vitest'
import { type MinedTransaction, sentSince, withSent } from './sent-since.ts'

const account = privateKeyToAccount(`0x${'07'.repeat(32)}`)
const to = `0x${'0b'.repeat(20)}` as const
const object = `relayer 31337:${account.address.toLowerCase()}`
const action = (id: string, nonce: number | null, data: string, accepted_at_ms: number) => ({
  ...{
    id,
    nonce,
    recipient: to,
    data,
    value_wei: '5',
    accepted_at_ms,
    tx_hash: nonce === null ? null : `0x${id}`,
  },
  status: nonce === null ? 'queued' : 'sent',
})
const partsOf = (...relays: object[]) => [
  { object, table: 'relays', rows: JSON.stringify(relays) },
  { object, table: 'attempts', rows: JSON.stringify([{ hash: '0xknown', nonce: 3 }]) },
]

async function mined(nonce: number, data: `0x${string}`) {
  const unsigned = {
    ...({ type: 'eip1559', chainId: 31337, nonce, to, data, value: 5n, gas: 60_000n } as const),
    ...{ maxFeePerGas: 9n, maxPriorityFeePerGas: 1n },
  }
  const raw = await account.signTransaction(unsigned)
  const { r, s, yParity } = parseTransaction(raw)
  const hex = (value: number | bigint) => `0x${value.toString(16)}` as const
  const transaction = {
    ...{
      hash: hex(0xabc000 + nonce),
      nonce: hex(nonce),
      from: account.address,
      to,
      input: data,
      value: hex(5),
    },
    ...{ gas: hex(60_000), chainId: hex(31337), maxFeePerGas: hex(9), maxPriorityFeePerGas: hex(1) },
    ...{ r, s, yParity: hex(yParity!) },
  } as MinedTransaction
  return { raw, transaction }
}
const rowsOf = (parts: ReturnType<typeof withSent>, table: string) =>
  parts.flatMap((part) => (part.table === table ? JSON.parse(part.rows) : []))

test('a transaction belongs to the action with its nonce, or else to the oldest queued action with the same call', async () => {
  const parts = partsOf(
    action('later', null, '0x02', 9),
    action('sent', 3, '0x01', 1),
    action('first', null, '0x02', 2),
  )
  const [replaced, pending, unknown] = [
    await mined(3, '0x01'),
    await mined(4, '0x02'),
    await mined(5, '0x03'),
  ]
  const given = withSent(
    parts,
    [replaced, pending, unknown].map(({ transaction }) => transaction),
    77,
  )
  expect(
    rowsOf(given, 'relays').map(({ id, nonce, status, tx_hash }) => [id, nonce, status, tx_hash]),
  ).toEqual([
    ['later', null, 'queued', null],
    ['sent', 3, 'sent', '0xsent'],
    ['first', 4, 'sent', pending.transaction.hash],
  ])
  expect(rowsOf(given, 'attempts')).toEqual([
    { hash: '0xknown', nonce: 3 },
    ...[replaced, pending].map(({ raw, transaction }) => ({
      ...{ hash: transaction.hash, nonce: Number(transaction.nonce), raw, max_fee_wei: '9', tip_wei: '1' },
      ...{ signed_at_ms: 77, accepted: 1, noop: 0 },
    })),
  ])
})

test('nothing changes if the backup contains all sent transactions', async () => {
  const parts = partsOf(action('sent', 3, '0x01', 1))
  const { transaction } = await mined(3, '0x01')
  expect(withSent(parts, [{ ...transaction, hash: '0xknown' }], 77)).toEqual(parts)
})

test('an action that got its nonce while the relayer was read appears once, with its nonce', async () => {
  const [waits, sent] = [action('one', null, '0x01', 1), action('one', 3, '0x01', 1)]
  const { transaction } = await mined(3, '0x01')
  const known = { ...transaction, hash: '0xknown' as const }
  const parts = [...partsOf(waits), ...partsOf(sent).slice(0, 1)]
  expect(rowsOf(withSent(parts, [known], 77), 'relays')).toEqual([sent])
  expect(rowsOf(withSent(parts, [], 77), 'relays')).toEqual([sent])
  // Its transaction was read, and the action only before.
  const given = withSent(partsOf(waits), [known], 77)
  expect(rowsOf(given, 'relays')).toMatchObject([{ id: 'one', nonce: 3, status: 'sent', tx_hash: '0xknown' }])
  expect(rowsOf(given, 'attempts')).toEqual([{ hash: '0xknown', nonce: 3 }])
})

test('every node is asked for pending transactions, because one may lack what another has', async () => {
  const nodes = [4, 5].map((pending) =>
    createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      const result = (method: string, params: unknown[]) =>
        method === 'eth_blockNumber' ? '0x9' : `0x${params[1] === 'pending' ? pending : 4}`
      const answers = (JSON.parse(body) as { id: number; method: string; params: unknown[] }[]).map(
        ({ id, method, params }) => ({ jsonrpc: '2.0', id, result: result(method, params) }),
      )
      response.setHeader('Content-Type', 'application/json').end(JSON.stringify(answers))
    }).listen(0, '127.0.0.1'),
  )
  try {
    await Promise.all(nodes.map((node) => once(node, 'listening')))
    const urls = nodes.map((node) => `http://127.0.0.1:${(node.address() as AddressInfo).port}`)
    expect(await sentSince(urls.slice(0, 1), account.address.toLowerCase(), 7)).toEqual([])
    await expect(sentSince(urls, account.address.toLowerCase(), 7)).rejects.toThrow('1 transactions of 0x')
  } finally {
    for (const node of nodes) node.close()
  }
})

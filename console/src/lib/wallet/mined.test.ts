import { expect, test } from 'vitest'
import { type Sent, succeeds } from './mined.ts'

const from = `0x${'a1'.repeat(20)}`
const call = { to: `0x${'b2'.repeat(20)}`, data: '0x1234' }
const own = { hash: '0x01', from, nonce: '0x7', to: call.to, input: call.data }

/** A chain that takes one block at each pause, here with a transaction. */
function createChain(
  mined: Partial<typeof own>,
  {
    status = '0x1',
    atPause = 2,
    knows = true,
    late = 0,
    receiptLate = 0,
    pausesMax = atPause + 3,
    sent = { hash: own.hash, own: null, nextBlock: 6 } as Sent,
  } = {},
) {
  let blocks = 5
  const transaction = { ...own, ...mined }
  const at = blocks + atPause
  const isShown = (more = 0) => blocks >= at + late + more
  const answers: Record<string, (...params: string[]) => unknown> = {
    eth_blockNumber: () => `0x${blocks.toString(16)}`,
    eth_getTransactionCount: () => (blocks >= at ? '0x8' : '0x7'),
    eth_getTransactionByHash: (hash) => (knows && hash === own.hash && blocks < at ? own : null),
    eth_getTransactionReceipt: (hash) =>
      isShown(receiptLate) && hash === transaction.hash ? { status } : null,
    eth_getBlockByNumber: (number) => ({
      transactions: isShown() && Number(number) === at ? [transaction] : [],
    }),
  }
  const ask = async (method: string, params: unknown = []) => answers[method]?.(...(params as string[]))
  const pause = async () => {
    blocks++
    if (blocks > 5 + pausesMax) throw new Error('It waits on.')
  }
  return succeeds(ask, from, sent, call, pause)
}

test.each([
  ['0x1', true],
  ['0x0', false],
])('a transaction in a block with status %s: %s', async (status, expected) => {
  expect(await createChain({}, { status })).toBe(expected)
  expect(await createChain({}, { status, atPause: 0 })).toBe(expected)
})

test('a transaction that the wallet sent again for a higher fee is followed', async () => {
  const faster = { hash: '0x02', to: call.to.toUpperCase().replace('0X', '0x') }
  expect(await createChain(faster)).toBe(true)
  expect(await createChain(faster, { status: '0x0' })).toBe(false)
})

test.each([
  ['cancelled', { hash: '0x02', to: from, input: '0x' }],
  ['replaced by another call', { hash: '0x02', input: '0x5678' }],
])('a transaction that was %s is not waited for', async (_, mined) => {
  await expect(createChain(mined)).rejects.toMatchObject({ kind: 'replaced' })
})

test('a node that has the count of a block before its transactions is asked again', async () => {
  expect(await createChain({ hash: '0x02' }, { late: 2 })).toBe(true)
  await expect(createChain({ hash: '0x02', input: '0x5678' }, { late: 2 })).rejects.toMatchObject({
    kind: 'replaced',
  })
})

test('a transaction that the node of the wallet does not show yet is waited for', async () => {
  expect(await createChain({}, { knows: false })).toBe(true)
})

test('a transaction that the node never showed is found by its call, after the wallet sent it again', async () => {
  expect(await createChain({ hash: '0x02' }, { knows: false })).toBe(true)
})

test('a transaction whose data the wallet changed is waited for under its hash', async () => {
  expect(await createChain({ input: '0x1234ffff' }, { receiptLate: 1 })).toBe(true)
})

test('a transaction whose data the wallet changed is followed when it is sent again for a higher fee', async () => {
  const sent: Sent = { hash: own.hash, own: { ...own, input: '0x1234ffff' }, nextBlock: 6 }
  expect(await createChain({ hash: '0x02', input: '0x1234ffff' }, { sent })).toBe(true)
})

test('a try after a failed one knows the transaction that the node has forgotten', async () => {
  const sent: Sent = { hash: own.hash, own: null, nextBlock: 6 }
  await expect(createChain({ hash: '0x02' }, { sent, late: 9 })).rejects.toThrow('It waits on.')
  await expect(createChain({ hash: '0x02', input: '0x5678' }, { sent, knows: false })).rejects.toMatchObject({
    kind: 'replaced',
  })
})

test.each([
  ['that no node ever showed', { knows: false }],
  ['whose place is taken by one that the node does not show', { knows: true }],
])('a transaction %s is not waited for without end, and another try goes on', async (_, { knows }) => {
  const sent: Sent = { hash: own.hash, own: null, nextBlock: 6 }
  const never = { knows, late: 1_000, pausesMax: 200, sent }
  await expect(createChain({}, never)).rejects.toMatchObject({ kind: 'unseen' })
  expect(await createChain({}, { sent })).toBe(true)
})

test('a transaction whose hash nobody heard is found by its call, and is not waited for while no block has it', async () => {
  const unheard = { hash: null, own: null, nextBlock: 5 }
  expect(await createChain({}, { atPause: 0, sent: { ...unheard } })).toBe(true)
  expect(await createChain({}, { atPause: 0, status: '0x0', sent: { ...unheard } })).toBe(false)
  const sent = { ...unheard }
  await expect(createChain({}, { pausesMax: 0, sent })).rejects.toMatchObject({ kind: 'unsure' })
  expect(sent).toEqual({ ...unheard, nextBlock: 6 })
})

import { expect, test } from 'vitest'
import { runNetwork } from '../harness/scenarios.ts'
import { node } from './kind.ts'

test('a node that is killed again and again keeps its votes, receipts and chunks', async () => {
  const { figures } = await runNetwork(node, { seeds: [1, 2, 3, 4, 5, 6, 7, 8], say: () => {} })
  expect(figures.votes).toBeGreaterThan(0)
  expect(Number(figures.receipts)).toBeGreaterThan(Number(figures.votes))
})

import path from 'node:path'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { buildNodectl, dist, temporaryFolder } from '../testing/node/nodectl.ts'
import { KillChaos } from './testing/kill-chaos.ts'

beforeAll(buildNodectl)

test('a node that is killed again and again keeps its votes, receipts and chunks', {
  timeout: 180_000,
}, async () => {
  const chaos = new KillChaos(dist, path.join(temporaryFolder(), 'node'))
  onTestFinished(() => chaos.stop())
  for (const seed of [1, 2, 3, 4, 5, 6, 7, 8]) expect(await chaos.point(seed)).toMatchObject({ problems: [] })
  const { votes, receipts } = chaos.given
  expect(votes).toBeGreaterThan(0)
  expect(receipts).toBeGreaterThan(votes)
})

import path from 'node:path'
import { expect, test } from 'vitest'
import type { Attestation } from '../../../../protocol/committees/index.ts'
import { temporaryFolder } from '../../../../testing/node/folders.ts'
import { openServeStore } from './index.ts'

test('the number of attested sets counts each once, and reads none of them', () => {
  const dataDir = path.join(temporaryFolder(), 'node')
  const first = openServeStore(dataDir)
  const attest = (epoch: number) =>
    first.sets.attest({ setHash: `0x${epoch}`, projectId: 'project', epoch }, {} as Attestation, 1)
  for (const epoch of [1, 2, 2]) attest(epoch)
  expect(first.sets.count()).toBe(2)
  first.close()
  const again = openServeStore(dataDir)
  again.db.exec('ALTER TABLE attestations RENAME TO elsewhere')
  expect(again.sets.count()).toBe(2)
  again.close()
})

import { expect, test } from 'vitest'
import { isSnapshotAttested } from '../../../../protocol/committees/index.ts'
import { hashText, utf8 } from '../../../../protocol/encoding/index.ts'
import { ed25519PublicKey } from '../../../../protocol/signatures/index.ts'
import { testParts } from '../../../../testing/node/node-parts.ts'
import { createTestProject, profile } from '../../../../testing/node/test-project.ts'
import { BackgroundThread } from '../background/background-thread.ts'
import type { JobName } from '../background/jobs.ts'
import { CommitteeSets } from './committee-sets.ts'

const seed = hashText('validator')

/** A thread that tells what it was asked for. */
class TellingThread extends BackgroundThread {
  readonly asked: JobName[] = []

  override run: BackgroundThread['run'] = (name, ...input) => {
    this.asked.push(name)
    return super.run(name, ...input)
  }
}

function createSets() {
  const background = new TellingThread(profile)
  const project = createTestProject()
  const hub = { rules: async () => project.consensus, stakingAddress: async () => '' }
  return { sets: new CommitteeSets(testParts(seed, [seed], background), hub, null), background, project }
}

test('a set that arrives repeatedly, even while it is being checked, is read once', async () => {
  const { sets, background, project } = createSets()
  const bytes = () => utf8(JSON.stringify(project.snapshot))
  const first = await Promise.all(Array.from({ length: 5 }, () => sets.attest(bytes())))
  const again = await sets.attest(bytes())
  expect(new Set([...first, again].map((one) => JSON.stringify(one))).size).toBe(1)
  expect(isSnapshotAttested(profile, project.setHash, [again], [ed25519PublicKey(seed)])).toBe(true)
  expect(background.asked.filter((name) => name === 'readSnapshot')).toHaveLength(1)
})

test('a refused set is judged again each time', async () => {
  const { sets, background, project } = createSets()
  const bytes = utf8(JSON.stringify({ ...project.snapshot, network: 'other' }))
  for (let i = 0; i < 2; i++) await expect(sets.attest(bytes)).rejects.toThrow('network')
  expect(background.asked.filter((name) => name === 'readSnapshot')).toHaveLength(2)
})

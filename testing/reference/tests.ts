import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { installClient, ownEnvironment, packClient } from '../client-package.ts'
import { temporaryFolder } from '../node/folders.ts'
import { shared } from '../node/shared.ts'
import { findSampleFaults, otherGivens, rewardGivens } from './index.ts'
import { type Backstage, type Stage, setStage } from './stage.ts'

/**
 * Runs the samples of the reference that need more than the sample project of a local network.
 *
 * @param hub its origin.
 */
export function referenceTests(hub: () => string, backstage: () => Backstage) {
  const project = shared(async () => {
    const folder = path.join(temporaryFolder(), 'reference')
    mkdirSync(folder)
    return installClient(folder, await packClient(folder))
  })
  let stage: Stage
  return {
    /** Needs devices that work, and moves the time. */
    rewards: () =>
      test('samples of the reference about rewards work, in both languages', async () => {
        stage = await setStage(hub(), backstage())
        expect(await findSampleFaults(rewardGivens, stage, project(), ownEnvironment({}))).toEqual([])
      }),
    /** Leaves devices that do not work. */
    others: () =>
      test('all other samples of the reference work, in both languages', async () => {
        const faults = await findSampleFaults(otherGivens, stage, project(), ownEnvironment({}))
        await stage.delistAll()
        expect(faults).toEqual([])
      }),
  }
}

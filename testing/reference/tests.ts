import { expect, test } from 'vitest'
import { ownEnvironment } from '../client-package.ts'
import { findOtherFaults, findSampleFaults, rewardGivens } from './index.ts'
import { type Backstage, type Stage, setStage } from './stage.ts'

/**
 * Runs the samples of the reference that need more than the sample project of a local network.
 *
 * @param hub its origin.
 * @param project the folder of a project that has installed the client.
 */
export function referenceTests(hub: () => string, project: () => string, backstage: () => Backstage) {
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
        const faults = await findOtherFaults(stage, project(), ownEnvironment({}))
        await stage.delistAll()
        expect(faults).toEqual([])
      }),
  }
}

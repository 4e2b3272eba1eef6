import { onTestFinished } from 'vitest'
import { BackgroundThread } from '../../node-cli/src/serve/background/background-thread.ts'
import { systemClock } from '../../node-cli/src/serve/clock.ts'
import { ModuleLibrary } from '../../node-cli/src/serve/execution/module-library.ts'
import { createLog } from '../../node-cli/src/serve/log.ts'
import { openServeStore, type ServeStore } from '../../node-cli/src/serve/store/index.ts'
import { makeSchedule } from '../../protocol/identity/index.ts'
import { newFolder } from './folders.ts'
import { knownGenerations, validatorSeeds } from './generations.ts'
import { publicKeyOf } from './signers.ts'
import { params, profile } from './test-project.ts'

/** A store that is closed when its test ends. */
export function openTestStore(): ServeStore {
  const store = openServeStore(newFolder())
  onTestFinished(store.close)
  return store
}

/** The parts that validators are built from. @param seeds Of the validators that it knows. */
export function testParts(seed: string, seeds = validatorSeeds, background = new BackgroundThread(profile)) {
  const store = openTestStore()
  onTestFinished(() => background.close())
  return {
    store,
    background,
    directBackground: background,
    profile,
    params: () => params,
    paramsSchedule: makeSchedule(params, []),
    clock: systemClock,
    log: createLog('json', 'error'),
    generations: knownGenerations(store, seeds),
    generationFollower: null,
    library: new ModuleLibrary(store.modules, background),
    seed,
    identity: { nodeId: 'node', publicKey: publicKeyOf(seed) },
  }
}

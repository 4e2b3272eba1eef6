import { readFileSync } from 'node:fs'
import path from 'node:path'
import { type Call, callsOf, type OpenApi } from '../../scripts/site/document.ts'
import { withNames } from '../../scripts/site/names.ts'
import { accountGivens } from './account.ts'
import { buildingGivens } from './building.ts'
import { epochGivens } from './epochs.ts'
import type { Givens } from './given.ts'
import { hubGivens, operatingGivens } from './operating.ts'
import { recordGivens } from './records.ts'
import { SampleRunner } from './runner.ts'
import type { Stage } from './stage.ts'
import { stakingGivens, withdrawalGivens } from './staking.ts'

/** Samples about rewards, in the order in which they run. They move the time, and need devices that work. */
export const rewardGivens: Givens = epochGivens

/** Samples that run at the same time: each group has records and signing wallets of its own. */
const groups: readonly Givens[] = [
  accountGivens,
  buildingGivens,
  { ...recordGivens, ...operatingGivens },
  stakingGivens,
]

/** Samples that need the hub for themselves: an operator rebuilds its records, then the time moves. */
const aloneGivens: Givens = { ...hubGivens, ...withdrawalGivens }

/** All others that need more than the sample project. They leave devices with collateral that no node runs. */
export const otherGivens: Givens = Object.assign({}, ...groups, aloneGivens)

/** Samples that a hub in use answers with the error that the reference names, and why. */
export const alwaysRefused: Readonly<Record<string, string>> = {
  downloadArchive: 'Rounds of a project become an archive after months.',
  submitEpochReceipt: 'The validators of the network are first.',
  beginValidators: 'A network begins once.',
  resumeObjects: 'Only a hub that was restored is resumed.',
}

const exampleOf = ({ requestBody }: Call): unknown => Object.values(requestBody?.content ?? {})[0]?.example

/** Every call of the reference, by its operation. */
export const referenceCalls = (): ReadonlyMap<string, Call> => {
  const file = path.resolve(import.meta.dirname, '../../public/openapi.json')
  const document = JSON.parse(withNames(readFileSync(file, 'utf8'))) as OpenApi
  return new Map(callsOf(document).map((call) => [call.operationId, call]))
}

/** As {@link findSampleFaults}, of all samples that are not about rewards. */
export async function findOtherFaults(
  stage: Stage,
  project: string,
  env: NodeJS.ProcessEnv,
): Promise<string[]> {
  const faults = await Promise.all(groups.map((givens) => findSampleFaults(givens, stage, project, env)))
  return [...faults.flat(), ...(await findSampleFaults(aloneGivens, stage, project, env))]
}

/**
 * Runs samples of the reference in both languages, each with records of its own.
 *
 * @param project has installed the client.
 * @param env that of its reader.
 * @returns The faults, one per entry.
 */
export async function findSampleFaults(
  givens: Givens,
  stage: Stage,
  project: string,
  env: NodeJS.ProcessEnv,
): Promise<string[]> {
  const calls = referenceCalls()
  const runner = new SampleRunner(stage.network.hub, project, env, stage.network.now)
  const faults: string[] = []
  for (const [operationId, give] of Object.entries(givens)) {
    const call = calls.get(operationId)
    if (call === undefined) throw new Error(`The reference has no ${operationId}.`)
    for (const [turn, language] of (['typescript', 'curl'] as const).entries()) {
      const shown = { example: exampleOf(call), exampleOf: (id: string) => exampleOf(calls.get(id)!), turn }
      const fault = await Promise.resolve(give(stage, shown))
        .then((given) => {
          // A call that can succeed only once is made by the first language.
          if (turn === 0 && given.refused !== undefined && alwaysRefused[operationId] === undefined)
            throw new Error('it may be refused, and alwaysRefused does not say why')
          return runner[language](call, given)
        })
        .catch((error: Error) => `its records cannot be made: ${error.message}`)
      if (fault !== null) faults.push(`${operationId}, ${language}: ${fault}`)
    }
  }
  await runner.close()
  return faults
}

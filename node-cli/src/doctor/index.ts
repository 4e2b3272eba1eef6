import { deriveNodeId, type Profile } from '../../../protocol/identity/index.ts'
import { CliError } from '../cli/errors.ts'
import { readNodeKey } from '../data-dir/node-key.ts'
import type { EngineChoice } from '../engine/index.ts'
import { nodeSigner } from '../node-signer.ts'
import type { BindAddress } from '../serve/flags.ts'
import type { HubClient } from '../serve/hub/index.ts'
import { dataDirCheck, keyCheck, processCheck } from './data-dir-checks.ts'
import { engineCheck } from './engine-check.ts'
import { type Check, type Finding, failed, skipped } from './finding.ts'
import { clockCheck, deviceCheck, hubCheck, parametersCheck } from './hub-checks.ts'
import { compilerCheck, diskCheck, nodeVersionCheck } from './machine-checks.ts'
import { portCheck } from './port-check.ts'

export type { Finding } from './finding.ts'

/** The node and settings to check. */
export interface Patient {
  readonly dataDir: string
  readonly profile: Profile
  /** A file of changes of parameters; null for those that this version knows. */
  readonly paramsChanges: string | null
  readonly engine: EngineChoice
  readonly bind: BindAddress
  /** How this machine reaches that address. */
  readonly url: string
  /** Null if no hub is named. */
  readonly hub: HubClient | null
  readonly isValidator: boolean
  /** Whether the node dates what it signs by the time of the hub. */
  readonly followsHub: boolean
}

/** Looks at everything that a node needs, one after the other: a check that fails keeps no other from being made. */
export async function examine(patient: Patient): Promise<Finding[]> {
  const { dataDir, profile, paramsChanges, engine, bind, url, hub, isValidator, followsHub } = patient
  const nodeId = nodeIdOf(dataDir, profile)
  const hubFound = await madeOf(
    hub === null ? () => skipped('no hub is named; give --hub-url') : hubCheck(hub, profile),
  )
  const withHub = (check: (client: HubClient) => Check): Check =>
    hub === null || hubFound.status === 'failed' ? () => skipped('this check needs the hub') : check(hub)
  const checks: readonly (readonly [name: string, check: Check])[] = [
    ['node', nodeVersionCheck],
    ['engine', engineCheck(engine)],
    ['key', keyCheck(dataDir, profile)],
    ['data', dataDirCheck(dataDir)],
    ['process', processCheck(dataDir)],
    ['disk', diskCheck(dataDir)],
    ['port', portCheck(bind, url, nodeId)],
    ['hub', () => hubFound],
    ['clock', withHub((client) => clockCheck(client, followsHub))],
    ['parameters', withHub((client) => parametersCheck(client, profile.chain_id, paramsChanges))],
    ...(isValidator ? [] : [['device', withHub((client) => deviceCheck(client, nodeId, dataDir))] as const]),
    ['compiler', compilerCheck],
  ]
  const findings: Finding[] = []
  for (const [name, check] of checks) findings.push({ check: name, ...(await madeOf(check)) })
  return findings
}

async function madeOf(check: Check): Promise<Omit<Finding, 'check'>> {
  try {
    return await check()
  } catch (error) {
    const { message } = error as Error
    const hint = error instanceof CliError ? error.hint : undefined
    return failed(message, hint ?? 'Mend the problem that the message names.')
  }
}

/** Null when there is no key that can be used; its own check says why. */
function nodeIdOf(dataDir: string, profile: Profile): string | null {
  try {
    const seed = readNodeKey(dataDir)
    return seed === null ? null : deriveNodeId(profile, nodeSigner(seed).publicKey)
  } catch {
    return null
  }
}

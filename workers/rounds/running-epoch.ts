import type { RunningEpoch } from '../../durable-objects/project/tasks.ts'
import type { RoundParams } from '../../durable-objects/round/round.ts'
import { epochAt, paramsOfEpoch } from '../../protocol/committees/index.ts'
import type { NetworkParams } from '../../protocol/identity/index.ts'
import type { ProjectManifest } from '../../protocol/manifest/index.ts'
import type { Services } from '../services.ts'
import type { ProjectVersion } from '../stores/projects.ts'

/** The epoch of a time, and what its tasks have in common while its set is attested. Null for a project that is not public. */
export async function findRunningEpoch(
  { projectVersions, committeeSets, paramsSchedule, validators }: Services,
  projectId: string,
  now: number,
): Promise<RunningEpoch | null> {
  const version = await projectVersions.consensusAt(projectId, now)
  if (version === null) return null
  const { epochSecs } = version
  const epoch = epochAt(now, epochSecs)
  const set = await committeeSets.find(projectId, epoch)
  if (set === null || !set.valid) {
    const isLost = (await validators.ofEpoch(epoch, epochSecs)) === null
    return { epoch, epochSecs, terms: null, isLost }
  }
  const params = paramsOfEpoch(paramsSchedule, epoch, epochSecs)
  return {
    epoch,
    epochSecs,
    terms: { epoch, epochSecs, setHash: set.setHash, ...termsOf(version, set.builtAt, params) },
  }
}

function termsOf(
  { manifest, consensusHash }: ProjectVersion,
  snapshotAt: number,
  { accept_secs, audit_bp, gas_per_unit, weight_unit_wei }: RoundParams & Pick<NetworkParams, 'accept_secs'>,
) {
  const { modules, work } = (JSON.parse(manifest) as ProjectManifest).consensus
  return {
    consensusHash,
    moduleAddress: modules.worker,
    functions: work.functions,
    gasLimitMax: work.max_gas_limit,
    rules: {
      committee: work.committee,
      roundSecs: work.round_secs,
      leaseSecs: work.lease_secs,
      acceptSecs: accept_secs,
      // A member that left before this time is not blamed.
      snapshotAt,
      params: { audit_bp, gas_per_unit, weight_unit_wei },
    },
  }
}

import {
  type Beacon,
  buildSnapshot,
  placeCandidates,
  type SnapshotCandidate,
  type SnapshotDocument,
  SnapshotWriter,
  snapshotEntriesMax,
} from '../../protocol/committees/index.ts'
import type { NetworkParams, Profile } from '../../protocol/identity/index.ts'
import type { ProjectRules } from '../../protocol/manifest/index.ts'
import type { SetCandidateStore } from '../stores/set-candidates.ts'
import { readCandidates } from './candidates.ts'

export interface SetSource {
  profile: Profile
  params: NetworkParams
  projectId: string
  epoch: number
  consensus: ProjectRules
  beacon: Beacon
  candidates: Pick<SetCandidateStore, 'page' | 'eventsUpTo'>
}

/** Builds the snapshot of an epoch (section 13), page by page, with the 65,536 eligible nodes that have the lowest keys. */
export async function buildSet(source: SetSource): Promise<SnapshotDocument> {
  const { profile, params, projectId, epoch, consensus, beacon } = source
  const header = { project_id: projectId, epoch, consensus, beacon, params }
  const writer = new SnapshotWriter(buildSnapshot(profile, { ...header, candidates: [] }))
  const { min_collateral: minCollateral } = consensus.economics
  const rules = { projectId, block: beacon.block_number, minCollateral }
  for await (const ofOneKey of byKey(readCandidates(source.candidates, rules))) {
    const place = placeCandidates(ofOneKey)
    if ('excluded' in place || writer.entries < snapshotEntriesMax) writer.add(place)
  }
  return writer.finish()
}

/** Candidates come in the order of their keys, so those of one key come together. */
async function* byKey(candidates: AsyncIterable<SnapshotCandidate>): AsyncGenerator<SnapshotCandidate[]> {
  let together: SnapshotCandidate[] = []
  for await (const candidate of candidates) {
    if (together.length > 0 && together[0]?.node_key !== candidate.node_key) {
      yield together
      together = []
    }
    together.push(candidate)
  }
  if (together.length > 0) yield together
}

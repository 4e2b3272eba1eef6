import type { Snapshot } from '../../protocol/consensus/index.ts'

/** Where the eligible set of an epoch is found once a quorum of validators has attested it. */
export interface AttestedSets {
  attested(projectId: string, epoch: number): Promise<{ snapshot: Snapshot; setHash: string } | null>
}

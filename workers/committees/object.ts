import type { Env, Settings } from '../env.ts'

export interface CommitteesClient {
  /** Has the sets of a project be built and attested from now on. */
  wake(projectId: string): Promise<void>
}

/** What sees to the sets of projects, or null while the hub has no chain or no contracts. */
export function createCommitteesClient(env: Env, settings: Settings): CommitteesClient | null {
  if (!settings.CHAIN_RPC_URL || !settings.CHAIN_CONTRACTS) return null
  return { wake: (projectId) => env.PROJECT_COMMITTEES.getByName(projectId).wake(projectId) }
}

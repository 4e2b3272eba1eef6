import type { RefusedTask, Submitted, TaskRequest } from '../../durable-objects/project/task-queue.ts'
import type { Env, Settings } from '../env.ts'

export interface CommitteesClient {
  /** Has the sets of a project be built and attested from now on. */
  wake(projectId: string): Promise<void>
  /** Has the sets of a project be attested again: other validators count. */
  lookAgain(projectId: string): Promise<void>
  /** Has waiting tasks of a project be given their rounds: its set was attested. */
  nudge(projectId: string): Promise<void>
  /** Why a task would not be taken now; null where it would be. */
  refusal(projectId: string, request: TaskRequest): Promise<RefusedTask | { status: 'none' } | null>
  /** Takes a task of a project. */
  submit(projectId: string, request: TaskRequest): Promise<Submitted | { status: 'none' }>
  /** The ids of the rounds of an epoch that are not over as far as the object of its project was told. */
  openRounds(projectId: string, epoch: number): Promise<string[]>
  /** Waits for the round of a task that waits; null when it has none by then. */
  waitForRound(projectId: string, taskId: string, ms: number): Promise<string | null>
}

/** What sees to the sets of projects, or null while the hub has no chain or no contracts. */
export function createCommitteesClient(env: Env, settings: Settings): CommitteesClient | null {
  if (!settings.CHAIN_RPC_URL || !settings.CHAIN_CONTRACTS) return null
  const of = (projectId: string) => env.PROJECT_COMMITTEES.getByName(projectId)
  return {
    wake: (projectId) => of(projectId).wake(projectId),
    lookAgain: (projectId) => of(projectId).lookAgain(projectId),
    nudge: (projectId) => of(projectId).nudge(),
    refusal: (projectId, request) => of(projectId).refusal(projectId, request),
    submit: (projectId, request) => of(projectId).submit(projectId, request),
    openRounds: (projectId, epoch) => of(projectId).openRounds(epoch),
    waitForRound: (projectId, taskId, ms) => of(projectId).waitForRound(taskId, ms),
  }
}

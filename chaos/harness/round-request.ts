import type { Task, TaskVote } from '../../protocol/rounds/index.ts'

/** The hub's request to a validator about a closed round: `POST /consensus/task-rounds`. */
export interface RoundRequest {
  readonly task: Task
  readonly input_b64: string
  readonly votes: readonly TaskVote[]
  readonly agreed_at: number
  readonly audit_block: { readonly hash: string }
  readonly fallback: string | null
}

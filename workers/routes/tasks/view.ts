import type * as z from 'zod'
import type { HubContext } from '../../context.ts'
import type { TaskRecord } from '../../rounds/find-round.ts'
import type { RoundRow } from '../../stores/schema/index.ts'
import { readOutput, shownOutput } from './output.ts'
import type { TaskView } from './schema.ts'
import { waitingFor } from './waiting.ts'

export async function taskView(
  c: HubContext,
  { task, round }: TaskRecord,
): Promise<z.output<typeof TaskView>> {
  const result = round === null ? noResult : await resultOf(c, round)
  return {
    task_id: task.roundId ?? task.taskId,
    project_id: task.projectId,
    round_id: task.roundId,
    epoch: round?.epoch ?? null,
    seq: round?.seq ?? null,
    function: task.function,
    input_hash: task.inputHash,
    status: statusOf({ task, round }),
    waiting_for: await waitingFor(c, { task, round }),
    ...result,
    receipt_hash: round?.receiptHash ?? null,
    gas_used: round?.gasUsed ?? null,
    error: task.error ?? round?.error ?? result.error,
    created_at: task.createdAt,
    finalized_at: round?.finalizedAt ?? null,
  }
}

const noResult = { success: null, output: null, error: null }

/** The result, from `committee_agreed` on. */
async function resultOf(c: HubContext, round: RoundRow) {
  if (round.receiptHash === null) return noResult
  const { bytes, events } = await readOutput(c.var.services.roundFiles, round)
  if (bytes === null) return { ...noResult, success: round.success, error: 'output_not_kept' as const }
  return {
    success: round.success,
    ...shownOutput(bytes),
    ...(events && { events: [...events] }),
    error: null,
  }
}

export function statusOf({ task, round }: TaskRecord): z.output<typeof TaskView>['status'] {
  if (round === null && task.roundId !== null) return 'running'
  if (round === null) return task.error === null ? 'queued' : 'failed'
  return round.state === 'pending' ? 'running' : round.state
}

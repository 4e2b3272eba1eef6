import type { Hub } from '../../sdk/index.ts'
import { type Round, readRound } from './follow.ts'
import type { Task } from './submit.ts'

/** The object that `--json` prints. */
export const resultOf = async (client: Hub, task: Task) => ({
  task,
  round: await readRound(client, task),
})

/** Prints what there is of a result, for people. */
export function printResult({ task, round }: Awaited<ReturnType<typeof resultOf>>): void {
  const rows: [string, unknown][] = [
    ['task', task.task_id],
    ['status', task.status],
    ['output', task.output],
    ['receipt hash', task.receipt_hash],
    ['gas', task.gas_used],
    ['votes', round === null ? null : describeVotes(round)],
  ]
  for (const [name, value] of rows)
    if (value !== null && value !== undefined) console.log(`${name.padEnd(13)} ${value}`)
}

function describeVotes({ votes = 0, agreeing = 0, committee_size = 0, audited }: Round): string {
  if (committee_size === 0) return 'none: the validators ran it'
  const agreed = `${agreeing} of ${committee_size} agree`
  const others = votes > agreeing ? `, ${votes - agreeing} differ` : ''
  return `${agreed}${others}${audited ? '; audited by the validators' : ''}`
}

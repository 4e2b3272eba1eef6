import type { Hub, Schemas } from '../../sdk/index.ts'
import type { Task } from './submit.ts'

export type Round = Schemas['Round']
export type Committee = Schemas['Committee']

/** How long the hub holds an answer, unless the result is there before: steps in between are seen this late. */
const holdSecs = 1
const usualWaitSecs = 10

export const isOver = ({ status }: Task): boolean => status === 'finalized' || status === 'failed'

/**
 * Follows a task until its result is final, it failed, or the time is up.
 *
 * @param say told each step, once.
 * @returns The task as it is then.
 */
export async function followTask(
  client: Hub,
  first: Task,
  waitSecs: number,
  say: (line: string) => void,
): Promise<Task> {
  const startedMs = performance.now()
  const secondsGone = () => (performance.now() - startedMs) / 1000
  const told = new Set<string>()
  const tell = (step: string) => {
    if (told.has(step)) return
    told.add(step)
    say(`${secondsGone().toFixed(1).padStart(6)} s  ${step}`)
  }
  let task = first
  let committee: Committee | null = null
  const waits = new Map<string, number>()
  /** A block and the validators take seconds in every task: they are named when they take longer. */
  const tellWait = ({ waiting_for: wait, status }: Task) => {
    if (!wait) return
    const firstAt = waits.get(wait.code) ?? secondsGone()
    waits.set(wait.code, firstAt)
    if (status === 'queued' || secondsGone() - firstAt >= usualWaitSecs) tell(waitStep(wait))
  }
  tell(`${task.status.padEnd(16)} ${task.task_id}`)
  while (!isOver(task) && secondsGone() < waitSecs) {
    const wait = Math.min(holdSecs, Math.ceil(waitSecs - secondsGone()))
    const params = { path: { task_id: task.task_id }, query: { wait } }
    task = await client.call('GET /v1/tasks/{task_id}', params)
    tellWait(task)
    committee ??= await readCommittee(client, task)
    for (const step of stepsOf(task, await readRound(client, task), committee)) tell(step)
  }
  return task
}

/** Why a task does not come on, and until when. */
export const waitStep = ({ message, until }: NonNullable<Task['waiting_for']>): string =>
  `${'waiting'.padEnd(16)} ${message}${until === null ? '' : ` Until ${new Date(until * 1000).toISOString()}.`}`

/** The round of a task; null while it has none. */
export async function readRound(client: Hub, { round_id }: Task): Promise<Round | null> {
  if (round_id === null) return null
  const params = { path: { round_id } }
  return client.find('GET /v1/explorer/rounds/{round_id}', params)
}

/** The committee of a task; null while the task has no place in an epoch. */
async function readCommittee(client: Hub, { project_id, epoch, seq }: Task): Promise<Committee | null> {
  if (epoch === null || seq === null) return null
  const params = { path: { project_id, epoch, seq } }
  return client.find('GET /v1/committees/{project_id}/{epoch}/{seq}', params)
}

/** Why validators run a task that has a committee. */
const reasons = {
  audited: () => 'a draw chose the round for an audit: the validators run it too',
  contested: ({ votes = 0, agreeing = 0, committee_size = 0 }: Round) =>
    votes === 0
      ? 'no member voted: the validators run it'
      : `${agreeing} of ${committee_size} members agree, ${votes} voted: the validators run it`,
} as const

/** A final round does not say what its escalation was for: where everybody agreed it was an audit. */
function reasonOf(
  { status }: Task,
  { audited, agreeing, committee_size }: Round,
): keyof typeof reasons | null {
  // No draw chose it: a round without a committee counts as audited, because the validators run it.
  if (committee_size === 0) return null
  if (status === 'escalated') return audited ? 'audited' : 'contested'
  return status === 'finalized' && audited && agreeing === committee_size ? 'audited' : null
}

const agreementOf = ({ committee_size, agreeing, votes, receipt_hash }: Round): string =>
  committee_size === 0
    ? `the validators ran it, and have the same result: ${receipt_hash}`
    : `${agreeing} of ${votes} votes for ${receipt_hash}`

/** The steps of a task so far, in the order in which they happen. */
export function stepsOf(task: Task, round: Round | null, committee: Committee | null): string[] {
  if (task.status === 'queued') return []
  const step = (name: string, what: string) => `${name.padEnd(16)} ${what}`
  const steps = [step('running', task.round_id ?? '')]
  const members = committee?.fallback ? [] : (committee?.draw ?? [])
  const names = members.filter(({ role }) => role === 'primary').map(({ node_id }) => node_id)
  if (names.length > 0) steps.push(step('offered', `to ${names.join(', ')}`))
  if (round !== null) {
    if (round.votes) steps.push(step('voted', `${round.votes} of ${round.committee_size}`))
    if (round.receipt_hash !== undefined) steps.push(step('agreed', agreementOf(round)))
    const reason = reasonOf(task, round)
    if (reason !== null) steps.push(step(reason, reasons[reason](round)))
  }
  if (task.status === 'fallback') steps.push(step('fallback', 'no committee: the validators run it'))
  if (isOver(task)) steps.push(step(task.status, task.error ?? ''))
  return steps.map((line) => line.trimEnd())
}

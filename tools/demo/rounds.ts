import { waitForSet } from '../../localnet/nodes/ready.ts'
import { epochAt, epochStart } from '../../protocol/committees/index.ts'
import { defaultNetworkParams } from '../../protocol/identity/index.ts'
import { print, printStep } from '../print.ts'
import { ensure, passUntil, type Stage } from './stage.ts'
import { type FinishedTask, finishTask, type TaskKind } from './tasks.ts'

/** Few enough for one machine: a member that does not accept within seconds misses its lease. */
const tasksAtOnce = 4
/** One task in ten is audited: this many batches have no audited task once in twenty thousand runs. */
const batchesMax = 24
const kinds: readonly TaskKind[] = ['clean', 'audited', 'contested']

/** Shows a task of an epoch whose set has no device. */
export async function showFallback({ network, projectId, cluster }: Stage): Promise<FinishedTask> {
  printStep('Submit a task before any stake counts: it has no committee, so the validators run it')
  await waitForSet(cluster.network.url, projectId)
  const task = await finishTask(network.client, projectId, '"the first task"')
  ensure(task.kind === 'fallback' && task.output === '"the first task"', 'the validators decide the task')
  printTask(task)
  return task
}

/** Lets the next epoch begin whose set has the devices in it. */
export async function beginEpoch(stage: Stage): Promise<number> {
  const { network, projectId, cluster, epochSecs } = stage
  // A device that is bonded before the beacon of an epoch is in its set.
  const epoch = epochAt((await network.now()) + defaultNetworkParams.beacon_offset_secs, epochSecs) + 1
  printStep(`Epoch ${epoch} begins: the hub builds the set of its devices, and the validators attest it`)
  await passUntil(stage, epochStart(epoch, epochSecs))
  await waitForSet(cluster.network.url, projectId)
  const params = { path: { project_id: projectId, epoch } }
  const { snapshot, set_hash, attestations } = await network.client.call(
    'GET /v1/committees/{project_id}/{epoch}',
    params,
  )
  ensure(snapshot.entries.length === 5, 'the five devices are in the set')
  print('=', `${attestations.length} validators attested ${set_hash}`)
  return epoch
}

/** Shows tasks until there was one of each kind, and both who break the rules have voted. */
export async function showTasks({ network, projectId, liar, doubleVoter }: Stage): Promise<FinishedTask[]> {
  printStep('Submit tasks, four at once. A committee of three devices runs each, until its result is final')
  print('·', 'clean: the committee agrees; audited: validators check it; contested: validators decide it')
  const done: FinishedTask[] = []
  const hasVoted = (nodeId: string) =>
    done.some(({ round }) => round.votes_detail?.some(({ node_id }) => node_id === nodeId))
  const isComplete = () =>
    kinds.every((kind) => done.some((task) => task.kind === kind)) && hasVoted(liar) && hasVoted(doubleVoter)
  for (let batch = 0; batch < batchesMax && !isComplete(); batch += 1) {
    const numbers = Array.from({ length: tasksAtOnce }, (_, index) => batch * tasksAtOnce + index + 1)
    const tasks = await Promise.all(
      numbers.map(async (number) => {
        const input = `{"task":${number}}`
        const task = await finishTask(network.client, projectId, input)
        ensure(task.output === input, 'the result of a task is true, whichever devices are in its committee')
        return task
      }),
    )
    for (const task of tasks) printTask(task)
    done.push(...tasks)
  }
  ensure(isComplete(), 'there are tasks of every kind, and both who break the rules have voted')
  const seconds = done.map((task) => task.seconds).sort((a, b) => a - b)
  print('=', `${done.length} tasks final; median ${seconds[seconds.length >> 1]?.toFixed(1)} s`)
  return done
}

const printTask = ({ kind, round, output, seconds }: FinishedTask): void => {
  const { agreeing = 0, committee_size = 0, receipt_hash = '' } = round
  const votes = kind === 'fallback' ? 'no committee' : `${agreeing} of ${committee_size} agree`
  print('·', `${kind.padEnd(9)} ${seconds.toFixed(1).padStart(5)} s  ${votes}  ${receipt_hash}  ${output}`)
}

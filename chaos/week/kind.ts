import { listChildren } from '../../localnet/processes.ts'
import type { LongKind } from '../harness/kind.ts'
import { secondsUntilFinal } from '../network/echo-tasks.ts'
import { firstEpochOf, type NodeNetwork, startNodeNetwork } from '../network/node-network.ts'
import { memory, memoryOf } from '../network/process-memory.ts'
import { checkWeek } from './check.ts'
import { planWeek } from './plan.ts'
import { epochSecs, Week } from './week.ts'

const memoryEach = 12

/**
 * Moves the time of a network of processes on from epoch to epoch, while hub, validators and miners end and come back,
 * join and leave, and logs come late. Linux only.
 */
export const week: LongKind = {
  async run({ folder, length, seed, say, problem }) {
    const network = await startNodeNetwork({ folder, miners: 5, problem })
    try {
      say(`The network runs; logs are in ${folder}`)
      const kept: object[] = []
      const current = new Week(network, seed, { say, problem })
      const first = firstEpochOf(network, epochSecs)
      await current.passInto(first)
      for (const [index, plan] of planWeek(seed, length).entries()) {
        const startedMs = performance.now()
        await current.runEpoch(first + index, plan).catch(async (error: Error) => {
          // The week goes on, so that its end shows the consequences.
          problem(`Epoch ${index + 1}: ${error.stack ?? error}`)
          await current.passInto(first + index + 1)
        })
        if (index % memoryEach === 0) kept.push(noteMemory(network, index))
        const took = ((performance.now() - startedMs) / 1000).toFixed(1)
        say(`epoch ${index + 1} of ${length}: ${current.tasks.length} tasks so far, ${took} s`)
      }
      const epochs = await current.finish(first, length)
      const figures = await summarise(current, epochs, problem)
      return { ...figures, memory_mib: [...kept, noteMemory(network, length)] }
    } catch (error) {
      problem(String((error as Error).stack ?? error))
      return {}
    } finally {
      await network.stop()
    }
  },
}

async function summarise(
  { network, tasks, restarts, changes, epochsWithLateLogs }: Week,
  epochs: readonly number[],
  problem: (text: string) => void,
) {
  const { client } = network.network
  const params = { path: { project_id: network.projectId } }
  const { manifest } = await client.call('GET /v1/projects/{project_id}/manifest', params)
  const { economics, work } = manifest.consensus
  const { vault } = await client.call('GET /v1/projects/{project_id}/economics', params)
  const rules = {
    projectId: network.projectId,
    epochSecs: work.epoch_secs,
    roundSecs: work.round_secs,
    economics,
    vault: vault.address,
  }
  const { differences, figures } = await checkWeek(network, rules, tasks, epochs)
  for (const text of differences) problem(text)
  const status = await client.call('GET /v1/status')
  return {
    tasks: tasks.length,
    seconds_until_final: secondsUntilFinal(tasks),
    restarts,
    changes,
    epochs_with_lagging_logs: epochsWithLateLogs,
    logs_hidden: network.hubProxy.faults.get('logs_lag') ?? 0,
    log_differences: status.chain?.log_differences ?? null,
    status: status.status,
    late: status.late,
    ...figures,
  }
}

/** The MiB that hub and chain have resident, and those of each node that no other process shares. */
function noteMemory({ validators, miners }: NodeNetwork, epoch: number): object {
  const own = listChildren()
    .filter(({ program }) => program === 'workerd' || program === 'anvil')
    .map(({ program, pid }) => [program, Math.round(memory(pid, 'VmRSS'))] as const)
  const nodes = memoryOf([...validators, ...miners].map(({ node }) => node))
  return { epoch, ...Object.fromEntries(own), ...nodes }
}

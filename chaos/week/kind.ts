import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { listChildren } from '../../localnet/processes.ts'
import { epochAt } from '../../protocol/committees/index.ts'
import { defaultNetworkParams } from '../../protocol/identity/index.ts'
import { unwrap } from '../../sdk/answers.ts'
import type { LongKind, LongRunOptions } from '../harness/kind.ts'
import { secondsUntilFinal } from '../network/echo-tasks.ts'
import { memory } from '../network/process-memory.ts'
import { checkWeek } from './check.ts'
import { startWeekNetwork, type WeekNetwork } from './network.ts'
import { planWeek } from './plan.ts'
import { epochSecs, Week } from './week.ts'

/**
 * Moves the time of a network of processes on from epoch to epoch, while hub, validators and miners end and come back,
 * join and leave, and logs come late. Linux only.
 */
export const week: LongKind = { run }

const memoryEach = 12

async function run({ length, seed, say, problem, problems }: LongRunOptions): Promise<object> {
  const folder = mkdtempSync(path.join(tmpdir(), 'week-'))
  const network = await startWeekNetwork(folder, ({ name, plan }) =>
    problem(`${name} ended by itself: ${plan.logFile}`),
  )
  try {
    say(`The network runs; logs are in ${folder}`)
    const kept: Record<string, number>[] = []
    const current = new Week(network, seed, { say, problem })
    // Members that are bonded before the beacon of an epoch are in its set.
    const first = epochAt(network.time() + defaultNetworkParams.beacon_offset_secs, epochSecs) + 1
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
    return {
      ...(await summarise(current, epochs, problem)),
      memory_mib: [...kept, noteMemory(network, length)],
    }
  } catch (error) {
    problem(String((error as Error).stack ?? error))
    return {}
  } finally {
    await network.stop()
    // Logs of what went wrong are looked at.
    if (problems.length === 0) rmSync(folder, { recursive: true })
  }
}

async function summarise(
  { network, tasks, restarts, members, epochsWithLateLogs }: Week,
  epochs: readonly number[],
  problem: (text: string) => void,
): Promise<object> {
  const { client } = network.network
  const params = { path: { project_id: network.projectId } }
  const { manifest } = await unwrap(client.GET('/v1/projects/{project_id}/manifest', { params }))
  const { economics, work } = manifest.consensus
  const { vault } = await unwrap(client.GET('/v1/projects/{project_id}/economics', { params }))
  const rules = {
    projectId: network.projectId,
    epochSecs: work.epoch_secs,
    roundSecs: work.round_secs,
    economics,
    vault: vault.address,
  }
  const { differences, figures } = await checkWeek(network, rules, tasks, epochs)
  for (const text of differences) problem(text)
  const status = await unwrap(client.GET('/v1/status'))
  return {
    tasks: tasks.length,
    seconds_until_final: secondsUntilFinal(tasks),
    restarts,
    changes: members.changes,
    epochs_with_lagging_logs: epochsWithLateLogs,
    logs_hidden: network.hubProxy.faults.get('logs_lag') ?? 0,
    log_differences: status.chain?.log_differences ?? null,
    status: status.status,
    late: status.late,
    ...figures,
  }
}

/** The MiB that hub and chain have resident, and those of each node that no other process shares. */
function noteMemory({ validators, miners }: WeekNetwork, index: number): Record<string, number> {
  const nodes = [...validators, ...miners].flatMap(({ node }) =>
    node.pid === null ? [] : [[node.name, Math.round(memory(node.pid, 'RssAnon'))] as const],
  )
  const own = listChildren().flatMap(({ program, pid }) =>
    program === 'workerd' || program === 'anvil'
      ? [[program, Math.round(memory(pid, 'VmRSS'))] as const]
      : [],
  )
  return { epoch: index, ...Object.fromEntries([...own, ...nodes]) }
}

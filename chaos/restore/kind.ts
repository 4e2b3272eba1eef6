import { cpSync, rmSync } from 'node:fs'
import path from 'node:path'
import { callNode } from '../../contracts/json-rpc.ts'
import { backUp } from '../../deploy/backup/backup.ts'
import { readRelayers } from '../../deploy/backup/load-objects.ts'
import { backupFiles } from '../../deploy/backup/manifest.ts'
import type { Post } from '../../deploy/backup/objects.ts'
import { loadDatabase, restoreInto } from '../../deploy/backup/restore.ts'
import { completeEnvironment } from '../../deploy/testing/environments.ts'
import { localDatabase, statePathIn } from '../../deploy/testing/local-database.ts'
import { accounts } from '../../localnet/accounts.ts'
import { HubError } from '../../sdk/errors.ts'
import type { LongKind } from '../harness/kind.ts'
import { delay } from '../harness/time.ts'
import { type EchoNetwork, type EchoTask, followTask, giveTask, isHonest } from '../network/echo-tasks.ts'
import { readAll } from '../network/explorer.ts'
import { passIntoWork, startNodeNetwork } from '../network/node-network.ts'

const taskEachMs = 500
const taskLimitMs = 600_000

/**
 * Backs up a network of processes while it works, lets it work on, destroys hub and storage but the buckets, and makes it again in
 * another folder from the backup. Linux only.
 */
export const restore: LongKind = {
  async run({ folder, length: minutes, problem, say }) {
    const stateOf = (name: string) => statePathIn(path.join(folder, name))
    const network = await startNodeNetwork({ folder, statePath: stateOf('first'), miners: 5, problem })
    try {
      await passIntoWork(network)
      const ask = async (method: string, ...params: string[]) =>
        Number((await callNode(network.rpcUrl, [[method, ...params]]))[0])
      const sentByRelayer = () => ask('eth_getTransactionCount', accounts.relayer.address, 'latest')
      const post: Post = <T>(route: string, body: object) =>
        network.operator.quiet.call(
          `POST ${route}` as 'POST /admin/v1/objects/dump',
          { body } as object,
        ) as Promise<T>
      const tasks: EchoTask[] = []
      let refused = 0
      const load = async (ms: number, name: string) => {
        for (const endMs = performance.now() + ms; performance.now() < endMs; await delay(taskEachMs))
          await giveTask(
            network,
            `${name}-${tasks.length}`,
            JSON.stringify({ name, task: tasks.length }),
          ).then(
            (task) => tasks.push(task),
            // The hub answers 503 while its database is exported.
            (error) => {
              if (!(error instanceof HubError)) throw error
              refused += 1
            },
          )
      }
      const part = (minutes * 60_000) / 2
      say('Tasks are given')
      const before = load(part, 'before')
      await delay(part / 2)
      const backupMs = performance.now()
      const backup = path.join(folder, 'backup')
      const manifest = await backUp({
        ...{ environment: completeEnvironment(), folder: backup, secrets: [], now: new Date(), say, post },
        database: localDatabase(path.join(folder, 'first')),
        blockNumber: () => ask('eth_blockNumber'),
      })
      const backupSecs = secondsSince(backupMs)
      await before
      await load(part, 'after')
      const final = await readRounds(network)
      const sent = await sentByRelayer()
      say(`${tasks.length} tasks, ${final.length} final; the hub is destroyed`)

      const lostMs = performance.now()
      await network.hub.end('SIGKILL')
      cpSync(path.join(stateOf('first'), 'r2'), path.join(stateOf('second'), 'r2'), { recursive: true })
      rmSync(path.join(folder, 'first'), { recursive: true })
      const file = path.join(backup, backupFiles.objects)
      const relayers = await readRelayers({
        ...{ file, block: manifest.block, rpcUrls: [network.rpcUrl], nowMs: Date.now() },
      })
      await loadDatabase(localDatabase(path.join(folder, 'second')), backup)
      network.hub.moveTo(stateOf('second'))
      await network.hub.start()
      await restoreInto({ post, manifest, folder: backup, relayers, say })
      const restoreSecs = secondsSince(lostMs)

      const after = await readRounds(network)
      const known = new Map(after.map((round) => [round.round_id, round]))
      for (const round of final)
        if (JSON.stringify(known.get(round.round_id)) !== JSON.stringify(round))
          problem(`${round.round_id} was final, and is another after the restore`)
      const sentAgain = (await sentByRelayer()) - sent
      const seen = new Set(final.map(({ epoch, seq }) => `${epoch} ${seq}`))
      const fresh = tasks.length
      await load(part, 'restored')
      const restored = tasks.slice(fresh)
      await Promise.all(restored.map((task) => followTask(network, task, taskLimitMs)))
      for (const task of restored)
        if (!isHonest(task)) problem(`A task after the restore is lost: ${JSON.stringify(task.task)}`)
      const rounds = (await readRounds(network)).filter(({ round_id }) => !known.has(round_id))
      for (const { epoch, seq, round_id } of rounds)
        if (seen.has(`${epoch} ${seq}`)) problem(`${round_id} has a seq that another round had`)
      return {
        tasks: tasks.length,
        refused,
        final_before: final.length,
        final_after: after.length,
        final_and_honest_after_restore: restored.filter(isHonest).length,
        transactions_of_relayer_before_and_after: [sent, sent + sentAgain],
        seconds_of_backup: backupSecs,
        seconds_from_loss_to_work: restoreSecs,
      }
    } catch (error) {
      problem(String((error as Error).stack ?? error))
      return {}
    } finally {
      await network.stop()
    }
  },
}

/** Rounds of tasks that are final, as lists show them. */
const readRounds = ({ network: { client }, projectId }: EchoNetwork) =>
  readAll((cursor) =>
    client.call('GET /v1/explorer/rounds', {
      query: {
        project_id: projectId,
        kind: 'task',
        state: 'finalized',
        limit: 100,
        ...(cursor && { cursor }),
      },
    }),
  )

const secondsSince = (ms: number): number => Number(((performance.now() - ms) / 1000).toFixed(1))

import { cpSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { backup as backUp, DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readManifest } from '../../deploy/backup/manifest.ts'
import type { Environment } from '../../deploy/environment.ts'
import { hubVars } from '../../deploy/hub-settings.ts'
import { completeEnvironment } from '../../deploy/testing/environments.ts'
import { loadedWrangler } from '../../deploy/testing/loaded-wrangler.ts'
import { type KeptAccount, persisted } from '../../deploy/testing/local-wrangler.ts'
import { type Desk, openDesk } from '../../deploy/testing/operators-desk.ts'
import { RecordedAccount } from '../../deploy/testing/recorded-account.ts'
import { resourcesOf } from '../../deploy/wrangler-config.ts'
import { accounts } from '../../localnet/accounts.ts'
import { pickPort } from '../../localnet/port.ts'
import { privateKeys } from '../../localnet/private-keys.ts'
import { bundleHub } from '../../scripts/bundle.ts'
import { readNetwork } from '../../scripts/hub/network.ts'
import { databaseFile } from '../../scripts/wrangler-hub.ts'
import { hasAnvil } from '../../testing/anvil.ts'
import { temporaryFolder } from '../../testing/node/folders.ts'
import { LocalNodeHere } from '../../testing/node/local-node-here.ts'
import { followTask, giveTask, isHonest } from '../network/echo-tasks.ts'
import { HubProcess } from '../network/hub-process.ts'
import { localChain, type NodeNetwork, passIntoWork, startNodeNetwork } from '../network/node-network.ts'

const timeout = 600_000
const taskLimitMs = 300_000

describe.skipIf(!hasAnvil)('the commands for an operator whose hub has lost data', () => {
  let environment: Environment
  let desk: Desk
  let network: NodeNetwork
  let settings: Record<string, string>
  let whole: Awaited<ReturnType<typeof read>>
  const taskIds: string[] = []
  const problems: string[] = []
  const stateOf = ({ folder }: Desk) => path.join(folder, persisted[1]!, 'v3')
  const state = () => stateOf(desk)
  /** An account whose database has the id that wrangler gives the local hub's database. */
  const keepAccount = (of: Desk, over: Partial<KeptAccount>) =>
    of.keepAccount({
      ...new RecordedAccount(),
      databases: [{ name: environment.name, uuid: '00000000-0000-0000-0000-000000000000' }],
      killsAfter: [],
      ...over,
    })

  beforeAll(async () => {
    const folder = temporaryFolder()
    const chain = await localChain(folder)
    environment = completeEnvironment({
      relayer: accounts.relayer.address,
      operators: [accounts.operator.address],
      network: {},
      chain: {
        profile: 'local',
        rpc_urls: [chain.url],
        start_block: chain.deployment.startBlock,
        contracts: { ...chain.deployment.contracts },
      },
    })
    desk = openDesk(environment, 'trial', async () => Number(new URL(network.hubUrl).port))
    keepAccount(desk, { secrets: { HUB_SECRET: '' }, killsAfter: ['r2 object put'] })
    network = await startNodeNetwork({
      ...{ folder, statePath: state(), miners: 3, validators: 1 },
      chain: {
        ...chain,
        hubSettings(usual) {
          settings = usual
          return { ...usual, CHAIN_RPC_URL: chain.url, WEB_HOSTS: environment.domain }
        },
        rpcOfValidator: () => chain.url,
      },
      nodeOf: (plan, surroundings) => new LocalNodeHere(plan, surroundings),
      problem: (text) => problems.push(text),
    })
    await passIntoWork(network)
  }, timeout)
  afterAll(async () => {
    await network?.stop()
    await desk?.close()
  }, timeout)

  const line = (args: readonly string[]) =>
    ['deploy/run.ts', ...args, '--env', 'trial', '--key-env', 'OPERATOR_KEY'] as const
  const env = async () => ({ LOCAL_WRANGLER: await loadedWrangler(), OPERATOR_KEY: privateKeys.operator })
  const deploy = async (...args: string[]) => desk.runLoaded(line(args), await env())

  /** A task that is final. */
  async function work(key: string): Promise<string> {
    const given = await giveTask(network, key, JSON.stringify({ key }))
    await followTask(network, given, taskLimitMs)
    expect(isHonest(given), JSON.stringify(given.task)).toBe(true)
    return given.task.task_id
  }

  /** Backups that the hub was told of as whole. */
  async function notedBackups(): Promise<string[]> {
    const { items } = await network.operator.client.call('GET /admin/v1/audit-log')
    return items.flatMap(({ action, subject }) => (action === 'backup.made' ? [subject] : []))
  }

  /** Has the hub forget tasks that have just ended, as it does some seconds later: a new process would have lists show their rounds again. */
  async function clearEnded(): Promise<void> {
    let cursor: string | null = null
    do {
      const page: { next_cursor: string | null } = await network.operator.client.call(
        'POST /admin/v1/objects/dump',
        { body: { cursor } },
      )
      cursor = page.next_cursor
    } while (cursor !== null)
  }

  /** Public records of tasks that are over: their rounds, receipts and epochs. */
  async function read(taskIds: readonly string[], { client } = network.network) {
    const { items } = await client.call('GET /v1/explorer/rounds', {
      query: { project_id: network.projectId },
    })
    return {
      items,
      rounds: await Promise.all(
        items.map(({ round_id }) =>
          client.call('GET /v1/explorer/rounds/{round_id}', { path: { round_id } }),
        ),
      ),
      receipts: await Promise.all(
        items.map(({ receipt_hash }) =>
          client.find('GET /v1/explorer/receipts/{receipt_hash}', {
            path: { receipt_hash: receipt_hash! },
          }),
        ),
      ),
      tasks: await Promise.all(
        taskIds.map((task_id) => client.find('GET /v1/tasks/{task_id}', { path: { task_id } })),
      ),
      epochs: await client.call('GET /v1/explorer/epochs', { query: { project_id: network.projectId } }),
    }
  }

  const states = async () => {
    const { items } = await network.network.client.call('GET /v1/explorer/rounds', {
      query: { project_id: network.projectId },
    })
    return items.map(({ state }) => state)
  }

  test(
    '`backup` copies all data, and `repair` adds to an older database the data that it lacks',
    async () => {
      taskIds.push(await work('first'))
      const killed = await desk.run(line(['backup', '--to', 'interrupted']), await env())
      expect(killed, killed.said).toMatchObject({ signal: 'SIGKILL' })
      expect(await notedBackups()).toEqual([])
      const backup = await deploy('backup', '--to', 'backup')
      expect(backup, backup.said).toMatchObject({
        code: 0,
        said: expect.stringMatching(/r2:hub-trial-\w+\//),
      })
      const manifest = await readManifest(path.join(desk.folder, 'backup'))
      expect(await notedBackups()).toEqual([manifest.id])

      await expect.poll(states).toEqual(['finalized'])
      const earlier = path.join(desk.folder, 'earlier.sqlite')
      await copyDatabase(databaseFile(state())!, earlier)
      // The bucket dates its records by the clock of the machine, which the network is ahead of.
      const since = new Date().toISOString()
      taskIds.push(...(await Promise.all([work('second'), work('third')])))
      await expect.poll(states).toEqual(Array(3).fill('finalized'))
      whole = await read(taskIds)
      await clearEnded()

      await network.hub.end('SIGTERM')
      const file = databaseFile(state())!
      for (const part of ['', '-wal', '-shm']) rmSync(`${file}${part}`, { force: true })
      cpSync(earlier, file)
      await network.hub.start()
      expect((await read([])).items).toHaveLength(1)

      const shown = await deploy('repair', '--since', since)
      expect(shown, shown.said).toMatchObject({ code: 0, said: expect.stringMatching(/rounds: 2 lacks/) })
      expect((await read([])).items).toHaveLength(1)
      const told = await deploy('repair', '--since', since, '--yes')
      expect(told, told.said).toMatchObject({ code: 0, said: expect.stringMatching(/rounds: 2 told/) })
      expect(await read(taskIds)).toEqual(whole)
      const again = await deploy('repair', '--since', since)
      expect(again.said.match(/^.* lacks$/gm), again.said).toEqual(['rounds: 0 lacks'])
      expect(problems).toEqual([])
    },
    timeout,
  )

  test(
    '`restore` recreates the hub in a fresh environment from the bucket of the backup',
    async () => {
      await network.hub.end('SIGKILL')
      const secrets = Object.fromEntries(
        ['HUB_SECRET', 'COORDINATOR_SEED', 'RELAYER_PRIVATE_KEY', 'ARBITER_PRIVATE_KEY'].map((name) => [
          name,
          settings[name]!,
        ]),
      )
      const port = await pickPort()
      const url = `http://localhost:${port}`
      let started: Promise<void> | undefined
      const fresh: Desk = openDesk(environment, 'trial', async () => {
        if (fresh.account().deployments.length === 0) return null
        started ??= hub.start()
        await started
        return port
      })
      const vars = { ...hubVars(environment), ...secrets }
      const hub = new HubProcess({ script: await bundleHub(), port, statePath: stateOf(fresh), vars }, url)
      try {
        cpSync(path.join(state(), 'r2'), path.join(stateOf(fresh), 'r2'), { recursive: true })
        keepAccount(fresh, { buckets: [...resourcesOf(environment).buckets] })
        writeFileSync(path.join(fresh.folder, 'secrets.json'), JSON.stringify(secrets))
        const { id } = await readManifest(path.join(desk.folder, 'backup'))
        const from = `r2:${resourcesOf(environment).payloadBucket}/${id}`
        const restored = await fresh.run(
          line(['restore', '--from', from, '--save', 'secrets.json', '--yes']),
          await env(),
        )
        expect(restored, restored.said).toMatchObject({
          code: 0,
          said: expect.stringMatching(/Added 2 rounds[\s\S]*The hub answers at https:\/\/hub\.example\.org/),
        })
        // Which epoch is open follows from the clock, and this hub has that of the machine.
        const { epochs: _, ...kept } = await read(taskIds, await readNetwork(url))
        const { epochs: __, ...before } = whole
        expect(kept).toEqual(before)
      } finally {
        if (started !== undefined) await hub.end('SIGTERM')
        await fresh.close()
      }
    },
    timeout,
  )
})

/** Copies a database, also one that a hub uses. */
async function copyDatabase(from: string, to: string): Promise<void> {
  const database = new DatabaseSync(from, { readOnly: true, timeout: 10_000 })
  await backUp(database, to)
  database.close()
}

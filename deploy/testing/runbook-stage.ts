import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { startAnvil } from '../../contracts/anvil.ts'
import { deployContracts } from '../../contracts/deploy.ts'
import { anvilKeys, networkParamsOf, resolveProfile } from '../../protocol/identity/index.ts'
import {
  type BreakableHub,
  restartEmpty,
  restartHub,
  startBreakableHub,
} from '../../testing/breakable-hub.ts'
import { startGate } from '../../testing/gate.ts'
import { hubVars } from '../hub-settings.ts'
import { resourcesOf } from '../wrangler-config.ts'
import { completeEnvironment } from './environments.ts'
import { openDesk } from './operators-desk.ts'
import { RecordedAccount } from './recorded-account.ts'

const [deployerKey, arbiterKey, relayerKey, operatorKey] = anvilKeys as readonly Hex[] as [Hex, Hex, Hex, Hex]
const accountOf = (key: Hex) => privateKeyToAccount(key)
export const relayer = accountOf(relayerKey).address
export const project = `0x${'ab'.repeat(32)}`
export const epochSecs = 3_600

export const nowSecs = () => Math.floor(Date.now() / 1000)
export const epoch = () => Math.floor(nowSecs() / epochSecs)

export type RunbookStage = Awaited<ReturnType<typeof startRunbookStage>>

/** A hub on a chain, which both can fail, and the desk of its operator. */
export async function startRunbookStage() {
  const anvil = await startAnvil()
  const own = ['minter', 'dripper', 'reviewer', 'proposer', 'poster'].map((role) => [role, relayer])
  const deployment = await deployContracts({
    rpcUrl: anvil.url,
    account: accountOf(deployerKey),
    profile: resolveProfile(),
    params: networkParamsOf(31_337),
    treasury: accountOf(deployerKey).address,
    roles: {
      admin: accountOf(deployerKey).address,
      arbiter: accountOf(arbiterKey).address,
      ...Object.fromEntries(own),
    },
    faucetSupplyWei: 10n ** 24n,
  })
  const gate = await startGate(new URL(anvil.url).port)
  const environment = completeEnvironment({
    ...{ name: 'hub-testnet', relayer, network: {}, operators: [accountOf(operatorKey).address] },
    chain: {
      profile: 'local',
      rpc_urls: [gate.url],
      start_block: deployment.startBlock,
      contracts: { ...deployment.contracts },
    },
    // Operators of twenty pages sign in within a minute.
    settings: {
      ...{ CHAIN_CONFIRMATIONS: '1', CHAIN_FINALITY_BLOCKS: '0', CHAIN_BLOCK_SECS: '1' },
      RATE_LIMIT_MULTIPLIER: '2',
    },
  })
  const vars: Record<string, string> = {
    ...hubVars(environment),
    ...{ HUB_SECRET: 'a secret that only tests know, long enough', RELAYER_PRIVATE_KEY: relayerKey },
    COORDINATOR_SEED: `0x${'5e'.repeat(32)}`,
  }
  const state = mkdtempSync(path.join(tmpdir(), 'runbooks-'))
  let hub: BreakableHub | undefined
  let [isOther, wasApart] = [false, false]
  let isDomainLost = false
  /** It goes on until its process ends, which the first one shows. */
  let hadWatch = false
  const desk = openDesk(environment, 'testnet', async () =>
    isDomainLost && desk.account().uploads === 0 ? null : Number(hub?.urls[0]?.port),
  )

  const query = <T>(sql: string, ...values: unknown[]): Promise<T> => hub!.query<T>(sql, ...values)

  /** A row with a value in each column that needs one. */
  async function insert(table: string, row: Record<string, unknown>): Promise<void> {
    const columns = await query<{ name: string; type: string; must: number }[]>(
      `SELECT name, type, "notnull" OR pk AS must FROM pragma_table_info('${table}') WHERE dflt_value IS NULL`,
    )
    const filled = columns.filter(({ must, name, type }) => must && name !== 'ordinal' && type !== '')
    const whole = {
      ...Object.fromEntries(filled.map(({ name, type }) => [name, type === 'INTEGER' ? 0 : '{}'])),
      ...row,
    }
    const names = Object.keys(whole)
    await query(
      `INSERT OR REPLACE INTO ${table} (${names}) VALUES (${names.map(() => '?')})`,
      ...Object.values(whole),
    )
  }
  /** Runs a statement on the storage of the relayer's object, without the object. */
  const inRelayer = (statement: string) => {
    const folder = path.join(state, 'do')
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    for (const file of files.filter((name) => name.includes('Relayer') && name.endsWith('.sqlite'))) {
      const database = new DatabaseSync(path.join(folder, file))
      database.exec('PRAGMA busy_timeout = 5000')
      if (database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'relays'").get())
        database.exec(statement)
      database.close()
    }
  }
  const deployed = (version_id: string, at: number) => ({
    created_on: `2026-11-0${at}`,
    annotations: { 'workers/message': `${resourcesOf(environment).objectsTag} of ${version_id}` },
    versions: [{ version_id, percentage: 100 }],
  })
  /** Gives the operator an account with everything that `up` makes. */
  const keepWholeAccount = () => {
    const { buckets, queues, worker, payloadBucket } = resourcesOf(environment)
    const made = {
      databases: [{ name: worker, uuid: 'uuid-0' }],
      buckets: [...buckets],
      queues: [...queues],
    }
    const secrets = { HUB_SECRET: 'x', COORDINATOR_SEED: 'x', RELAYER_PRIVATE_KEY: 'x' }
    const deployments = [deployed('v1', 1), deployed('v2', 2)]
    const account = {
      ...made,
      rules: [`${payloadBucket}/delete-payloads`],
      secrets,
      deployments,
      isMigrated: true,
    }
    desk.keepAccount({ ...new RecordedAccount(), ...account, killsAfter: [] })
  }
  const balance = (wei: bigint) => anvil.rpc('anvil_setBalance', relayer, `0x${wei.toString(16)}`)

  return {
    ...{ anvil, gate, environment, desk, query, insert, inRelayer, keepWholeAccount, balance },
    hub: () => hub!,
    url: (place: string): URL => new URL(place, hub!.urls[0]),
    /**
     * Starts the hub again in its process, unless it runs with the usual settings and these are wanted.
     * @param isApart - Whether it has nothing of the others meanwhile, and they have nothing of it.
     */
    async useHub(other?: Record<string, string>, isApart = false): Promise<void> {
      const isFirst = hub === undefined
      hub ??= await startBreakableHub(vars, state)
      if (!isFirst && other === undefined && !isOther) return
      if (isApart || wasApart) await restartEmpty(hub, other ?? {})
      else await restartHub(hub, other ?? {}, true)
      isOther = other !== undefined
      wasApart = isApart
      if (!other?.BASE_URL) await hub.runSchedule()
    },
    /** Takes the domain away until a Worker is uploaded, or gives it back. */
    loseDomain(isLost: boolean) {
      isDomainLost = isLost
    },
    /** Runs a command of a page. @returns What it says. */
    async run(command: string): Promise<string> {
      const [, place, rest = ''] =
        /^(?:npm run -s (operator|deploy) --|npx wrangler) (.+)$/.exec(command) ?? []
      const words = rest.match(/"[^"]*"|\S+/g)!.map((word) => word.replaceAll('"', ''))
      const program =
        place === undefined ? 'wrangler' : place === 'operator' ? 'tools/operator.ts' : 'deploy/run.ts'
      const env = {
        HUB_URL: 'https://hub.example.org',
        OPERATOR_KEY: operatorKey,
        RELAYER_PRIVATE_KEY: relayerKey,
      }
      const line = [program, ...words] as const
      const isWatch = words[0] === 'watch'
      const isProcess = program === 'wrangler' || (isWatch && !hadWatch)
      hadWatch ||= isWatch
      const runIt = isProcess ? desk.run : desk.runLoaded
      const { code, said } = await runIt(line, env, isWatch ? '\n\n' : undefined)
      if (![0, 1, 2, null].includes(code)) throw new Error(`${command} exits with ${code}: ${said}`)
      return said
    },
    async stop() {
      await hub?.stop()
      await desk.close()
      await gate.stop()
      await anvil.stop()
      rmSync(state, { recursive: true, force: true })
    },
  }
}

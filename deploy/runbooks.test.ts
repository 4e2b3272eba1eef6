import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Anvil, findAnvil, startAnvil } from '../contracts/anvil.ts'
import { deployContracts } from '../contracts/deploy.ts'
import { anvilKeys, networkParamsOf, resolveProfile } from '../protocol/identity/index.ts'
import { type BreakableHub, startBreakableHub } from '../testing/breakable-hub.ts'
import { driverOf } from '../testing/driver.ts'
import { startGate } from '../testing/gate.ts'
import { register } from '../testing/registrations.ts'
import type { Environment } from './environment.ts'
import { hubVars } from './hub-settings.ts'
import { completeEnvironment } from './testing/environments.ts'
import { tailFile } from './testing/local-wrangler.ts'
import { type Desk, openDesk } from './testing/operators-desk.ts'
import { RecordedAccount } from './testing/recorded-account.ts'
import { resourcesOf } from './wrangler-config.ts'

const [deployerKey, arbiterKey, relayerKey, operatorKey] = anvilKeys as readonly Hex[] as [Hex, Hex, Hex, Hex]
const accountOf = (key: Hex) => privateKeyToAccount(key)
const relayer = accountOf(relayerKey).address
const project = `0x${'ab'.repeat(32)}`
const nowSecs = () => Math.floor(Date.now() / 1000)
const timeout = 600_000

interface Status {
  database: string
  module_storage: string
  queue: string
  relayer: string
  time: number
  chain: { finalizing: boolean; halted: string | null }
  late: { what: string }[] | null
}

interface Incident {
  /** Settings that the hub has meanwhile. */
  readonly vars?: Record<string, string>
  /** The same, of a hub that has nothing of the others. */
  readonly apart?: () => Promise<Record<string, string>>
  readonly provoke?: () => Promise<unknown>
  /** Whether the hub has noticed. */
  readonly isSeen?: (status: Status) => boolean
  readonly mend?: () => Promise<unknown>
  /** What the first three commands print, in order. */
  readonly says: readonly [RegExp, RegExp, RegExp]
}

describe.skipIf(findAnvil() === null)(
  'the first three commands of a runbook show what its page describes',
  () => {
    let anvil: Anvil
    let halted: Anvil
    let gate: Awaited<ReturnType<typeof startGate>>
    let environment: Environment
    let hub: BreakableHub | undefined
    let desk: Desk
    const state = mkdtempSync(path.join(tmpdir(), 'runbooks-'))
    let isDomainLost = false
    const vars: Record<string, string> = {}
    let isOther = false
    const logged: string[] = []

    beforeAll(async () => {
      vi.spyOn(console, 'error').mockImplementation((...words) => void logged.push(words.join(' ')))
      anvil = await startAnvil()
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
      gate = await startGate(new URL(anvil.url).port)
      environment = completeEnvironment({
        ...{ name: 'hub-testnet', relayer, network: {}, operators: [accountOf(operatorKey).address] },
        chain: {
          profile: 'local',
          rpc_urls: [gate.url],
          start_block: deployment.startBlock,
          contracts: { ...deployment.contracts },
        },
        settings: { CHAIN_CONFIRMATIONS: '1', CHAIN_FINALITY_BLOCKS: '0', CHAIN_BLOCK_SECS: '1' },
      })
      Object.assign(vars, hubVars(environment), {
        ...{ HUB_SECRET: 'a secret that only tests know, long enough', RELAYER_PRIVATE_KEY: relayerKey },
        COORDINATOR_SEED: `0x${'5e'.repeat(32)}`,
      })
      desk = openDesk(environment, 'testnet', async () =>
        isDomainLost && desk.account().uploads === 0 ? null : Number(hub?.urls[0]?.port),
      )
      await start()
    }, timeout)
    afterAll(async () => {
      vi.restoreAllMocks()
      await hub?.stop()
      await desk?.close()
      await gate?.stop()
      await anvil?.stop()
      rmSync(state, { recursive: true, force: true })
    })

    async function start(other?: Record<string, string>, folder = state): Promise<void> {
      await hub?.stop()
      isOther = other !== undefined
      hub = await startBreakableHub({ ...vars, ...other }, folder)
      if (!other?.BASE_URL) await hub.runSchedule()
    }

    const url = (place: string): URL => new URL(place, hub!.urls[0])
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
    const listed = (status = 'listed') =>
      insert('projects', {
        project_id: project,
        slug: 'weather',
        listing_status: status,
        created_at: nowSecs() - 9_000,
      })
    const epochSecs = 3_600
    const epoch = () => Math.floor(nowSecs() / epochSecs)
    const unposted = async (over: Record<string, unknown>) => {
      await listed()
      const totals = { gross: '9', miner: '7', developer: '1', treasury: '1' }
      const token = { address: `0x${'70'.repeat(20)}`, symbol: 'HUB', decimals: 18 }
      await insert('epoch_receipts', {
        ...{
          project_id: project,
          epoch: epoch() - 2,
          epoch_secs: epochSecs,
          starts_at: (epoch() - 2) * epochSecs,
        },
        ...{
          totals: JSON.stringify(totals),
          token: JSON.stringify(token),
          accepted_at: nowSecs() - 4_000,
          ...over,
        },
      })
    }
    const removed =
      (...tables: string[]) =>
      async () => {
        for (const table of tables) await query(`DELETE FROM ${table}`)
      }
    /** What the relayer's object has stored, behind its back. */
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
    const accountWith = (over: Partial<RecordedAccount>) =>
      desk.keepAccount({ ...new RecordedAccount(), ...over, killed: null })
    const deployed = (version_id: string, at: number) => ({
      created_on: `2026-11-0${at}`,
      annotations: { 'workers/message': `${resourcesOf(environment).objectsTag} of ${version_id}` },
      versions: [{ version_id, percentage: 100 }],
    })
    /** Everything that `up` makes. */
    const whole = () => {
      const { buckets, queues, worker } = resourcesOf(environment)
      const made = {
        databases: [{ name: worker, uuid: 'uuid-0' }],
        buckets: [...buckets],
        queues: [...queues],
      }
      const secrets = { HUB_SECRET: 'x', COORDINATOR_SEED: 'x', RELAYER_PRIVATE_KEY: 'x' }
      const deployments = [deployed('v1', 1), deployed('v2', 2)]
      return { ...made, rules: ['delete-payloads'], secrets, deployments, isMigrated: true }
    }
    const balance = (wei: bigint) => anvil.rpc('anvil_setBalance', relayer, `0x${wei.toString(16)}`)

    const incidents: Record<string, Incident> = {
      'chain-does-not-finalise': {
        // Of a chain that calls blocks final, unlike a local one: its last final block is half an hour behind its head.
        async apart() {
          halted = await startAnvil({
            flags: ['--chain-id', '11155111', '--timestamp', String(nowSecs() - 7_200)],
          })
          await halted.rpc('anvil_mine', '0xc8', '0x14')
          return {
            ...{ PROFILE: '{"chain_id":11155111}', CHAIN_RPC_URL: halted.url },
            ...{
              CHAIN_CONFIRMATIONS: '12',
              CHAIN_FINALITY_BLOCKS: '96',
              RELAYER_PRIVATE_KEY: generatePrivateKey(),
            },
          }
        },
        isSeen: ({ chain }) => chain.finalizing === false && chain.halted === null,
        says: [
          /chain\.finalizing +false/,
          /FAIL +finality of the chain has stopped: see .*chain-does-not-finalise/,
          /^none/,
        ],
        mend: () => halted.stop(),
      },
      'relayer-out-of-gas': {
        provoke: () => balance(0n),
        isSeen: (status) => status.relayer === 'unavailable',
        says: [
          /^relayer\.balance +0$/m,
          /^relayer +unavailable/m,
          /relayer: 0x\w+ has nothing to pay with: send it/,
        ],
        mend: () => balance(10n ** 20n),
      },
      'transaction-stuck': {
        async provoke() {
          await anvil.rpc('evm_setAutomine', false)
          const call = driverOf(hub!.driverUrl, 'RELAYER', `31337:${relayer.toLowerCase()}`)
          await call('relay', register(environment.chain.contracts as never))
          inRelayer('UPDATE relays SET accepted_at_ms = accepted_at_ms - 600000')
        },
        isSeen: (status) => status.relayer === 'unavailable',
        says: [/^relayer\.overdue +1$/m, /^relayer +unavailable/m, /FAIL +relayer is unavailable/],
        async mend() {
          await anvil.rpc('evm_setAutomine', true)
          await anvil.rpc('evm_mine')
        },
      },
      'index-halted': {
        vars: { CHAIN_START_BLOCK: '1' },
        isSeen: ({ chain }) => chain.halted !== null,
        says: [
          /chain\.halted +The index was started with other settings: /,
          /FAIL +chain index has stopped: .*other settings/,
          /^none/,
        ],
      },
      'rpc-provider': {
        provoke: async () => gate.close(),
        isSeen: (status) => status.relayer === 'unavailable',
        says: [
          /^relayer +unavailable/m,
          /FAIL +contracts chain\.rpc_urls: 127\.0\.0\.1:\d+ does not answer/,
          /^relayer\.balance +–/m,
        ],
        mend: async () => gate.open(),
      },
      'validators-away': {
        async provoke() {
          await listed()
          await insert('rounds', {
            ...{
              round_id: `task:${project}:1:1:0`,
              kind: 'task',
              state: 'committee_agreed',
              project_id: project,
            },
            ...{ epoch: epoch(), issued_at: nowSecs() - 9_000, agreed_at: nowSecs() - 9_000 },
          })
        },
        isSeen: ({ late }) => late?.some(({ what }) => what === 'rounds_without_quorum') ?? false,
        says: [/rounds_without_quorum/, /^none/, /^pending +–/],
        mend: removed('rounds', 'projects'),
      },
      'set-not-attested': {
        async provoke() {
          await listed()
          await insert('epochs_without_set', {
            ...{ project_id: project, epoch: epoch(), epoch_secs: epochSecs, noted_at: nowSecs() - 900 },
          })
        },
        isSeen: ({ late }) => late?.some(({ what }) => what === 'set_not_built') ?? false,
        says: [new RegExp(`set_not_built .*${project}`), /^none/, /ok +chain index/],
        mend: removed('epochs_without_set', 'projects'),
      },
      'epoch-not-posted': {
        async provoke() {
          await unposted({ state: 'attested', settlement: 'reverted' })
          await insert('dead_letters', {
            ...{
              message_id: `post_epoch:${project}:${epoch() - 2}`,
              queue: 'hub_actions',
              died_at: nowSecs(),
            },
          })
        },
        says: [/attested/, /post_epoch:/, /^relayer\.signer/m],
        mend: removed('epoch_receipts', 'dead_letters', 'projects'),
      },
      'vault-short': {
        provoke: () => unposted({ state: 'underfunded', settlement: 'reverted' }),
        says: [/underfunded/, /none/, /status/],
        mend: removed('epoch_receipts', 'projects'),
      },
      database: {
        provoke: () => hub!.break({ database: true }),
        isSeen: (status) => status.database === 'unavailable',
        says: [/^database +unavailable/m, /D1_ERROR/, /bookmark/],
        mend: () => hub!.break({}),
      },
      'r2-away': {
        provoke: () => hub!.break({ files: true }),
        isSeen: (status) => status.module_storage === 'unavailable',
        says: [/^module_storage +unavailable/m, /internal error/, /FAIL +module_storage is unavailable/],
        mend: () => hub!.break({}),
      },
      'dead-letters': {
        provoke: () =>
          insert('dead_letters', {
            message_id: 'm-1',
            queue: 'round-rows',
            body: '{"round_id":"r-1"}',
            died_at: nowSecs(),
          }),
        isSeen: (status) => status.queue === 'unavailable',
        says: [/m-1 +round-rows/, /^queue +unavailable/m, /^/],
        mend: removed('dead_letters'),
      },
      'object-overloaded': {
        provoke: () => hub!.break({ overloaded: project }),
        says: [/Durable Object is overloaded/, /^status/m, /none/],
        mend: () => hub!.break({}),
      },
      'deploy-gone-wrong': {
        provoke: async () => accountWith(whole()),
        says: [/v2 .*→ v1 .*\n?[\s\S]*v1 has all traffic/, /^ok +contracts$/m, /^status +ok/m],
      },
      flood: {
        async provoke() {
          const flood = { headers: { 'CF-Connecting-IP': '203.0.113.9' } }
          for (let calls = 0; calls < 2_000; calls++) {
            const { status } = await fetch(url('/v1/status'), flood)
            if (status === 429) return invocation('GET', '/v1/status', status)
          }
          throw new Error('Nobody is told 429.')
        },
        says: [/"status": 429/, /enabled +false/, /^relayer\.gas_today/m],
      },
      'key-leaked': {
        provoke: async () => accountWith(whole()),
        says: [/faucet/, /^relayer\.signer/m, /HUB_SECRET {2}generated\nSet\./],
      },
      'bad-project': {
        async provoke() {
          await listed()
          const report = {
            category: 'misleading',
            severity: 'high',
            reason: 'It promises what it does not do.',
          }
          await insert('project_reports', {
            report_id: 'r-1',
            project_id: project,
            ...report,
            created_at: nowSecs(),
          })
        },
        says: [/misleading/, /none/, /faucet/],
        mend: removed('project_reports', 'projects'),
      },
      'wrong-slash': {
        async provoke() {
          await listed()
          const hash = `0x${'51'.repeat(32)}`
          await insert('chain_states', {
            ...{ kind: 'slash', subject: hash, state: JSON.stringify({ status: 'proposed', outcome: null }) },
          })
          await insert('slashes', {
            ...{ evidence_hash: hash, kind: 'equivocation', project_id: project, created_at: nowSecs() },
            ...{
              dispute_filed_at: nowSecs(),
              dispute_reason: 'The key was copied.',
              dispute_links: '[]',
              amount: '5',
            },
          })
        },
        says: [/0x5151/, /faucet/, /^status/m],
        mend: removed('slashes', 'projects'),
      },
      'domain-or-certificate': {
        async provoke() {
          accountWith(whole())
          isDomainLost = true
        },
        says: [
          /FAIL +GET \/ does not answer .*check that the domain leads to the Worker/,
          /The hub answers at https:\/\/hub\.example\.org/,
          /version_id/,
        ],
        mend: async () => {
          isDomainLost = false
        },
      },
      'clock-wrong': {
        vars: { CLOCK: 'chain' },
        provoke: async () => {
          await anvil.rpc('evm_increaseTime', 95)
          await anvil.rpc('evm_mine')
        },
        isSeen: ({ time }) => time > nowSecs() + 60,
        says: [/FAIL +clock is \d\d s ahead of this machine/, /^status/m, /^none/],
      },
      'hub-away': {
        vars: { BASE_URL: 'http://hub.example.org' },
        says: [
          /FAIL +GET \/ answers 503: .*refuses all requests until its settings are correct/,
          /Wrong settings: BASE_URL: is http/,
          /problem +.*refuses all requests/,
        ],
      },
    }

    const invoked: string[] = []
    const invocation = (method: string, place: string, status: number) =>
      void invoked.push(
        JSON.stringify({
          outcome: 'ok',
          logs: [],
          event: { request: { method, url: place }, response: { status } },
        }),
      )

    test.each(Object.entries(incidents))(
      '%s',
      async (page, { vars: own, apart, provoke, isSeen, mend, says }) => {
        if (own ?? apart ?? isOther)
          await start((await apart?.()) ?? own, apart ? path.join(state, page) : state)
        const before = logged.length
        invoked.length = 0
        accountWith(whole())
        await provoke?.()
        const statusSays = (isThere: boolean) =>
          expect
            .poll(async () => isSeen!((await hub!.status()) as Status), { timeout: 60_000, interval: 200 })
            .toBe(isThere)
        if (isSeen) await statusSays(true)
        // What clients of the hub meet meanwhile, and its log has.
        for (const place of ['/', '/v1/projects', `/v1/explorer/rounds/task:${project}`])
          await fetch(url(place))
        const lines = logged.slice(before).map((line) => ({ level: 'error', message: [line] }))
        const shown = [
          ...invoked,
          ...lines.map((line) => JSON.stringify({ outcome: 'ok', logs: [line], event: null })),
        ]
        writeFileSync(path.join(desk.folder, tailFile), `${shown.join('\n')}\n`)
        const said = []
        for (const command of firstCommands(page)) said.push(await run(command))
        await mend?.()
        // The next page begins with a hub that is well.
        if (isSeen && mend && !apart) await statusSays(false)
        for (const [i, pattern] of says.entries()) expect(said[i], `command ${i + 1}`).toMatch(pattern)
      },
      timeout,
    )

    test('of every page', () => {
      const pages = readdirSync('docs/runbooks').filter((name) => name !== 'README.md')
      expect(Object.keys(incidents).sort()).toEqual(pages.map((name) => name.replace('.md', '')).sort())
    })

    async function run(command: string): Promise<string> {
      const [, place, rest = ''] =
        /^(?:npm run -s (operator|deploy) --|npx wrangler) (.+)$/.exec(command) ?? []
      const words = rest.match(/"[^"]*"|\S+/g)!.map((word) => word.replaceAll('"', ''))
      const program =
        place === undefined ? 'wrangler' : place === 'operator' ? 'tools/operator.ts' : 'deploy/run.ts'
      const isWatching = words[0] === 'watch'
      const env = {
        HUB_URL: 'https://hub.example.org',
        OPERATOR_KEY: operatorKey,
        RELAYER_PRIVATE_KEY: relayerKey,
      }
      const ended = await desk.run(
        [program, ...words],
        env,
        isWatching ? (text) => text.endsWith('\n\n') : undefined,
      )
      expect([0, 1, 2, null], ended.said).toContain(ended.code)
      return ended.said
    }
  },
)

/** The commands that a page begins with. */
function firstCommands(page: string): string[] {
  const [, block = ''] =
    /## First\n\n```sh\n([\s\S]*?)\n```/.exec(readFileSync(`docs/runbooks/${page}.md`, 'utf8')) ?? []
  return block.split('\n').slice(0, 3)
}

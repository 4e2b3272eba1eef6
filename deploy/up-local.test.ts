import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Anvil, findAnvil, startAnvil } from '../contracts/anvil.ts'
import { deployContracts } from '../contracts/deploy.ts'
import { probePort } from '../localnet/port.ts'
import { anvilKeys, networkParamsOf, resolveProfile } from '../protocol/identity/index.ts'
import { completeEnvironment, environmentToml } from './testing/environments.ts'
import { accountFile, type KeptAccount, localConfig, persisted } from './testing/local-wrangler.ts'
import { RecordedAccount } from './testing/recorded-account.ts'
import { bringUp } from './up.ts'

const [deployerKey, arbiterKey, relayerKey] = anvilKeys as readonly Hex[] as [Hex, Hex, Hex]
const deployer = privateKeyToAccount(deployerKey)
const relayer = privateKeyToAccount(relayerKey).address
const root = path.resolve('.')
const wranglerPath = 'node_modules/wrangler/bin/wrangler.js'

/** Minutes of one core, on a busy machine. */
const timeout = 600_000

describe.skipIf(findAnvil() === null)('up, with the local modes of wrangler and a chain of its own', () => {
  let anvil: Anvil
  let folder: string
  let proxy: Server
  let worker: ChildProcess | undefined
  let environment: ReturnType<typeof completeEnvironment>

  const kept = (): KeptAccount => JSON.parse(readFileSync(path.join(folder, accountFile), 'utf8'))
  const keep = (account: Partial<KeptAccount>) =>
    writeFileSync(path.join(folder, accountFile), JSON.stringify(account))

  beforeAll(async () => {
    anvil = await startAnvil()
    const own = ['minter', 'dripper', 'reviewer', 'proposer', 'poster'].map((role) => [role, relayer])
    const deployment = await deployContracts({
      rpcUrl: anvil.url,
      account: deployer,
      profile: resolveProfile(),
      params: networkParamsOf(31_337),
      treasury: deployer.address,
      roles: {
        admin: deployer.address,
        arbiter: privateKeyToAccount(arbiterKey).address,
        ...Object.fromEntries(own),
      },
      faucetSupplyWei: 10n ** 24n,
    })
    environment = completeEnvironment({
      name: 'hub-trial',
      relayer,
      network: {},
      chain: {
        profile: 'local',
        rpc_urls: [anvil.url],
        start_block: deployment.startBlock,
        contracts: { ...deployment.contracts },
      },
      settings: { CHAIN_CONFIRMATIONS: '1', CHAIN_FINALITY_BLOCKS: '0', CHAIN_BLOCK_SECS: '0.2' },
    })
    folder = mkdtempSync(path.join(tmpdir(), 'up-'))
    for (const name of readdirSync('.'))
      if (!['node_modules', 'deploy', 'dist', '.git', '.wrangler', '.env', '.dev.vars'].includes(name))
        symlinkSync(path.resolve(name), path.join(folder, name))
    mkdirSync(path.join(folder, 'deploy'))
    writeFileSync(path.join(folder, 'deploy/trial.toml'), environmentToml(environment))
    mkdirSync(path.join(folder, path.dirname(wranglerPath)), { recursive: true })
    const standIn = path.resolve('deploy/testing/local-wrangler.ts')
    writeFileSync(path.join(folder, wranglerPath), `import(${JSON.stringify(standIn)})\n`)
    proxy = createServer()
    proxy.on('connect', async (_, socket) => {
      const port = await workerPort()
      const hub = connect(port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
        socket.pipe(hub).pipe(socket)
      })
      for (const side of [hub, socket]) side.on('error', () => [hub, socket].map((one) => one.destroy()))
    })
    proxy.listen(0, '127.0.0.1')
    await once(proxy, 'listening')
  }, timeout)
  afterAll(async () => {
    if (worker?.exitCode === null && worker.kill('SIGTERM')) await once(worker, 'exit')
    proxy?.close()
    await anvil?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  let started: Promise<number> | undefined
  /** Where the Worker runs, once something was deployed: at the first connection that the domain gets. */
  const workerPort = (): Promise<number> => (started ??= startWorker())
  async function startWorker(): Promise<number> {
    const port = await probePort(0)
    const vars = Object.entries(kept().secrets ?? {}).map(([name, value]) => `${name}="${value}"`)
    writeFileSync(path.join(folder, path.dirname(localConfig), '.dev.vars'), vars.join('\n'))
    const args = ['dev', '--config', localConfig, '--port', String(port), '--inspector-port', '0']
    const child = spawn(
      process.execPath,
      [path.join(root, wranglerPath), ...args, '--local-protocol', 'https', ...persisted],
      { cwd: folder, env: { ...process.env, CI: 'true' }, stdio: ['ignore', 'pipe', 'pipe'] },
    )
    worker = child
    let said = ''
    await new Promise<void>((resolve, reject) => {
      for (const output of [child.stdout, child.stderr])
        output.on('data', (text) => {
          said += text
          if (said.includes('Ready on')) resolve()
        })
      child.once('exit', () => reject(new Error(said)))
    })
    return port
  }

  /** Runs the command as an operator does, for whom the domain leads to the Worker. */
  async function deploy(...args: string[]) {
    const child = spawn(process.execPath, [path.join(root, 'deploy/run.ts'), ...args, '--env', 'trial'], {
      cwd: folder,
      env: {
        ...process.env,
        REAL_WRANGLER: path.join(root, wranglerPath),
        RELAYER_PRIVATE_KEY: relayerKey,
        NODE_USE_ENV_PROXY: '1',
        HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
        NO_PROXY: '127.0.0.1,localhost',
        // The Worker has the certificate that wrangler made for it.
        NODE_TLS_REJECT_UNAUTHORIZED: '0',
        NODE_NO_WARNINGS: '1',
      },
    })
    let said = ''
    for (const output of [child.stdout, child.stderr]) output.on('data', (text) => (said += text))
    const [code, signal] = await once(child, 'close')
    return { code, signal, said }
  }

  /** Runs `up` until nothing kills it any more. */
  async function upThroughKills(): Promise<void> {
    for (;;) {
      const { code, signal, said } = await deploy('up', '--yes')
      if (signal === 'SIGKILL') continue
      expect(code, said).toBe(0)
      return
    }
  }

  const made = ({ databases, buckets, queues, rules, secrets }: KeptAccount | RecordedAccount) => ({
    ...{ databases, buckets, queues, rules },
    secrets: Object.keys(secrets ?? {}),
  })

  test(
    'killed after each step and run again, it comes to what an `up` without faults makes, and `check` passes',
    async () => {
      const whole = new RecordedAccount()
      await bringUp({
        environment,
        wrangler: whole.wrangler,
        say: () => {},
        confirm: async () => true,
        commit: 'abc1234',
        given: { RELAYER_PRIVATE_KEY: relayerKey },
        check: async () => {},
      })
      keep({ ...made(new RecordedAccount()), secrets: null, deployments: [], uploads: 0, killed: [] })
      await upThroughKills()
      expect(kept().killed).toEqual([
        ...['d1 create', 'r2 bucket create', 'r2 bucket lifecycle add', 'queues create', 'secret bulk'],
        ...['d1 migrations apply', 'deploy', 'versions upload', 'triggers deploy'],
        ...['versions deploy 10%', 'versions deploy 50%', 'versions deploy 100%'],
      ])
      expect(made(kept())).toEqual(made(whole))
      expect(kept().secrets).toMatchObject({ RELAYER_PRIVATE_KEY: relayerKey })
      expect(kept().deployments.at(-1)?.versions.at(-1)?.percentage).toBe(100)
      const { code, said } = await deploy('check')
      expect([code, said]).toEqual([0, expect.stringMatching(/^ok +GET \/\n(ok .*\n)+ok +contracts\n$/)])
      expect(await deploy('plan')).toMatchObject({ code: 0, said: expect.not.stringMatching(/will be/) })
    },
    timeout,
  )
})

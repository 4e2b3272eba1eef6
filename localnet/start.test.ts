import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { callBatch } from '../contracts/json-rpc.ts'
import { deriveNodeId, resolveProfile } from '../protocol/identity/index.ts'
import { ed25519PublicKey } from '../protocol/signatures/index.ts'
import { hasAnvil } from './testing/anvil.ts'
import { freePorts, type Ports, type Started, Starter } from './testing/npm-start.ts'
import { signIn } from './testing/session.ts'

// Whole networks begin and end here, each in the time the machine has for it.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const starter = new Starter()
afterAll(() => starter.clear())

const operatorKey = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d'
const minerKey = '0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6'
const developerKey = '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a'

describe.skipIf(!hasAnvil)('npm start', () => {
  let ports: Ports
  let first: Started
  let drip: { status: number; txHash: string }
  beforeAll(async () => {
    ports = await freePorts()
    first = starter.run(ports.args.filter((arg) => arg !== '--no-sample'))
    await first.ready
  })
  const origin = () => `http://localhost:${ports.hub}`
  // biome-ignore lint/suspicious/noExplicitAny: whatever the hub answers.
  const read = async (target: string): Promise<any> => (await fetch(origin() + target)).json()
  const chain = (method: string, ...params: unknown[]) =>
    callBatch(`http://127.0.0.1:${ports.chain}`, [[method, ...params]]).then(([answer]) => answer)

  test('prints where everything is: the hub, the chain, every contract and every account with its key', () => {
    const { stdout } = first.output
    for (const url of ['/v1', '/docs', '/v1/openapi.json', '/v1/status'])
      expect(stdout).toContain(origin() + url)
    expect(stdout).toContain(`http://127.0.0.1:${ports.chain}  (chain id 31337)`)
    for (const name of ['hub_token', 'faucet', 'project_registry', 'vault_factory', 'staking', 'treasury'])
      expect(stdout).toMatch(new RegExp(`^ +${name} +0x[0-9a-f]{40}$`, 'm'))
    for (const name of ['relayer', 'operator', 'developer', 'miner', 'treasury'])
      expect(stdout).toMatch(new RegExp(`^ +${name} +0x[0-9a-f]{40} +0x[0-9a-f]{64}$`, 'm'))
  })

  test('descriptor and health name the chain, whose contracts are there', async () => {
    const { chain: described, features, hosts } = await read('/')
    const rpcUrl = `http://127.0.0.1:${ports.chain}`
    expect(hosts.api).toBe(origin())
    expect(features).toEqual(expect.arrayContaining(['relay', 'faucet']))
    expect(described).toMatchObject({ id: 31337, name: 'Local chain', rpc_url: rpcUrl })
    for (const contract of Object.values(described.contracts).slice(0, -1))
      expect(await chain('eth_getCode', contract, 'latest')).not.toBe('0x')
    await expect
      .poll(() => read('/v1/status'))
      .toMatchObject({
        status: 'ok',
        queue: 'ok',
        relayer: 'ok',
        chain: { indexed_block: expect.any(Number), head_block: expect.any(Number), rpc_url: rpcUrl },
      })
  })

  test('limits are ten times the usual, and an account has its tokens', async () => {
    const response = await fetch(`${origin()}/v1/network/params`)
    expect(response.headers.get('ratelimit-limit')).toBe('6000')
    const { chain: described } = await read('/')
    const balance = await chain(
      'eth_call',
      {
        to: described.contracts.hub_token,
        data: `0x70a08231${'0'.repeat(24)}70997970c51812dc3a010c7d01b50e0d17dc79c8`,
      },
      'latest',
    )
    expect(BigInt(balance as string)).toBe(100_000n * 10n ** 18n)
  })

  test('there is something to look at: a listed project with a funded vault, and devices that stake in it', async () => {
    await expect.poll(() => first.output.stdout, { timeout: 120_000 }).toContain('Sample devices')
    const [, projectId] = /projects\/(0x[0-9a-f]{64})/.exec(first.output.stdout) ?? []
    expect((await read('/v1/projects')).items).toEqual([
      expect.objectContaining({ project_id: projectId, slug: 'sample-echo', listing_status: 'listed' }),
    ])
    expect((await read(`/v1/projects/${projectId}/economics`)).vault).toMatchObject({
      deployed: true,
      config_matches_manifest: true,
      balance: String(10_000n * 10n ** 18n),
    })
    const miner = await signIn(new URL(origin()), undefined, minerKey, `localhost:${ports.hub}`)
    const { items } = (await (await miner.get('/v1/me/subscriptions')).json()) as { items: object[] }
    expect(items).toHaveLength(3)
    for (const item of items)
      expect(item).toMatchObject({ project_id: projectId, status: 'active', device_bound: true })
    const operator = await signIn(new URL(origin()), undefined, operatorKey, `localhost:${ports.hub}`)
    expect((await (await operator.get('/admin/v1/nodes')).json()) as object).toMatchObject({
      items: Array(3).fill({ role: 'miner', status: 'approved' }),
    })
    const devices = [...first.output.stdout.matchAll(/^ +(\S+-[0-9a-f]{16}) {2}(\S+)\/$/gm)]
    expect(devices).toHaveLength(3)
    for (const [, nodeId, folder] of devices) {
      const seed = readFileSync(path.join(folder!, 'node.key'), 'utf8').trim()
      expect(deriveNodeId(resolveProfile(), ed25519PublicKey(`0x${seed}`))).toBe(nodeId)
    }
  })

  test('npm run submit brings a project from its manifest to the review of an operator', async () => {
    const manifest = JSON.parse(readFileSync('examples/project/manifest.json', 'utf8'))
    manifest.consensus.work.functions = ['echo']
    const file = path.join(starter.folder, 'manifest.json')
    writeFileSync(file, JSON.stringify(manifest))
    const { items } = await read('/v1/modules')
    // By the other name of this machine, which wallets sign in to as well.
    const hub = `http://127.0.0.1:${ports.hub}`
    const submit = () =>
      starter.run([file, items[0].manifest_address, '--hub', hub, '--as', 'treasury'], {
        script: 'examples/project/submit.ts',
      }).exit
    const { code, stdout, stderr } = await submit()
    expect([code, stderr]).toEqual([0, ''])
    const projectId = stdout.trim().split('\n').at(-1)
    const operator = await signIn(new URL(origin()), undefined, operatorKey, `localhost:${ports.hub}`)
    expect(await (await operator.get('/admin/v1/review-queue')).json()).toMatchObject({
      items: [{ project_id: projectId, listing_status: 'pending_review' }],
    })
    expect(await submit()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('/v1/developers/projects answered 409 already_exists: You have'),
    })
    for (const [change, problem] of [
      [{ slug: 'Greet Two' }, 'slug: '],
      [{ surplus: 1 }, 'surplus: '],
    ] as const) {
      writeFileSync(file, JSON.stringify({ ...manifest, ...change }))
      expect(await submit()).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`the manifest has problems\n  ${problem}`),
      })
    }
  })

  test('the sample developer signs in and is given tokens, mined at once', async () => {
    const session = await signIn(new URL(origin()), undefined, developerKey, `localhost:${ports.hub}`)
    const response = await session.post('/v1/faucet/drip')
    const body = (await response.json()) as { tx_hash: string }
    drip = { status: response.status, txHash: body.tx_hash }
    expect(drip.status).toBe(202)
    await expect
      .poll(() => read(String(response.headers.get('location'))))
      .toMatchObject({ status: 'confirmed' })
  })

  test('a second one in the same folder is refused, and told how to run beside it', async () => {
    const { code, stderr } = await starter.run((await freePorts()).args).exit
    expect(code).toBe(1)
    expect(stderr).toMatch(
      new RegExp(
        `is running already in .*kill ${starter.networkPid()}\\..*LOCALNET_DIR=<folder> npm start -- --port`,
      ),
    )
  })

  test('SIGTERM or Ctrl-C ends the hub and the chain; both go on from there however often they are started', async () => {
    const session = await signIn(new URL(origin()), undefined, developerKey, `localhost:${ports.hub}`)
    const kept = async () => ({
      contracts: (await read('/')).chain.contracts,
      projects: (await read('/v1/projects')).items.map((one: { project_id: string }) => one.project_id),
      session: (await session.get('/v1/me')).status,
    })
    const before = await kept()
    expect(before).toMatchObject({ session: 200 })
    expect(before.projects).not.toEqual([])
    first.child.kill('SIGTERM')
    expect((await first.exit).code).toBe(0)
    await expect(fetch(origin())).rejects.toThrow()
    await expect(chain('eth_chainId')).rejects.toThrow()

    for (let restart = 1; restart <= 4; restart++) {
      const again = starter.run(ports.args)
      await again.ready
      expect(again.output.stderr).not.toMatch(/Deploying|set aside/)
      expect(await kept()).toEqual(before)
      expect(await chain('eth_getTransactionReceipt', drip.txHash)).toMatchObject({ status: '0x1' })
      await expect.poll(() => read('/v1/status')).toMatchObject({ status: 'ok' })
      expect((await session.post('/v1/faucet/drip')).status).toBe(429)
      again.child.kill('SIGINT')
      expect((await again.exit).code).toBe(0)
    }
  })

  test('--fresh begins anew', async () => {
    const again = starter.run([...ports.args, '--fresh'])
    await again.ready
    expect(again.output.stderr).toContain('Deploying')
    expect(await chain('eth_getTransactionReceipt', drip.txHash)).toBe(null)
    again.child.kill('SIGINT')
    expect((await again.exit).code).toBe(0)
  })
})

describe('npm start refuses', () => {
  test.each([
    [
      'a port in use',
      async () => ['--port', String(await occupied())],
      /is in use by another program\. Choose another one: npm start -- --port \d+/,
    ],
    [
      'a port of the chain in use',
      async () => ['--chain-port', String(await occupied()), '--port', '0', '--no-sample'],
      /is in use by another program\. Choose another one: npm start -- --port 0 --no-sample --chain-port \d+/,
    ],
    [
      'a chain that does not answer',
      async () => ['--port', '0', '--rpc', `http://127.0.0.1:${(await freePorts()).chain}`],
      /No chain answers at http:\/\/127\.0\.0\.1:\d+: connect ECONNREFUSED/,
    ],
  ])('%s, with exit code 1', async (_, args, message) => {
    const { code, stderr } = await starter.run(await args()).exit
    expect(stderr).toMatch(message)
    expect(code).toBe(1)
  })

  test('an unknown flag, with exit code 2', async () => {
    const { code, stderr } = await starter.run(['--prot', '1']).exit
    expect(stderr).toMatch(/--prot.*[\s\S]*Usage: npm start/)
    expect(code).toBe(2)
  })

  test('a folder that is none, with what the system says', async () => {
    const file = path.join(starter.folder, 'file')
    mkdirSync(starter.folder, { recursive: true })
    writeFileSync(file, '')
    for (const [folder, message] of [
      ['', 'LOCALNET_DIR is empty. Name a folder in it, or unset it.'],
      [file, `The folder ${file}/ cannot be used: EEXIST`],
      [path.join(file, 'below'), 'cannot be used: ENOTDIR'],
    ] as const) {
      const { code, stderr } = await starter.run([], { env: { LOCALNET_DIR: folder } }).exit
      expect(stderr).toContain(message)
      expect(code).toBe(1)
    }
  })

  test('nothing when it is asked for help', async () => {
    const { code, stdout } = await starter.run(['--help']).exit
    expect([code, stdout]).toEqual([0, expect.stringContaining('npm start -- --port 9000 --fresh')])
  })
})

async function occupied(): Promise<number> {
  const server = createServer()
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port))
  })
  server.unref()
  return port
}

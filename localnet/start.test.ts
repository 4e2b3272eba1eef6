import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stakingEvents } from '../contracts/generated/events.ts'
import { callBatch } from '../contracts/json-rpc.ts'
import { buildSnapshot, hashSnapshot, type SnapshotCandidate } from '../protocol/committees/index.ts'
import {
  defaultNetworkParams,
  deriveNodeId,
  deriveSubscriptionId,
  resolveProfile,
} from '../protocol/identity/index.ts'
import { ed25519PublicKey } from '../protocol/signatures/index.ts'
import { databaseFile } from '../scripts/wrangler-hub.ts'
import { hasAnvil, startAnvil } from '../testing/anvil.ts'
import { nodectlHere } from '../testing/node/nodectl-here.ts'
import {
  childrenOf,
  freePorts,
  isListening,
  NpmStart,
  type Ports,
  type Started,
} from '../testing/npm-start.ts'
import { loadedTools } from '../testing/run-tool.ts'
import { type Session, signIn } from '../testing/session.ts'
import { pickPort } from './port.ts'
import { privateKeys } from './private-keys.ts'
import { listProcesses } from './processes.ts'
import { sampleSlug } from './sample/manifest.ts'

// Whole networks begin and end here, each in the time the machine has for it.
const profile = resolveProfile()
const npmStart = new NpmStart()
afterAll(() => npmStart.clear())
const file = (name: string) => path.join(npmStart.folder, name)
const runLoaded = loadedTools()

describe.skipIf(!hasAnvil)('npm start', () => {
  let ports: Ports
  let nodePort: number
  let network: Started
  let session: Session
  let dripHash: string
  beforeAll(async () => {
    ports = await freePorts()
    nodePort = await pickPort(7)
    const args = ports.args.filter((arg) => !arg.startsWith('--no-'))
    const own = ['--node-port', String(nodePort), '--block-time', '2']
    network = await npmStart.start([...args, ...own], { through: 'npm' })
  })
  afterAll(() => network.child.kill('SIGTERM'))
  const origin = () => `http://localhost:${ports.hub}`
  // biome-ignore lint/suspicious/noExplicitAny: whatever the hub answers.
  const read = async (target: string): Promise<any> => (await fetch(origin() + target)).json()
  const chain = (method: string, ...params: unknown[]) =>
    callBatch(`http://127.0.0.1:${ports.chain}`, [[method, ...params]]).then(([answer]) => answer)
  const signInAs = (who: keyof typeof privateKeys) => signIn(new URL(origin()), undefined, privateKeys[who])
  const nothingListens = () =>
    expect
      .poll(async () => [await isListening(ports.hub), await isListening(ports.chain)])
      .toEqual([false, false])
  /** Has the hub send something, and waits until it is in a block that the hub has read. */
  const drip = async (key?: string) => {
    const { post } = await signIn(new URL(origin()), undefined, key)
    const response = await post('/v1/faucet/drip')
    expect(response.status).toBe(202)
    const { tx_hash: hash } = (await response.json()) as { tx_hash: string }
    await expect
      .poll(() => read(String(response.headers.get('location'))))
      .toMatchObject({ status: 'confirmed' })
    return hash
  }
  const expectGoesOn = async () => {
    expect(network.output.stderr).not.toMatch(/Deploying|set aside/)
    expect(await chain('eth_getTransactionReceipt', dripHash)).toMatchObject({ status: '0x1' })
    expect((await session.get('/v1/me')).status).toBe(200)
    expect((await read('/v1/projects')).items).toHaveLength(1)
    await expect.poll(() => read('/v1/status')).toMatchObject({ status: 'ok', relayer: 'ok' })
  }

  /** The public key of a device. */
  const keyIn = (folder: string) =>
    ed25519PublicKey(`0x${readFileSync(path.join(folder, 'node.key'), 'utf8').trim()}`)
  const projectOf = async () => {
    const [project] = (await read('/v1/projects')).items
    const { epoch_secs: epochSecs } = await read(`/v1/projects/${project.project_id}/economics`)
    return { projectId: project.project_id as string, epochSecs: epochSecs as number }
  }
  const chainTime = async () => {
    const head = (await chain('eth_getBlockByNumber', 'latest', false)) as { timestamp: string }
    return Number(head.timestamp)
  }
  const runTask = async (input: string) => {
    const args = ['echo', '--input', input, '--json']
    const { code, stdout, stderr } = await runLoaded('tools/task.ts', args, { HUB_URL: origin() })
    return { code, stderr, ...JSON.parse(stdout) }
  }

  test('prints the addresses of the hub, the chain and every contract, and every account with its key', () => {
    const { stdout } = network.output
    for (const url of ['/v1', '/docs', '/v1/openapi.json', '/v1/status'])
      expect(stdout).toContain(origin() + url)
    expect(stdout).toContain(`http://127.0.0.1:${ports.chain}  (chain id 31337)`)
    for (const name of ['hub_token', 'faucet', 'project_registry', 'vault_factory', 'staking', 'treasury'])
      expect(stdout).toMatch(new RegExp(`^ +${name} +0x[0-9a-f]{40}$`, 'm'))
    for (const name of ['relayer', 'operator', 'developer', 'miner', 'treasury'])
      expect(stdout).toMatch(new RegExp(`^ +${name} +0x[0-9a-f]{40} +0x[0-9a-f]{64}$`, 'm'))
  })

  test('descriptor and health name the chain, and its contracts are deployed', async () => {
    const { chain: described, features, hosts } = await read('/')
    const rpcUrl = `http://127.0.0.1:${ports.chain}`
    expect(hosts.api).toBe(origin())
    expect(features).toMatchObject({ relay: true, faucet: true })
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
    const data = `0x70a08231${'0'.repeat(24)}70997970c51812dc3a010c7d01b50e0d17dc79c8`
    const balance = await chain('eth_call', { to: described.contracts.hub_token, data }, 'latest')
    expect(BigInt(balance as string)).toBe(100_000n * 10n ** 18n)
  })

  test('the sample is a listed project with a funded vault, and devices that stake in it', async () => {
    await expect.poll(() => network.output.stdout).toContain('Sample devices')
    const [, projectId] = /projects\/(0x[0-9a-f]{64})/.exec(network.output.stdout) ?? []
    expect((await read('/v1/projects')).items).toEqual([
      expect.objectContaining({ project_id: projectId, slug: 'sample-echo', listing_status: 'listed' }),
    ])
    expect((await read(`/v1/projects/${projectId}/economics`)).vault).toMatchObject({
      deployed: true,
      config_matches_manifest: true,
      balance: String(10_000n * 10n ** 18n),
    })
    const staked = await (await signInAs('miner')).get('/v1/me/subscriptions')
    const active = { project_id: projectId, status: 'active', device_bound: true }
    expect(await staked.json()).toMatchObject({ items: [active, active, active] })
    const devices = [...network.output.stdout.matchAll(/^ +(\S+-[0-9a-f]{16}) {2}(\S+)\/$/gm)]
    expect(devices).toHaveLength(3)
    for (const [, nodeId, folder] of devices) expect(deriveNodeId(profile, keyIn(folder!))).toBe(nodeId)
  })

  test('validators and devices run as nodes of the hub, and the summary says where', async () => {
    const nodes = await (await signInAs('operator')).get('/admin/v1/nodes')
    const { items } = (await nodes.json()) as { items: { role: string; status: string; health: string }[] }
    expect(items.map(({ role, status, health }) => `${role} ${status} ${health}`).sort()).toEqual([
      ...Array(3).fill('miner approved online'),
      ...Array(4).fill('validator approved online'),
    ])
    const rows = [
      ...network.output.stdout.matchAll(/^ +(validator|miner)-(\d) +(\S+) {2}(\S+) {2}(\S+)\/ {2}(\S+)$/gm),
    ]
    expect(rows.map(([, role, number]) => `${role}-${number}`)).toEqual([
      ...['validator-1', 'validator-2', 'validator-3', 'validator-4'],
      ...['miner-1', 'miner-2', 'miner-3'],
    ])
    for (const [index, [, role, , nodeId, url, dataDir, logFile]] of rows.entries()) {
      expect(url).toBe(`http://127.0.0.1:${nodePort + index}`)
      expect(await (await fetch(`${url}/node`)).json()).toMatchObject({ node_id: nodeId, role })
      expect(deriveNodeId(profile, keyIn(dataDir!))).toBe(nodeId)
      expect(readFileSync(logFile!, 'utf8')).toContain('"message":"serving"')
    }
    const [, token] = /NODE_API_TOKEN=\$\(cat (\S+)\)/.exec(network.output.stdout) ?? []
    const headers = { Authorization: `Bearer ${readFileSync(token!, 'utf8')}` }
    const [first] = rows
    expect(await (await fetch(`${first?.[4]}/status`, { headers })).json()).toMatchObject({
      hub: { state: 'registered' },
    })
  })

  test('committees are drawn from the start on: the beacon of the running epoch is after the bonds', async () => {
    const { time } = await read('/v1/status')
    expect(Math.abs(time - Date.now() / 1000)).toBeLessThan(60)
    expect(Math.abs((await chainTime()) - time)).toBeLessThan(60)

    const { projectId, epochSecs } = await projectOf()
    const epoch = Math.floor(time / epochSecs)
    const { block_number, block_hash, value } = await read(`/v1/beacons/${epochSecs}/${epoch}`)
    const filter = { fromBlock: 'earliest', toBlock: 'latest', topics: [stakingEvents.Bonded.topic] }
    const bonds = (await chain('eth_getLogs', filter)) as { blockNumber: string }[]
    expect(bonds).toHaveLength(3)
    for (const { blockNumber } of bonds) expect(Number(blockNumber)).toBeLessThan(block_number)

    // Ready means that nobody waits for the validators any more.
    const { snapshot, set_hash, attestations, valid } = await read(`/v1/committees/${projectId}/${epoch}`)
    expect([valid, attestations.length >= 3]).toEqual([true, true])
    const keys = ['1', '2', '3'].map((name) => keyIn(file(`devices/${name}`))).sort()
    expect(snapshot).toMatchObject({
      project_id: projectId,
      epoch,
      beacon: { block_number },
      entries: keys.map((node_key) => ({ node_key })),
      excluded: [],
    })

    const { manifest } = await read(`/v1/projects/${projectId}/manifest`)
    const candidates = await Promise.all(keys.map((key) => readCandidate(projectId, key)))
    const rebuilt = buildSnapshot(profile, {
      project_id: projectId,
      epoch,
      consensus: manifest.consensus,
      beacon: { block_number, block_hash, value },
      params: defaultNetworkParams,
      candidates,
    })
    expect(hashSnapshot(rebuilt), 'everybody rebuilds the set from public records').toBe(set_hash)
  })

  /** A device as public records show it. */
  const readCandidate = async (projectId: string, node_key: string): Promise<SnapshotCandidate> => {
    const device = await read(`/v1/devices/${deriveNodeId(profile, node_key)}`)
    const { binding_hash, public_key } = device
    const subscription_id = deriveSubscriptionId(projectId, device.owner, node_key)
    const subscription = await read(`/v1/subscriptions/${subscription_id}`)
    const { owner, payout_address, collateral, reputation, status } = subscription
    return {
      ...{ node_key, subscription_id, owner, payout_address, collateral, reputation },
      paused: status === 'paused',
      faulty: false,
      binding: { binding_hash, owner: device.owner, public_key },
    }
  }

  test('the first task of the sample project is final soon, with the result of a local nodectl run', async () => {
    const input = '{"hello":"world"}'
    const { code, stderr, task: given, round } = await runTask(input)
    expect([code, stderr]).toEqual([0, expect.stringMatching(/ running .* finalized\n$/s)])
    const quiet = ['echo', '--input', input, '--quiet', '--project', sampleSlug]
    expect(await runLoaded('tools/task.ts', quiet, { HUB_URL: origin() })).toEqual({
      code: 0,
      stdout: `${input}\n`,
      stderr: '',
    })
    expect(given).toMatchObject({ status: 'finalized', success: true, output: input })
    expect(round).toMatchObject({ committee_size: 3, votes: 3, agreeing: 3, state: 'finalized' })

    const artifact = file('echo.hbc')
    const bytes = await (await fetch(`${origin()}/v1/modules/${round.module_address}/hbc`)).arrayBuffer()
    writeFileSync(artifact, new Uint8Array(bytes))
    const alone = await nodectlHere(['run', artifact, 'echo', '--input', input])
    const { output, gas_used, receipt_hash } = given
    expect(JSON.parse(alone.stdout)).toMatchObject({
      output,
      gas_used,
      receipt: { receipt: { receipt_hash } },
    })
  })

  test('after a thousand ordinary blocks, more than an hour, a task is final as well', async () => {
    const { projectId, epochSecs } = await projectOf()
    await chain('anvil_mine', 1_000, 4)
    const time = await chainTime()
    await expect.poll(async () => (await read('/v1/status')).time).toBeGreaterThanOrEqual(time)
    const epoch = Math.floor((await read('/v1/status')).time / epochSecs)
    const set = `${origin()}/v1/committees/${projectId}/${epoch}`
    await expect.poll(async () => (await fetch(set)).status).toBe(200)
    expect(await runTask('1')).toMatchObject({ code: 0, task: { status: 'finalized', success: true } })
    const { validators } = await read('/v1/status')
    expect(validators.map(({ reachable }: { reachable: boolean }) => reachable)).toEqual(Array(4).fill(true))
  })

  test('the sample developer signs in and receives tokens in a transaction that is mined at once', async () => {
    session = await signInAs('developer')
    dripHash = await drip(privateKeys.developer)
  })

  test('a second start in the same folder is refused, and told how to run beside the first', async () => {
    const { code, stderr } = await npmStart.run((await freePorts()).args).exit
    expect([code, stderr]).toEqual([1, expect.stringContaining('is running already in')])
    expect(stderr).toContain(`kill ${npmStart.networkPid()}.`)
    expect(stderr).toContain('LOCALNET_DIR=<folder> npm start -- --port')
  })

  test('the next start ends the orphans of a network that was killed, and continues', async () => {
    dripHash = await drip()
    const pid = npmStart.networkPid()
    const orphans = listProcesses().filter(({ parent }) => parent === pid)
    process.kill(pid, 'SIGKILL')
    await network.exit
    expect([await isListening(ports.hub), await isListening(ports.chain)]).toEqual([true, true])

    network = await npmStart.start(ports.args, { through: 'npm' })
    expect(network.output.stderr).toContain('Stopped the processes of a network that was killed')
    // The chain, workerd, and the nodes.
    expect(orphans.length).toBeGreaterThanOrEqual(9)
    // Their new parent may be late to ask how they ended; `kill` finds them until then.
    const running = new Set(listProcesses().map(({ pid }) => pid))
    expect(orphans.filter(({ pid }) => running.has(pid))).toEqual([])
    await expectGoesOn()
  })

  test('SIGTERM of npm ends hub and chain, and both continue at the next start', async () => {
    network.child.kill('SIGTERM')
    await network.exit
    await nothingListens()
    await expect.poll(() => existsSync(file('localnet.pid'))).toBe(false)
    copyFileSync(file('chain.json'), file('early.json'))
    // As after an hour in which a network did not run whose time had been moved.
    const database = new DatabaseSync(databaseFile(file('storage'))!)
    database.exec('UPDATE chain_cursor SET lead_secs = lead_secs + 3600')
    database.close()

    network = await npmStart.start(ports.args)
    await expectGoesOn()
    const onChain = await chainTime()
    const { time } = await read('/v1/status')
    expect(onChain).toBeGreaterThan(Math.floor(Date.now() / 1000) + 3_500)
    expect(time - onChain).toBeLessThan(30)
    expect((await session.post('/v1/faucet/drip')).status).toBe(429)
  })

  test('a closed terminal ends them in order, although nothing reads their output', async () => {
    dripHash = await drip()
    network.child.stdout?.destroy()
    network.child.stderr?.destroy()
    network.child.kill('SIGHUP')
    expect((await network.exit).code).toBe(0)
    await nothingListens()
    expect(existsSync(file('localnet.pid'))).toBe(false)

    network = await npmStart.start(ports.args)
    await expectGoesOn()
  })

  test('a chain that lost its last blocks is detected by the last block that the hub read', async () => {
    network.child.kill('SIGINT')
    expect((await network.exit).code).toBe(0)
    copyFileSync(file('early.json'), file('chain.json'))

    network = await npmStart.start(ports.args, { through: 'nx.mjs' })
    expect(network.output.stderr).toContain(`moved to ${file('storage.old')}`)
    expect(existsSync(file('storage.old'))).toBe(true)
    await drip()
  })

  test('it ends with the process that started it, even if that is killed; --fresh starts with empty data', async () => {
    network.child.kill('SIGKILL')
    await nothingListens()
    await expect.poll(() => existsSync(file('localnet.pid'))).toBe(false)

    network = await npmStart.start([...ports.args, '--fresh'])
    expect(existsSync(file('storage.old'))).toBe(false)
    expect(await chain('eth_getTransactionReceipt', dripHash)).toBe(null)
  })

  test('it stops if its chain stops', async () => {
    const anvil = childrenOf(network).find(({ program }) => program === 'anvil')
    process.kill(anvil?.pid as number, 'SIGKILL')
    const { code, stderr } = await network.exit
    expect([code, stderr]).toEqual([1, expect.stringContaining('The chain stopped unexpectedly')])
  })

  test('--rpc uses a chain that is already running, leaves it running, and keeps its data apart', async () => {
    const other = await startAnvil()
    const before = readFileSync(file('deployment.json'), 'utf8')
    const args = ['--no-nodes', '--port', String(ports.hub), '--rpc', other.url]
    mkdirSync(file('rpc'))
    writeFileSync(file('rpc/devices'), 'no folder')
    network = await npmStart.start(args)
    expect(network.output.stdout).toContain(other.url)
    expect(network.output.stdout).toContain(
      `LOCALNET_DIR=${npmStart.folder} npm start -- ${args.join(' ')} --fresh starts with empty data`,
    )
    await expect
      .poll(() => network.output.stderr)
      .toMatch(/^The sample data could not be made\. Device 1: .*devices.*ENOTDIR.*--no-sample.*\n$/m)
    expect(network.output.stderr).not.toMatch(/^ +at /m)
    network.child.kill('SIGINT')
    expect((await network.exit).code).toBe(0)
    expect(readFileSync(file('deployment.json'), 'utf8')).toBe(before)
    expect(existsSync(file('rpc/deployment.json'))).toBe(true)
    expect(await other.rpc('eth_chainId')).toBe('0x7a69')
    await other.stop()
  })

  test('--rpc on a chain without funded accounts names the account that needs funds', async () => {
    const other = await startAnvil(['--balance', '0', '--chain-id', '1337'])
    const { code, stderr } = await npmStart.run(['--port', '0', '--rpc', other.url]).exit
    expect(code).toBe(1)
    expect(stderr).toMatch(/cannot be deployed by 0xf39F.*who needs funds on this chain/)
    await other.stop()
  })
})

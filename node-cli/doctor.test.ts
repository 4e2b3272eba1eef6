import { chmodSync, mkdirSync, readdirSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { echoAddress, echoArtifact, echoManifest, echoWasm } from '../protocol/hbc/testing/artifacts.ts'
import {
  announcedAt,
  hashNetworkParams,
  isOlderVersion,
  makeSchedule,
  defaultNetworkParams as params,
} from '../protocol/identity/index.ts'
import { filledAscHome, temporaryFolder } from '../testing/node/folders.ts'
import { descriptorOf } from '../testing/node/hub-answers.ts'
import { inDatabase } from '../testing/node/node-database.ts'
import { nodectl } from '../testing/node/nodectl.ts'
import { startNodeHere } from '../testing/node/serving-node.ts'
import { databaseFile, tablesVersion } from './src/data-dir/database.ts'
import { withDataDir } from './src/data-dir/lock.ts'
import { createNodeKey, identityOf } from './src/data-dir/node-key.ts'
import { examine, type Finding, type Patient } from './src/doctor/index.ts'
import { knownRun } from './src/doctor/known-run.ts'
import { defaultProfile as profile } from './src/profile.ts'
import { hubClient, parseHubUrl } from './src/serve/hub/index.ts'
import { sendJson, startLyingHub } from './src/serve/hub/testing/lying-hub.ts'

const free = ['--bind', '127.0.0.1:0']
const env = { NODE_ASC_HOME: filledAscHome() }

async function createNode() {
  const dataDir = path.join(temporaryFolder(), 'node')
  const seed = await createNodeKey(dataDir)
  return { dataDir, nodeId: identityOf(profile, dataDir, seed).node_id }
}

/** The findings about a node, by check. */
async function examineNode(dataDir: string, change: Partial<Patient> = {}) {
  const { bind = { host: '127.0.0.1', port: 0 } } = change
  const url = `http://${bind.host}:${bind.port}`
  const usual = {
    profile,
    engine: 'auto',
    paramsChanges: null,
    hub: null,
    isValidator: false,
    followsHub: false,
  } as const
  const findings = await examine({ dataDir, bind, url, ...usual, ...change })
  return (check: string) => findings.find((finding) => finding.check === check)
}

/** The same as the command finds it. */
async function examineByCommand(dataDir: string, ...more: string[]) {
  const args = ['doctor', '--data-dir', dataDir, '--json', ...free, ...more]
  const { code, stdout } = await nodectl(args, { env })
  const { healthy, findings } = JSON.parse(stdout) as { healthy: boolean; findings: Finding[] }
  expect(code).toBe(healthy ? 0 : 1)
  return { healthy, findings, of: (check: string) => findings.find((finding) => finding.check === check) }
}

test('the known run uses the echo module of the protocol', () => {
  expect(knownRun.module).toEqual({ wasm: echoWasm, functions: echoManifest.functions })
  expect(knownRun.address).toBe(echoAddress)
})

test.each([
  ['1.0.0', '1.0.0', false],
  ['1.0.0', '1.0.1', true],
  ['1.9.0', '1.10.0', true],
  ['2.0.0', '1.10.9', false],
  ['22.9.0', '22.13', true],
  ['1.0.0-beta', '1.0.0', false],
])('version %s is older than %s: %s', (version, than, older) =>
  expect(isOlderVersion(version, than)).toBe(older),
)

describe('doctor', () => {
  test('finds nothing wrong with a new node', async () => {
    const { dataDir, nodeId } = await createNode()
    const { healthy, findings, of } = await examineByCommand(dataDir)
    expect(healthy).toBe(true)
    expect(findings.map(({ check, status }) => [check, status])).toEqual([
      ['node', 'ok'],
      ['engine', 'ok'],
      ['key', 'ok'],
      ['data', 'ok'],
      ['process', 'ok'],
      ['disk', expect.stringMatching(/^(ok|warning)$/)],
      ['port', 'ok'],
      ['hub', 'skipped'],
      ['clock', 'skipped'],
      ['parameters', 'skipped'],
      ['device', 'skipped'],
      ['compiler', 'ok'],
    ])
    expect(of('key')?.message).toContain(nodeId)
  })

  test('prints text for people, with a fix for each problem', async () => {
    const dataDir = path.join(temporaryFolder(), 'nothing')
    const { code, stdout } = await nodectl(['doctor', '--data-dir', dataDir, ...free], { env })
    expect(code).toBe(1)
    expect(stdout).toContain('ok       engine: native and pulley: the known receipt\n')
    expect(stdout).toContain(
      `failed   key: no node key in ${dataDir}\n         → Create one: nodectl keygen --data-dir ${dataDir}\n`,
    )
  })

  test('tests only the engine that the operator chose', async () => {
    const { dataDir } = await createNode()
    const { stdout } = await nodectl(['doctor', '--data-dir', dataDir, ...free], {
      env: { ...env, NODE_ENGINE: 'pulley' },
    })
    expect(stdout).toContain('engine: pulley: the known receipt')
  })

  test.skipIf(process.platform === 'win32')(
    'says how to hide a key or a directory that others can read',
    async () => {
      const { dataDir } = await createNode()
      const key = path.join(dataDir, 'node.key')
      chmodSync(key, 0o644)
      chmodSync(dataDir, 0o755)
      const of = await examineNode(dataDir)
      expect(of('key')).toMatchObject({
        status: 'failed',
        message: expect.stringContaining(`chmod 600 ${key}`),
      })
      expect(of('data')).toEqual({
        check: 'data',
        status: 'warning',
        message: `others can look into ${dataDir}`,
        mend: `chmod 700 ${dataDir}`,
      })
    },
  )

  test('detects a damaged database', async () => {
    const { dataDir } = await createNode()
    const file = path.join(dataDir, 'node.sqlite')
    writeFileSync(file, 'SQLite format 3\0 and nothing more that makes sense'.padEnd(4096, 'x'))
    expect((await examineNode(dataDir))('data')).toMatchObject({
      status: 'failed',
      message: expect.stringContaining('the database is damaged: '),
      mend: expect.stringContaining('backup'),
    })
    truncateSync(file)
    expect((await examineNode(dataDir))('data')).toMatchObject({ status: 'ok' })
  })

  test('names a database that a newer version wrote, which no command uses', async () => {
    const { dataDir } = await createNode()
    const module = path.join(temporaryFolder(), 'echo.hbc')
    writeFileSync(module, echoArtifact().bytes)
    const run = ['run', module, 'echo', '--input', '1', '--data-dir', dataDir]
    expect((await nodectl(run)).code).toBe(0)
    inDatabase(dataDir, (db) => db.exec(`PRAGMA user_version = ${tablesVersion + 1}`))
    const message = `${databaseFile(dataDir)} was written by another version of nodectl: its tables have version ${tablesVersion + 1}`
    expect((await examineNode(dataDir))('data')).toMatchObject({
      status: 'failed',
      message: expect.stringContaining(message),
      mend: expect.stringContaining('Install that version or a newer one'),
    })
    expect(await nodectl(run)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(`Error: ${message}`),
    })
    expect(inDatabase(dataDir, (db) => db.prepare('SELECT count(*) AS runs FROM ledger').get())).toEqual({
      runs: 1,
    })
  })

  test('suggests no backup for a database that it cannot read for another reason', async () => {
    const { dataDir } = await createNode()
    const file = path.join(dataDir, 'node.sqlite')
    mkdirSync(file)
    expect((await examineNode(dataDir))('data')).toMatchObject({
      status: 'failed',
      message: expect.stringContaining(`${file} cannot be read: `),
      mend: expect.not.stringContaining('backup'),
    })
  })

  test('leaves no file behind, which would belong to the user who asked', async () => {
    const { dataDir } = await createNode()
    expect((await examineNode(dataDir))('process')).toMatchObject({ status: 'ok' })
    expect(readdirSync(dataDir)).toEqual(['node.key'])
  })

  test('names the process that uses the data directory', async () => {
    const { dataDir } = await createNode()
    const { of } = await withDataDir(dataDir, () => examineByCommand(dataDir))
    expect(of('process')).toMatchObject({
      status: 'ok',
      message: `process ${process.pid} uses the data directory; a second process would be refused`,
    })
  })

  test('distinguishes this node at its port from other programs', async () => {
    const { dataDir, nodeId } = await createNode()
    const node = await startNodeHere(dataDir)
    const portOf = async (dir: string, url: string) => {
      const bind = { host: '127.0.0.1', port: Number(new URL(url).port) }
      return (await examineNode(dir, { bind }))('port')
    }
    const { host } = new URL(node.url)
    const other = await createNode()
    expect(await portOf(dataDir, node.url)).toMatchObject({
      status: 'ok',
      message: `this node answers at ${host}`,
    })
    expect(await portOf(other.dataDir, node.url)).toMatchObject({
      status: 'failed',
      message: `another node, ${nodeId}, listens at ${host}`,
      mend: expect.stringContaining('--bind'),
    })
    await node.stop()
    const origin = originOf(await listen())
    expect(await portOf(other.dataDir, origin)).toMatchObject({
      status: 'failed',
      message: `another program listens at ${new URL(origin).host}`,
    })
  })

  test('names a config.json that cannot be read as the first problem to fix', async () => {
    const { dataDir } = await createNode()
    writeFileSync(path.join(dataDir, 'config.json'), '{"hub_ur":1}')
    const { code, stderr } = await nodectl(['doctor', '--data-dir', dataDir])
    expect([code, stderr]).toEqual([2, expect.stringContaining('did you mean hub_url?')])
  })
})

describe('doctor and the hub', () => {
  const now = () => Math.floor(Date.now() / 1000)
  const hubOf = (change: { descriptor?: object; ahead?: number; device?: string; params?: object }) =>
    startLyingHub((request, response) => {
      const { url = '' } = request
      if (url === '/')
        return sendJson(response, descriptorOf(`http://${request.headers.host}`, change.descriptor))
      if (url === '/v1/status') return sendJson(response, { time: now() + (change.ahead ?? 0) })
      if (url === '/v1/network/params')
        return sendJson(response, { params_hash: hashNetworkParams(params), next: null, ...change.params })
      if (change.device === undefined) return sendJson(response, { error: 'not_found', message: 'No.' }, 404)
      return sendJson(response, { status: change.device })
    })
  const commandAt = async (change: Parameters<typeof hubOf>[0], ...more: string[]) => {
    const { dataDir } = await createNode()
    return examineByCommand(dataDir, '--hub-url', (await hubOf(change)).origin, ...more)
  }
  const examineAt = async (change: Parameters<typeof hubOf>[0] = {}, more: Partial<Patient> = {}) => {
    const { dataDir } = await createNode()
    const { origin } = await hubOf(change)
    return examineNode(dataDir, { hub: hubClient(parseHubUrl(origin)), ...more })
  }

  test('every check passes', async () => {
    const { healthy, of } = await commandAt({ device: 'online' })
    expect(healthy).toBe(true)
    expect(of('hub')).toMatchObject({
      status: 'ok',
      message: expect.stringContaining('is the hub of hub-testnet, chain 31337'),
    })
    expect(of('clock')).toMatchObject({ status: 'ok' })
    expect(of('device')).toMatchObject({ status: 'ok', message: 'bound, and online at the hub' })
  })

  test('another network, and an outdated nodectl', async () => {
    expect((await commandAt({}, '--network', 'other')).of('hub')).toMatchObject({
      status: 'failed',
      message: expect.stringContaining('is the hub of hub-testnet, not of other'),
      mend: 'If you mean hub-testnet, add --network hub-testnet',
    })
    const newer = { descriptor: { versions: { nodectl_min: '1.0.1' } } }
    expect((await examineAt(newer))('hub')).toMatchObject({
      status: 'failed',
      mend: 'Update it: npm install -g @hub/nodectl',
    })
  })

  test('no hub answers', async () => {
    const server = await listen()
    const origin = originOf(server)
    await new Promise((resolve) => server.close(resolve))
    const of = await examineAt({}, { hub: hubClient(parseHubUrl(origin)) })
    expect([of('clock')?.status, of('device')?.status]).toEqual(['skipped', 'skipped'])
    expect(of('hub')).toMatchObject({
      status: 'failed',
      message: `no hub answers on ${origin}: the connection is refused`,
    })
  })

  // A busy machine takes seconds to ask, and cannot tell when within them it was answered.
  test.each([
    [100, 'warning', /^this machine is (9|10)\d s behind the hub$/],
    [-100, 'warning', /^this machine is (9|10)\d s ahead of the hub$/],
    [7200, 'failed', /^this machine is 7(19|20)\d s behind the hub$/],
  ])('a clock that is off by %i s: %s', async (ahead, status, message) => {
    expect((await examineAt({ ahead, device: 'online' }))('clock')).toMatchObject({
      status,
      message: expect.stringMatching(message),
      mend: 'A local network has a time of its own: serve with --clock hub.',
    })
  })

  test('a clock that is off passes if the node follows the hub', async () => {
    const { healthy, of } = await commandAt({ ahead: 7200, device: 'online' }, '--clock', 'hub')
    expect(healthy).toBe(true)
    expect(of('clock')).toMatchObject({
      status: 'ok',
      message: expect.stringMatching(
        /^this machine is 7(19|20)\d s behind the hub, which the node follows \(--clock hub\)$/,
      ),
      mend: null,
    })
  })

  describe('parameters of the network', () => {
    const from = 3_999_999_600
    const changes = [{ from, params: { audit_bp: 2_000 } }]
    const next = announcedAt(makeSchedule(params, changes), from - 1)
    const known = () => {
      const file = path.join(temporaryFolder(), 'params.json')
      writeFileSync(file, JSON.stringify(changes))
      return { paramsChanges: file }
    }
    const found = async (said: object, more: Partial<Patient> = {}) =>
      (await examineAt({ device: 'online', params: said }, more))('parameters')

    test('are the same, also after a change that both know', async () => {
      expect(await found({})).toMatchObject({
        status: 'ok',
        message: 'hub and node use the same parameters',
      })
      expect(await found({ next }, known())).toMatchObject({
        status: 'ok',
        message: expect.stringContaining('also after their change at 2096-10-02T07:00:00Z'),
      })
    })

    test('will change to values that this version does not know', async () => {
      expect(await found({ next })).toMatchObject({
        status: 'warning',
        message: expect.stringContaining('which this version of nodectl does not know'),
        mend: 'If this version is the older one: npm install -g @hub/nodectl',
      })
    })

    test('change, and the hub does not announce it', async () => {
      expect(await found({}, known())).toMatchObject({
        status: 'warning',
        message: expect.stringContaining('which the hub does not announce'),
      })
    })

    test('differ from those of the hub', async () => {
      expect(await found({ params_hash: `0x${'ab'.repeat(32)}` })).toMatchObject({
        status: 'failed',
        message: expect.stringContaining('update nodectl'),
      })
    })

    test('come from a file without valid changes', async () => {
      const file = path.join(temporaryFolder(), 'params.json')
      writeFileSync(file, '{"from":1}')
      expect(await found({}, { paramsChanges: file })).toMatchObject({
        status: 'failed',
        message: expect.stringContaining(`${file} is wrong`),
      })
    })
  })

  test.each([
    [undefined, 'warning', 'nodectl bind --data-dir'],
    ['offline', 'warning', 'Start it: nodectl serve'],
    ['banned', 'failed', 'nodectl why'],
  ])('a device that is %s: %s', async (device, status, mend) => {
    expect((await examineAt(device === undefined ? {} : { device }))('device')).toMatchObject({
      status,
      mend: expect.stringContaining(mend),
    })
  })

  test('a validator is not a device', async () => {
    expect((await commandAt({}, '--role', 'validator')).of('device')).toBeUndefined()
  })
})

const originOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

async function listen(): Promise<Server> {
  const server = createServer((_, response) => response.end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return server
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { filler, spinner } from '../testing/node/artifacts.ts'
import { spinning } from '../testing/node/execution-calls.ts'
import { newFolder, temporaryFolder } from '../testing/node/folders.ts'
import { dist, failedWith, nodectl } from '../testing/node/nodectl.ts'
import { nodectlHere } from '../testing/node/nodectl-here.ts'
import { movableTime, passTenSeconds, startNode, startNodeHere, token } from '../testing/node/serving-node.ts'
import { CliError } from './src/cli/errors.ts'
import { readConfig } from './src/serve/config.ts'
import { settingNames } from './src/serve/flags.ts'
import { startLyingHub } from './src/serve/hub/testing/lying-hub.ts'

/** The result of a `serve` that refuses to start and never opens its port. */
const refused = (flags: string[], env: NodeJS.ProcessEnv = {}) =>
  nodectl(['serve', ...flags], { env: { NODE_API_TOKEN: '', NODE_DATA_DIR: newFolder(), ...env } })

/** The same, as far as the settings alone decide it. */
const refusedSettings = (flags: string[], env: NodeJS.ProcessEnv = {}): CliError => {
  const given = Object.fromEntries(
    flags.flatMap((flag, i) => (i % 2 === 0 ? [[flag.slice(2), flags[i + 1]]] : [])),
  )
  try {
    readConfig(given, { NODE_DATA_DIR: newFolder(), ...env })
  } catch (error) {
    if (error instanceof CliError) return error
  }
  throw new Error('they are not refused')
}

function fillDatabase(dataDir: string): void {
  const db = new DatabaseSync(path.join(dataDir, 'node.sqlite'))
  db.exec(
    "CREATE TRIGGER full BEFORE INSERT ON facts BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END",
  )
  db.close()
}

const placeLink = (dataDir: string): void =>
  symlinkSync('elsewhere', path.join(dataDir, 'nodectl.owner.part'))

describe('the start', () => {
  test('prints the identity and the address of the node in one line of JSON', async () => {
    const dataDir = newFolder()
    const node = await startNode(dataDir)
    const identity = JSON.parse((await nodectlHere(['id', '--data-dir', dataDir])).stdout)
    expect(node).toMatchObject({
      node_id: identity.node_id,
      public_key: identity.public_key,
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      role: 'miner',
      network: 'hub-testnet',
      engine: 'native',
      data_dir: dataDir,
    })
    expect((await node.call('/health')).json).toEqual({
      status: 'ok',
      version: '1.0.0',
      uptime_secs: expect.any(Number),
    })
    expect(await node.stop()).toBe(0)
  })

  test('a flag overrides the environment, which overrides config.json, which overrides the default', async () => {
    const dataDir = newFolder()
    mkdirSync(dataDir, { mode: 0o700 })
    const config = {
      network: 'from-file',
      workers: 3,
      payout_address: `0x${'ab'.repeat(20)}`,
      log_level: 'warn',
    }
    writeFileSync(path.join(dataDir, 'config.json'), JSON.stringify(config))
    const node = await startNodeHere(dataDir, {
      flags: ['--log-level', 'error'],
      env: { NODE_WORKERS: '5', NODE_LOG_LEVEL: 'debug', NODE_CHAIN_RPC: '' },
    })
    expect((await node.call('/status')).json.config).toMatchObject({
      network: 'from-file',
      workers: 5,
      log_level: 'error',
      payout_address: `0x${'ab'.repeat(20)}`,
      chain_rpc: null,
      clock: 'system',
    })
  })

  test('the help lists all options', async () => {
    const { stdout } = await nodectlHere(['serve', '--help'])
    for (const flag of settingNames) expect(stdout).toMatch(new RegExp(`^  --${flag} <`, 'm'))
    // Units and scripts of operators have their names.
    expect(settingNames).toHaveLength(24)
    expect(stdout).toContain('NODE_API_TOKEN')
  })
})

test('settings in hours and mebibytes become seconds and bytes', () => {
  const given = { 'direct-hours': '2', 'direct-storage': '3', 'disk-reserve': '5' }
  expect(readConfig(given, { NODE_DATA_DIR: newFolder() }).direct).toMatchObject({
    retention: { seconds: 7_200, bytes: 3 * 1_048_576 },
    diskReserveBytes: 5 * 1_048_576,
  })
})

describe('settings that are refused before anything is opened', () => {
  test.each([
    ['no token', {}, 'NODE_API_TOKEN is not set; it needs 16 characters at least'],
    ['an empty token', { NODE_API_TOKEN: '' }, 'NODE_API_TOKEN is not set'],
    ['a token of 15 characters', { NODE_API_TOKEN: 'x'.repeat(15) }, 'NODE_API_TOKEN has 15 characters'],
    ['a token no header can carry', { NODE_API_TOKEN: `${'x'.repeat(16)} y` }, 'without spaces'],
  ])('an address open to others with %s', (_, env, message) => {
    for (const bind of ['0.0.0.0:0', '[::]:0', '192.0.2.1:0', 'evil.localhost:0', '[::ffff:127.0.0.1]:0']) {
      expect(refusedSettings(['--bind', bind], env)).toMatchObject({
        code: 'api_token',
        message: expect.stringContaining(message),
      })
    }
  })

  test('with a token of 16 characters, an address open to others is accepted', async () => {
    const node = await startNodeHere(newFolder(), {
      bind: '0.0.0.0:0',
      env: { NODE_API_TOKEN: 'x'.repeat(16) },
    })
    expect(node.url).toMatch(/^http:\/\/0\.0\.0\.0:\d+$/)
    expect((await node.call('/metrics', { token: null })).status).toBe(401)
    expect((await node.call('/metrics', { token: 'x'.repeat(16) })).status).toBe(200)
  })

  test.each([
    [['--role', 'validator'], 'a validator needs --node-url'],
    [['--role', 'owner'], '--role must be miner or validator, not owner'],
    [['--clock', 'hub'], '--clock hub needs --hub-url'],
    [['--state-sync', 'true'], '--state-sync true needs --hub-url'],
    [['--state-sync', 'true', '--hub-url', 'http://localhost:1'], '--state-sync true needs --role validator'],
    [['--state-sync', 'yes'], '--state-sync must be true or false'],
    [['--bind', '7070'], '--bind must be a host and a port'],
    [['--bind', '127.0.0.1:70000'], '--bind must be a host and a port'],
    [['--hub-url', 'ftp://hub.example'], '--hub-url must be a URL that begins with https://'],
    [['--hub-url', 'http://hub.example'], '--hub-url must be an https URL, unless its host is this machine'],
    [['--hub-url', 'https://me:secret@hub.example'], '--hub-url must be a URL without credentials'],
    [['--node-url', 'https://10.0.0.1'], '--node-url must be a URL with a public host'],
    [['--chain-id', '0'], '--chain-id must be a whole number from 1'],
    [['--chain-id', '1e3'], '--chain-id must be a whole number from 1'],
    [['--payout-address', '0x12'], '--payout-address must be an address'],
    [
      ['--payout-address', '0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
      '--payout-address must be an address with a correct checksum',
    ],
    [['--chunk-storage', '0'], '--chunk-storage must be a whole number from 1 to 1048576'],
    [['--workers', '65'], '--workers must be a whole number from 1 to 64'],
    [['--network', 'A b'], '--network must be a name'],
    [['--log-format', 'xml'], '--log-format must be pretty or json, not xml'],
    [['--log-level', 'trace'], '--log-level must be error or warn or info or debug, not trace'],
  ])('%j', (flags, message) => {
    expect(refusedSettings(flags)).toMatchObject({ code: 'usage', message: expect.stringContaining(message) })
  })

  test.each([
    [['--worker', '2'], {}, 2, 'unknown flag --worker; did you mean --workers?'],
    [['--role', 'owner'], {}, 2, '--role must be miner or validator, not owner'],
    [[], { NODE_WORKERS: 'many' }, 2, 'NODE_WORKERS must be a whole number'],
    [['--bind', '0.0.0.0:0'], {}, 1, 'NODE_API_TOKEN is not set'],
  ])('%j with %j ends the command with its code', async (flags, env, code, message) => {
    expect(await refused(flags, env)).toEqual({ code, stdout: '', stderr: expect.stringContaining(message) })
  })

  test.each([
    ['{"worker": 2}', 'usage', 'has no setting worker; did you mean workers?'],
    ['{"workers": [2]}', 'usage', 'workers in '],
    ['{"workers": 0}', 'usage', 'must be a whole number from 1 to 64, not 0'],
    ['{"data_dir": "x"}', 'usage', 'has no setting data_dir'],
    ['[]', 'config', 'must hold one JSON object'],
    ['{', 'config', 'is not acceptable JSON'],
  ])('config.json %s', (text, code, message) => {
    const dataDir = newFolder()
    mkdirSync(dataDir, { mode: 0o700 })
    writeFileSync(path.join(dataDir, 'config.json'), text)
    const refusal = refusedSettings([], { NODE_DATA_DIR: dataDir })
    expect(refusal).toMatchObject({ code, message: expect.stringContaining(message) })
  })

  test('a port in use, with a message for people', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    onTestFinished(() => void other.close())
    const { port } = other.address() as { port: number }
    const words = `Error: 127.0.0.1:${port} is in use by another program\nStop that program, or choose another port with --bind.\n`
    expect(await refused(['--bind', `127.0.0.1:${port}`])).toEqual(failedWith(expect.stringContaining(words)))
  })

  test('a key that others can read', async () => {
    const dataDir = newFolder()
    await nodectlHere(['keygen', '--data-dir', dataDir])
    chmodSync(path.join(dataDir, 'node.key'), 0o644)
    expect(await refused([], { NODE_DATA_DIR: dataDir })).toEqual(
      failedWith(expect.stringContaining('mend it with: chmod 600')),
    )
  })
})

describe('a data directory', () => {
  test('serves one process; a second one is told its pid, and changes nothing', async () => {
    const dataDir = newFolder()
    const node = await startNode(dataDir)
    expect(await refused([], { NODE_DATA_DIR: dataDir })).toEqual(
      failedWith(expect.stringContaining(`is in use by process ${node.pid}\n`)),
    )
    expect((await node.call('/health')).status).toBe(200)
  })

  test('that is a copy of one in use is refused with the process that uses it', async () => {
    const folder = temporaryFolder()
    const node = await startNode(path.join(folder, 'node'))
    cpSync(path.join(folder, 'node'), path.join(folder, 'copy'), { recursive: true })
    const words = `is a copy of the data directory that process ${node.pid} uses`
    const outcome = await refused([], { NODE_DATA_DIR: path.join(folder, 'copy') })
    expect(outcome).toEqual(failedWith(expect.stringContaining(words)))
  })

  test.each([
    ['whose database takes no rows', 'database or disk is full', fillDatabase],
    ['with a foreign file of that name', 'nodectl.owner.part is a symbolic link', placeLink],
  ])('%s is no bug of nodectl', async (_, reason, spoil) => {
    const dataDir = newFolder()
    await (await startNode(dataDir)).stop()
    spoil(dataDir)
    const outcome = await refused(['--bind', '127.0.0.1:0'], { NODE_DATA_DIR: dataDir })
    expect(outcome).toEqual(
      failedWith(expect.stringContaining(`Error: the data directory ${dataDir} cannot be used: `)),
    )
    expect(outcome.stderr).toContain(reason)
  })

  test('is taken over after its process was killed', async () => {
    const dataDir = newFolder()
    const first = await startNode(dataDir)
    await first.kill()
    const second = await startNode(dataDir)
    expect(second.node_id).toBe(first.node_id)
    expect(second.log().filter(({ level }) => level === 'warn')).toEqual([])
  })
})

describe('the end', () => {
  test('comes at once while the node starts and its hub does not answer', async () => {
    const asked = Promise.withResolvers<void>()
    const hub = await startLyingHub(() => asked.resolve())
    const flags = [
      '--data-dir',
      newFolder(),
      '--bind',
      '127.0.0.1:0',
      '--hub-url',
      hub.origin,
      '--clock',
      'hub',
    ]
    const child = spawn('node', [path.join(dist, 'nodectl.mjs'), 'serve', ...flags])
    const closed = once(child, 'close')
    await asked.promise
    child.kill('SIGTERM')
    expect((await closed)[0]).toBe(0)
    // It has not gone on to ask for the time.
    expect(hub.requests).toEqual(['GET /'])
  })

  test.each(['SIGINT', 'SIGTERM'] as const)(
    '%s lets a running execution finish, and exits 0',
    async (signal) => {
      const node = await startNode()
      await node.call(`/modules/${spinner.address}`, { method: 'PUT', body: spinner.bytes })
      const execute = () =>
        node.call('/execute', { method: 'POST', body: { ...spinning, gas_limit: 400_000_000 } })
      let begun = 1
      let running = execute()
      const isRunning = async () => {
        const { counts, queue } = (await node.call('/status')).json
        // It may have ended between two looks, and then another begins.
        if (counts.executions === begun) {
          begun += 1
          running = execute()
        }
        return queue.running
      }
      await expect.poll(isRunning).toBe(1)
      const stopped = node.stop(signal)
      expect((await running).json).toMatchObject({ success: false, error: 'out of gas' })
      expect(await stopped).toBe(0)
      expect(existsSync(path.join(node.data_dir, 'nodectl.pid'))).toBe(false)
      expect(node.log().map(({ message }) => message)).toContain('stopped')
    },
  )

  test('an execution that takes ten seconds longer is cut off, and the exit code is 0', async () => {
    const node = await startNode(newFolder(), movableTime)
    await node.call(`/modules/${filler.address}`, { method: 'PUT', body: filler.bytes })
    const running = node
      .call('/execute', {
        method: 'POST',
        body: { module: filler.address, function: 'f', gas_limit: 10_000_000_000 },
      })
      .catch((error: NodeJS.ErrnoException) => error.code)
    await expect.poll(async () => (await node.call('/status')).json.queue.running).toBe(1)
    const stopped = node.stop()
    await expect.poll(() => node.log().map(({ message }) => message)).toContain('stopping')
    passTenSeconds(node)
    expect(await stopped).toBe(0)
    expect(await running).toMatch(/ECONNRESET|EPIPE/)
    expect(node.log().map(({ message }) => message)).toContain('requests that took longer were cut off')
  })
})

test('the log is JSON lines, or lines for people', async () => {
  const child = spawn(
    'node',
    [path.join(dist, 'nodectl.mjs'), 'serve', '--bind', '127.0.0.1:0', '--log-format', 'pretty'],
    { env: { ...process.env, NODE_DATA_DIR: newFolder(), NODE_API_TOKEN: token } },
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = await once(child.stderr, 'data')
  expect(String(line)).toMatch(
    /^\d{4}-[\dT:.-]+Z INFO {2}serving url=http:\/\/127\.0\.0\.1:\d+ node_id=node-/,
  )
})

test('run and --version start without loading node:http or node:sqlite', () => {
  for (const file of ['main.mjs', 'run.mjs', 'start.mjs'])
    for (const loaded of staticImports(file))
      expect([loaded, readFileSync(path.join(dist, loaded), 'utf8')]).toEqual([
        loaded,
        expect.not.stringMatching(/node:http|node:sqlite/),
      ])
})

/** The files of the build that are read before the first line of one runs. */
function staticImports(file: string, found = new Set([file])): Set<string> {
  for (const [, name] of readFileSync(path.join(dist, file), 'utf8').matchAll(
    /(?:from|^import) "\.\/(.+)";$/gm,
  ))
    if (!found.has(name!)) staticImports(name!, found.add(name!))
  return found
}

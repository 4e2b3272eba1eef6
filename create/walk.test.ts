import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { publint } from 'publint'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { pickPort } from '../localnet/port.ts'
import { listProcesses } from '../localnet/processes.ts'
import { sampleSlug } from '../localnet/sample/manifest.ts'
import { readNetwork } from '../scripts/hub/network.ts'
import { scope } from '../scripts/packages/scope.ts'
import { hasAnvil } from '../testing/anvil.ts'
import { testClientPrograms } from '../testing/client-programs.ts'
import { testConformance } from '../testing/conformance-programs.ts'
import { testConsole } from '../testing/console-tests.ts'
import { filledAscHome, temporaryFolder } from '../testing/node/folders.ts'
import { strangersEnvironment } from '../testing/node/package-calls.ts'
import { startPackageRegistry } from '../testing/node/package-registry.ts'
import { shared } from '../testing/node/shared.ts'
import { manifestOf, packageFolders, packPackages } from '../testing/packages.ts'
import { pageBlocks } from '../testing/page-samples.ts'
import { referenceTests } from '../testing/reference/tests.ts'
import { runTool } from '../testing/run-tool.ts'
import { openTerminal, statusAt } from '../testing/terminal.ts'

// A whole network starts here, and programs of others wait for its nodes and blocks, in the time the machine has for it.
/** Far from the repository, with a home and an npm cache of its own. */
const away = temporaryFolder()
afterAll(() => rmSync(away, { recursive: true, force: true }))

const registry = shared(async () => {
  const tarballs = await packPackages(packageFolders, away)
  return startPackageRegistry(
    tarballs.map((tarball, i) => ({ manifest: manifestOf(packageFolders[i]!), tarball })),
  )
})

/** Begins a command of a stranger, beside the registry that this process serves. */
function begin(cwd: string, env: NodeJS.ProcessEnv, command: string, ...args: string[]) {
  const child = spawn(command, args, {
    cwd,
    env: { ...strangersEnvironment(away), npm_config_registry: registry(), npm_config_fund: 'false', ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = { stdout: '', stderr: '' }
  child.stdout.on('data', (text) => (said.stdout += text))
  child.stderr.on('data', (text) => (said.stderr += text))
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...said }))
  return { said, ended, end: () => process.kill(-child.pid!, 'SIGTERM') }
}
const run = (...command: Parameters<typeof begin>) => begin(...command).ended
const done = (stdout: string) => ({ code: 0, stdout: expect.stringContaining(stdout) })

/** The commands of each block of a page, without their comments. */
const blocksOf = (page: string): string[][] =>
  [...readFileSync(page, 'utf8').matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) =>
    block!.trim().split('\n'),
  )

/** The test program of a reader of the page: it starts a network, submits a task and verifies the receipt. */
const program = `
import { createHub } from '${scope}/client'
import { startNetwork } from '${scope}/client/testing'

const network = await startNetwork()
try {
  const hub = createHub({ url: network.hub.url })
  const task = await hub.tasks.run('sample-echo', 'echo', { hello: 'world' })
  const { holds } = await hub.verifyReceipt(await hub.tasks.receipt(task), task)
  console.log(JSON.stringify({ network, output: task.output, holds }))
  for await (const _ of process.stdin);
} finally {
  await network.stop()
}
`

/** A process and all that it started. */
function familyOf(pid: number): number[] {
  const all = listProcesses()
  const below = (one: number): number[] => [
    one,
    ...all.filter(({ parent }) => parent === one).flatMap((child) => below(child.pid)),
  ]
  return below(pid)
}

describe.skipIf(!hasAnvil)('for a user with npm and without a checkout', () => {
  const tests = path.join(away, 'tests')
  const temporary = path.join(away, 'tmp')
  let child: ChildProcess
  // biome-ignore lint/suspicious/noExplicitAny: The program prints JSON.
  let started: any
  beforeAll(async () => {
    mkdirSync(tests)
    mkdirSync(temporary)
    writeFileSync(path.join(tests, 'package.json'), '{ "type": "module", "private": true }')
    const packages = ['client', 'testing'].map((name) => `${scope}/${name}`)
    const installed = await run(tests, {}, 'npm', 'install', '--ignore-scripts', '--no-audit', ...packages)
    if (installed.code !== 0) throw new Error(installed.stderr)
    writeFileSync(path.join(tests, 'network.js'), program)
    child = spawn('node', ['network.js'], {
      cwd: tests,
      env: { ...strangersEnvironment(away), TMPDIR: temporary },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const ended = once(child, 'close').then(() => {
      throw new Error('the program ended before it printed a result')
    })
    const [line] = await Promise.race([once(createInterface({ input: child.stdout! }), 'line'), ended])
    started = JSON.parse(line)
  })
  afterAll(() => child?.kill('SIGKILL'))

  test('a user’s own test starts a network and verifies the receipt of a task', () => {
    expect(started).toMatchObject({ output: '{"hello":"world"}', holds: true })
    const { hub, chain, accounts, project_id } = started.network
    expect([hub.url, chain]).toEqual([
      expect.stringMatching(/^http:\/\/localhost:\d+$/),
      { id: 31337, url: expect.stringMatching(/^http:/) },
    ])
    expect(accounts.developer).toEqual({
      address: expect.stringMatching(/^0x[0-9a-f]{40}$/),
      key: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    })
    expect(project_id).toMatch(/^0x[0-9a-f]{64}$/)
  })

  const hub = (): string => started.network.hub.url
  /** The folder of the network. */
  const folder = () => {
    const name = readdirSync(temporary).find((name) => name.startsWith('network-'))
    return path.join(temporary, String(name))
  }
  const installed = () => tests
  testClientPrograms(hub, installed)

  const backstage = () => ({ folder: folder(), rpcUrl: started.network.chain.url })
  const guide = (page: string) => pageBlocks(page, 'sh', hub())
  const open = (commands: string, env: NodeJS.ProcessEnv = {}) =>
    openTerminal(commands, {
      ...{ HUB_URL: hub(), NODE_ASC_HOME: filledAscHome(), ...env },
    })

  testConsole(hub, backstage, () => {
    test('a project is started, tried, tested and published, and a task of it is final with its result', async ({
      expect,
    }) => {
      const env = { HUB_URL: hub(), NODE_ASC_HOME: filledAscHome() }
      const name = 'my-project'
      const project = path.join(away, name)
      const npm = (...args: string[]) => run(project, env, 'npm', ...args)
      const [[create, , install, develop] = []] = blocksOf('create/README.md')
      const made = run(away, env, 'sh', '-c', create!.replace('npx', 'npx --yes'))
      expect(await made).toMatchObject(done('npm run dev'))
      expect(await run(project, env, 'sh', '-c', install!)).toMatchObject({ code: 0 })

      expect(await npm('test')).toMatchObject(done('All 2 samples are ok.'))
      const module = path.join(project, 'assembly/index.ts')
      const source = readFileSync(module, 'utf8')
      const dev = begin(project, env, 'sh', '-c', develop!)
      await expect.poll(() => dev.said.stdout + dev.said.stderr).toContain('Waiting for a change')
      writeFileSync(module, source.replace('Hello', 'Hi'))
      await expect.poll(() => dev.said.stdout).toContain('expected "Hello, Ada!"')
      dev.end()
      await dev.ended
      expect(await npm('run', 'publish')).toMatchObject({
        code: 1,
        stdout: expect.not.stringContaining('POST'),
      })
      writeFileSync(module, source)

      // The commands of `create/template/readme.md`, as they were written into the project.
      const [, , ofLocal, ofPublic] = blocksOf(path.join(project, 'README.md'))
      const [publish, queue, approve, ask] = ofLocal!
      const shell = (line: string, more: NodeJS.ProcessEnv = {}) =>
        run(project, { ...env, ...more }, 'sh', '-c', line)
      const published = await shell(publish!)
      expect(published).toMatchObject(done('waits for the review of an operator'))
      const projectId = published.stdout.trim().split('\n').at(-1)!
      expect(await shell(queue!)).toMatchObject(done(projectId))
      expect(await shell(approve!.replace('PROJECT_ID', projectId))).toMatchObject({ code: 0 })
      const task = await shell(ask!.replace('npm run', 'npm run --silent').concat(' --json'))
      expect(task).toMatchObject({ code: 0 })
      expect(JSON.parse(task.stdout).task).toMatchObject({
        ...{ project_id: projectId, status: 'finalized', success: true, output: 'Hello, Ada!' },
      })

      // As on a public network: a wallet of its own, with what the faucet gives it.
      const key = { DEVELOPER_KEY: `0x${randomBytes(32).toString('hex')}` }
      const [faucet, publishOwn] = ofPublic!
      expect(await shell(faucet!, key)).toMatchObject({ code: 0 })
      expect(await shell(publishOwn!, key)).toMatchObject(done('waits for the review of an operator'))
    })

    test('the steps of docs/publish-a-project.md lead to a task of the project', async () => {
      const [, , , ...steps] = guide('docs/publish-a-project.md')
      const artifact = path.join(away, 'hello.hbc')
      const script = steps.join('\n').replaceAll(/(?<=[ "])hello\.hbc/g, artifact)
      const { said, ended } = open(script.replaceAll('submit.log', path.join(away, 'submit.log')))
      expect(await ended, said.all).toBe(0)
      expect(said.all).toContain('Hello, Ada!')
    })
  })

  test('time passes once the open rounds are over, so that no device is late', async () => {
    const { client } = await readNetwork(hub())
    const { task_id } = await client.call('POST /v1/projects/{project_id}/tasks', {
      path: { project_id: sampleSlug },
      body: { function: 'echo', input: 'before the time passes' },
    })
    const read = () => client.call('GET /v1/tasks/{task_id}', { path: { task_id } })
    // After hours have passed, it first waits for its committee set.
    await expect.poll(read).not.toMatchObject({ status: 'queued' })
    const { code, stdout, stderr } = await runTool('tools/pass-time.ts', ['10m'], { HUB_URL: hub() })
    expect(code, stderr).toBe(0)
    const { status, round_id } = await read()
    expect([status, stderr]).toEqual(['finalized', expect.not.stringContaining('still open')])
    const round = await client.call('GET /v1/explorer/rounds/{round_id}', { path: { round_id: round_id! } })
    const [, from] = /^Network time was (\S+) and/.exec(stdout)!
    expect(round.finalized_at).toBeLessThan(Date.parse(from!) / 1000 + 60)
  })

  const reference = referenceTests(hub, installed, backstage)
  reference.rewards()
  testConformance(hub, () => path.join(folder(), 'devices/3'))

  test('the steps of docs/run-a-node.md lead to a device that works', async () => {
    const port = await pickPort()
    const [own, later] = guide('docs/run-a-node.md').map((block) =>
      block
        .replaceAll('./node', path.join(away, 'node'))
        .replaceAll('miner.key', path.join(away, 'miner.key')),
    )
    const env = { NODE_BIND: `127.0.0.1:${port}` }
    const node = open(own!, env)
    onTestFinished(node.close)
    await expect.poll(() => statusAt(port)).toMatchObject({ relay: { connected: true } })
    const { node_id: nodeId } = await statusAt(port)
    const first = own!.split('\n').slice(0, 2).join('\n')
    const script = later!
      .replace('node-…', nodeId)
      // It may still wait for its first epoch; and nothing is paid yet.
      .replace(/^nodectl why .*$/m, '$& || true')
      .replace(/^nodectl claim .*$/m, '')
    const { said, ended } = open(`${first}\n${script}`, env)
    expect(await ended, said.all).toBe(0)
    expect(said.all).toMatch(new RegExp(`^node +${nodeId}[^]*^work `, 'm'))
  })

  reference.others()

  test('no process is left after the network is told to stop', async () => {
    const family = familyOf(child.pid!)
    // The program, the network, the chain, workerd, four validators and three devices.
    expect(family.length).toBeGreaterThanOrEqual(10)
    child.stdin!.end()
    expect(await once(child, 'close')).toEqual([0, null])
    const left = new Set(listProcesses().map(({ pid }) => pid))
    expect(family.filter((pid) => left.has(pid))).toEqual([])
  })

  test('publint finds no problem in the client and testing packages', async () => {
    // nodectl is left out: publint takes modules without an import or export for CommonJS, whatever they are called.
    for (const name of ['client', 'testing']) {
      const pkgDir = path.join(tests, 'node_modules', scope, name)
      const { messages } = await publint({ pkgDir, pack: false, strict: true })
      expect([name, messages]).toEqual([name, []])
    }
    const pkgDir = path.join(away, 'my-project/node_modules', scope, 'create')
    expect((await publint({ pkgDir, pack: false, strict: true })).messages).toEqual([])
  })
})

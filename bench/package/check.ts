/**
 * Whether the published package works for a stranger, with the oldest Node that it takes and with a newer one:
 * `node scripts/nx.mjs node bench/package/check.ts`. Packs it as npm does, installs it into empty prefixes, calls every
 * command, and has nodes of both bring tasks to their final results. It exits with 1 if a step fails.
 */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { followTask, giveTask, isHonest, readWay } from '../../chaos/network/echo-tasks.ts'
import { passIntoWork, startNodeNetwork } from '../../chaos/network/node-network.ts'
import packageJson from '../../node-cli/package.json' with { type: 'json' }
import { commands } from '../../node-cli/src/commands/index.ts'
import {
  fillAscHome,
  packageCalls,
  type Ran,
  runProgram,
  strangersEnvironment,
} from '../../testing/node/package-calls.ts'
import { installNode } from '../install-node.ts'

const oldest = '22.13.0'
const newer = '26.10.0'
const taskLimitMs = 900_000
const bytesMax = 2 * 1024 * 1024
const root = path.resolve(import.meta.dirname, '../..')

const folder = mkdtempSync(path.join(tmpdir(), 'check-package-'))
try {
  const tarball = pack()
  const { size } = statSync(tarball)
  assert(size <= bytesMax, `The package has ${size} bytes, more than ${bytesMax}.`)
  assert(!('dependencies' in packageJson), 'The package has dependencies.')
  const scripts = Object.keys(packageJson.scripts).filter((name) => /install/.test(name))
  assert.deepEqual(scripts, [], 'Something runs when it is installed.')
  const installed = [oldest, newer].map((version) => install(tarball, version))
  const called = installed.map(({ version, call }) => ({
    node: version,
    commands: callEveryCommand(version, call),
  }))
  const network = await decideTasks(installed)
  const result = {
    date: new Date().toISOString().slice(0, 10),
    package_bytes: size,
    files: installed[0]!.files,
    runtime_dependencies: 0,
    called,
    network,
  }
  console.log(JSON.stringify(result, null, 2))
} finally {
  rmSync(folder, { recursive: true })
}
process.exit()

interface Installed {
  readonly version: string
  readonly node: string
  readonly dist: string
  readonly files: number
  readonly call: (args: readonly string[]) => Ran
}

function pack(): string {
  const { status, stdout, stderr } = runProgram(
    'npm',
    ['pack', '--pack-destination', folder],
    path.join(root, 'node-cli'),
    process.env,
  )
  assert.equal(status, 0, stderr)
  return path.join(folder, stdout.trim().split('\n').at(-1)!)
}

/** Installs a version of Node, and the package with it, as npm does for all users. */
function install(tarball: string, version: string): Installed {
  const node = installNode(folder, version)
  const home = path.join(folder, `home-${version}`)
  mkdirSync(path.join(home, 'home'), { recursive: true })
  const stranger = strangersEnvironment(home)
  const env = {
    ...stranger,
    PATH: `${path.dirname(node)}${path.delimiter}${stranger.PATH}`,
    NODE_ASC_HOME: fillAscHome(path.join(home, 'asc')),
  }
  const prefix = path.join(home, 'prefix')
  const ran = runProgram('npm', ['install', '-g', '--prefix', prefix, '--offline', tarball], home, env)
  assert.equal(ran.status, 0, ran.stderr)
  const own = path.join(prefix, 'lib/node_modules')
  assert.deepEqual(readdirSync(own), [path.dirname(packageJson.name)], 'More than the package is installed.')
  return {
    version,
    node,
    dist: path.join(own, packageJson.name, 'dist'),
    files: readdirSync(path.join(own, packageJson.name), { recursive: true, withFileTypes: true }).filter(
      (one) => one.isFile(),
    ).length,
    call: (args) => runProgram(path.join(prefix, 'bin/nodectl'), args, home, env),
  }
}

function callEveryCommand(version: string, call: Installed['call']): number {
  const calls = packageCalls(path.join(folder, `work-${version}`), call)
  assert.deepEqual(Object.keys(calls).sort(), Object.keys(commands).sort())
  for (const [name, [args, status, word]] of Object.entries(calls)) {
    const ran = call([name, ...args])
    const said = `nodectl ${name} with Node ${version}: ${ran.status}\n${ran.stdout}${ran.stderr}`
    assert.equal(ran.status, status, said)
    assert(ran.stdout.includes(word), said)
  }
  return Object.keys(calls).length
}

/** Half of the validators, and of three miners, run each Node: neither has a quorum without the other. */
async function decideTasks(installed: readonly Installed[]) {
  const network = await startNodeNetwork({
    folder: path.join(folder, 'network'),
    miners: 3,
    programs: installed.map(({ dist, node }) => ({ dist, node })),
    problem(text) {
      throw new Error(text)
    },
  })
  try {
    await passIntoWork(network)
    const inputs = Array.from({ length: 5 }, (_, index) => `{"task":${index}}`)
    await Promise.all(
      inputs.map(async (input) => {
        const given = await giveTask(network, input, input)
        await followTask(network, given, taskLimitMs)
        assert(isHonest(given) && (await readWay(network, given)) !== 'fallback', JSON.stringify(given))
      }),
    )
    return {
      validators: network.validators.length,
      miners: network.miners.length,
      final_and_honest_tasks: inputs.length,
    }
  } finally {
    await network.stop()
  }
}

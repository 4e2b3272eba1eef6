/**
 * Generates two clients from the document that a running hub serves, compiles them, and has each submit a task, wait for
 * its result and read the round:
 *
 *   node scripts/nx.mjs node scripts/generated-clients.ts [--hub URL]
 *
 * The generators live in a folder of their own, which the first run fills with npm.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { build } from 'esbuild'
import { readArguments } from './command/arguments.ts'
import { runCommand } from './command/run.ts'

const home = path.resolve('node_modules/.cache/generated-clients')
const packages = [
  'openapi-typescript@7.13.0',
  'openapi-fetch@0.17.0',
  '@hey-api/openapi-ts@0.95.0',
  'typescript@5.9.3',
  '@types/node@24.10.1',
]

interface Generator {
  readonly name: string
  /** The command that makes `api` beside `document.json`, in the folder of the generator. */
  readonly command: readonly string[]
  /** Binds the calls of the flow to the generated client, as people who use it would. */
  readonly calls: string
}

const generators: readonly Generator[] = [
  {
    name: 'openapi-fetch',
    command: ['openapi-typescript/bin/cli.js', 'document.json', '-o', 'api.ts'],
    calls: `
import createClient from 'openapi-fetch'
import type { paths } from './api'
const hub = createClient<paths>({ baseUrl })
const list = () => hub.GET('/v1/projects', { params: { query: { limit: 1 } } })
const submit = (project_id: string) =>
  hub.POST('/v1/projects/{project_id}/tasks', { params: { path: { project_id }, query: { wait: 60 } }, body: task })
const round = (round_id: string) => hub.GET('/v1/explorer/rounds/{round_id}', { params: { path: { round_id } } })`,
  },
  {
    name: 'hey-api',
    command: [
      '@hey-api/openapi-ts/bin/run.js',
      '-i',
      'document.json',
      '-o',
      'api',
      '-c',
      '@hey-api/client-fetch',
    ],
    calls: `
import { getRound, listProjects, submitTask } from './api'
import { client } from './api/client.gen'
client.setConfig({ baseUrl })
const list = () => listProjects({ query: { limit: 1 } })
const submit = (project_id: string) => submitTask({ path: { project_id }, query: { wait: 60 }, body: task })
const round = (round_id: string) => getRound({ path: { round_id } })`,
  },
]

/** The same for each client: what is wrong with a type is found by the compiler, what is wrong with an answer by running it. */
const flow = (calls: string): string => `
const baseUrl = process.argv[2]!
const task = { function: 'echo', input: { hello: 'world' } }
${calls}
const has = <T>(what: string, { data, error }: { data?: T; error?: unknown }): T => {
  if (data === undefined) throw new Error(what + ': ' + JSON.stringify(error))
  return data
}
const { items } = has('projects', await list())
const projectId: string | undefined = items[0]?.project_id
if (projectId === undefined) throw new Error('no project is listed')
const { status, output, round_id } = has('task', await submit(projectId))
if (status !== 'finalized' || output !== '{"hello":"world"}' || round_id === null) throw new Error('the task is ' + status)
const { state, votes }: { state: string; votes?: number } = has('round', await round(round_id))
console.log(JSON.stringify({ status, output, state, votes }))
`

function install(): void {
  if (existsSync(path.join(home, 'node_modules/@hey-api/openapi-ts'))) return
  console.error(`Installing ${packages.join(', ')} into ${home}`)
  mkdirSync(home, { recursive: true })
  const args = ['install', '--prefix', home, '--no-audit', '--no-fund', '--ignore-scripts', ...packages]
  execFileSync('npm', args, { stdio: ['ignore', 'ignore', 'inherit'] })
}

async function tryClient(
  { name, command, calls }: Generator,
  document: string,
  hub: string,
): Promise<string> {
  const folder = path.join(home, name)
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, 'document.json'), document)
  writeFileSync(path.join(folder, 'flow.ts'), flow(calls))
  const run = (program: string, ...args: readonly string[]): string =>
    execFileSync('node', [path.join(home, 'node_modules', program), ...args], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    })
  const [generator = '', ...args] = command
  run(generator, ...args)
  const options = [
    '--noEmit',
    '--strict',
    '--target',
    'es2022',
    '--module',
    'esnext',
    '--moduleResolution',
    'bundler',
  ]
  run('typescript/bin/tsc', ...options, '--types', 'node', 'flow.ts')
  const outfile = path.join(folder, 'flow.mjs')
  await build({
    entryPoints: [path.join(folder, 'flow.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'error',
  })
  return execFileSync('node', [outfile, hub], { encoding: 'utf8' }).trim()
}

await runCommand(async () => {
  const { values } = readArguments({ options: { hub: { type: 'string' } } }, 'Usage: … [--hub URL]')
  const hub = values.hub ?? process.env.HUB_URL ?? 'http://localhost:8787'
  const document = await (await fetch(`${hub}/v1/openapi.json`)).text()
  install()
  for (const generator of generators)
    console.log(`${generator.name}: ${await tryClient(generator, document, hub)}`)
})

import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { accounts } from '../localnet/accounts.ts'
import { pickPort } from '../localnet/port.ts'
import { privateKeys } from '../localnet/private-keys.ts'
import { readNetwork } from '../scripts/hub/network.ts'
import { signIn } from '../scripts/hub/wallet.ts'

let folder: string
let child: ChildProcess | undefined
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'clone-'))
})
afterEach(async () => {
  await stop('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

/** Ends what runs, as the signal of a terminal does: it reaches every process. */
async function stop(signal: 'SIGINT' | 'SIGKILL'): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  process.kill(-child.pid!, signal)
  await ended
}

/** The files that a clone has, installed. */
function clone(): void {
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    encoding: 'utf8',
  })
  for (const file of files.split('\0').filter((name) => name !== ''))
    cpSync(file, path.join(folder, file), { recursive: true })
  symlinkSync(path.resolve('node_modules'), path.join(folder, 'node_modules'))
}

/** Starts the hub as a person does, with nothing set. */
async function startDevelopment(): Promise<string> {
  const port = await pickPort()
  const { CLOUDFLARE_LOAD_DEV_VARS_FROM_DOT_ENV: _, ...env } = process.env
  const args = ['wrangler', 'dev', '--port', String(port), '--inspector-port', '0']
  const started = spawn('npx', args, { cwd: folder, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  child = started
  let output = ''
  await new Promise<void>((resolve, reject) => {
    for (const stream of [started.stdout, started.stderr])
      stream.on('data', (text) => {
        output += text
        if (output.includes('Ready on')) resolve()
      })
    started.once('exit', () => reject(new Error(`wrangler dev ended: ${output}`)))
  })
  return `http://localhost:${port}`
}

test('`npx wrangler dev` in a clean clone runs a hub where people sign in and upload', async () => {
  clone()
  const hub = await startDevelopment()
  const answer = await fetch(`${hub}/v1/status`)
  expect(answer.status).toBe(200)
  expect(await answer.json()).toMatchObject({
    status: 'ok',
    database: 'ok',
    missing: { relayer: ['CHAIN_RPC_URL', 'CHAIN_CONTRACTS', 'RELAYER_PRIVATE_KEY'] },
  })
  const page = await (await fetch(hub, { headers: { Accept: 'text/html' } })).text()
  const file = await fetch(hub + /src="(\/_app\/[^"]+)"/.exec(page)?.[1])
  expect([file.status, file.headers.get('Cache-Control')]).toEqual([
    200,
    'public, max-age=31536000, immutable',
  ])
  const wallet = await signIn(await readNetwork(hub), privateKeys.developer)
  expect(wallet.address).toBe(accounts.developer.address.toLowerCase())
  const address = '0x0e32540814d8662d7d55a9d350bfa1a76eb736376dccdd663b27985fcd73dc05'
  const uploaded = await fetch(`${hub}/v1/modules/${address}/hbc`, {
    method: 'PUT',
    headers: { Authorization: `Bearer ${wallet.token}`, 'Content-Type': 'application/octet-stream' },
    body: readFileSync(`public/benchmarks/${address}.hbc`),
  })
  expect(uploaded.status).toBe(201)
  await stop('SIGINT')
})

test('a database that another version of the hub wrote is refused with the fix', () => {
  symlinkSync(path.resolve('node_modules'), path.join(folder, 'node_modules'))
  for (const file of ['d1-migrations', 'scripts', 'wrangler.toml'])
    cpSync(file, path.join(folder, file), { recursive: true })
  const [first = ''] = readdirSync('d1-migrations').sort()
  const script = `
    import { renameSync } from 'node:fs'
    const { prepareDatabase } = await import('./scripts/development-hub.ts')
    await prepareDatabase()
    await prepareDatabase()
    renameSync('d1-migrations/${first}', 'd1-migrations/0001_everything.sql')
    await prepareDatabase()`
  const args = ['--input-type=module', '--eval', script]
  expect(spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })).toMatchObject({
    status: 1,
    stdout: 'Applied the migrations to the local database\n',
    stderr: expect.stringContaining(
      `do not exist here, such as ${first}. Stop wrangler, and remove .wrangler/state/v3 to begin with an empty database.`,
    ),
  })
})

test('npx runs the project’s own Node, also where npm made no link to it', () => {
  const name = `node-${process.platform}-${process.arch}`
  for (const part of [`node_modules/${name}/bin`, 'scripts'])
    mkdirSync(path.join(folder, part), { recursive: true })
  writeFileSync(path.join(folder, 'node_modules', name, 'bin/node'), '')
  cpSync('scripts/link-node.mjs', path.join(folder, 'scripts/link-node.mjs'))
  const link = () => execFileSync(process.execPath, [path.join(folder, 'scripts/link-node.mjs')])
  link()
  link()
  expect(readlinkSync(path.join(folder, 'node_modules/.bin/node'))).toBe(`../${name}/bin/node`)
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
  expect(scripts.postinstall).toBe('node scripts/link-node.mjs')
})

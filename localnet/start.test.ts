import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { probePort } from './port.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'localnet-'))
const running = new Set<ChildProcess>()

afterAll(() => {
  for (const child of running) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

function run(...args: string[]) {
  const child = spawn('node', ['scripts/nx.mjs', 'node', 'localnet/start.ts', ...args], {
    env: { ...process.env, LOCALNET_DIR: folder },
  })
  running.add(child)
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (text) => (output.stdout += text))
  child.stderr.on('data', (text) => (output.stderr += text))
  const exit = once(child, 'exit').then(([code]) => {
    running.delete(child)
    return { code, ...output }
  })
  const ready = new Promise<void>((resolve, reject) => {
    child.stdout.on('data', () => output.stdout.includes('is ready') && resolve())
    exit.then(({ stderr }) => reject(new Error(`stopped before it was ready: ${stderr}`)))
  })
  ready.catch(() => {})
  return { child, ready, exit }
}

describe('npm start', () => {
  test('serves until SIGTERM, keeps its data, and runs once per folder', async () => {
    const port = await probePort(0)
    const origin = `http://localhost:${port}`
    const first = run('--port', String(port))
    await first.ready

    const body = JSON.stringify({ address: `0x${'11'.repeat(20)}`, domain: `localhost:${port}` })
    const post = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body }
    expect((await fetch(`${origin}/v1/auth/nonce`, post)).status).toBe(200)
    expect(((await (await fetch(origin)).json()) as { hosts: { api: string } }).hosts.api).toBe(origin)

    const second = await run('--port', String(await probePort(0))).exit
    expect([second.code, second.stderr]).toEqual([1, expect.stringContaining('is running already (process ')])

    first.child.kill('SIGTERM')
    const stopped = await first.exit
    expect(stopped.code).toBe(0)
    for (const url of ['/v1', '/docs', '/v1/openapi.json', '/v1/status'])
      expect(stopped.stdout).toContain(origin + url)
    await expect(fetch(origin)).rejects.toThrow()

    const again = run('--port', String(port))
    await again.ready
    again.child.kill('SIGINT')
    expect((await again.exit).code).toBe(0)
  })

  test.each([
    [
      'a port in use',
      async () => ['--port', String(await occupied())],
      /is in use by another program\. Choose another one: npm start -- --port \d+/,
    ],
    ['a port that is none', async () => ['--port', 'http'], /--port must be a number/],
    ['an unknown flag', async () => ['--prot', '1'], /--prot.*[\s\S]*Usage: npm start/],
  ])('says what is wrong with %s and exits 1', async (_, args, message) => {
    const { code, stderr } = await run(...(await args())).exit
    expect(stderr).toMatch(message)
    expect(code).toBe(1)
  })

  test('--help shows examples', async () => {
    const { code, stdout } = await run('--help').exit
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

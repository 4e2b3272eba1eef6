/**
 * Measures the CPU that workerd uses for each kind of request, beside Workers that do only what is necessary, all in turn in
 * one run: `npm run bench -- requests`. Linux only: it reads /proc.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { startHub } from '../../localnet/hub.ts'
import { pickPort } from '../../localnet/port.ts'
import { evmAddress, signPersonalMessage } from '../../protocol/signatures/index.ts'
import { bundleHub } from '../../scripts/bundle.ts'
import { readNetwork } from '../../scripts/hub/network.ts'
import { signIn } from '../../scripts/hub/wallet.ts'
import { cpuMs, ownWorkerds } from '../../testing/workerd.ts'
import { median } from '../result.ts'
import { projectId, seed } from './seed.ts'

const rounds = Number(process.env.ROUNDS ?? 9)
const perTurn = 200
const signedPerTurn = 40
const key = `0x${'42'.repeat(32)}`

interface Call {
  path: string
  headers?: Record<string, string>
  json?: unknown
}

interface Target {
  name: string
  pid: number
  origin: URL
  status: number
  calls: (round: number) => Call[]
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 })

/** Sends one request; the body is read to its end. */
async function call(origin: URL, { path, headers, json }: Call): Promise<{ status: number; text: string }> {
  const body = json === undefined ? undefined : JSON.stringify(json)
  const sent = request(new URL(path, origin), {
    agent,
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      'CF-Connecting-IP': '10.0.0.1',
      ...(body !== undefined && {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body),
      }),
      ...headers,
    },
  })
  sent.end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) text += chunk
  return { status: response.statusCode ?? 0, text }
}

async function turn({ name, pid, origin, status, calls }: Target, round: number): Promise<number> {
  const all = calls(round)
  const before = cpuMs([pid])
  for (const one of all) {
    const answer = await call(origin, one)
    if (answer.status !== status) throw new Error(`${name} answered ${answer.status}: ${answer.text}`)
  }
  return (cpuMs([pid]) - before) / all.length
}

const peer = async (name: string): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`peers/${name}.ts`, import.meta.url))],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2024',
    conditions: ['workerd', 'worker', 'import'],
    external: ['node:*'],
    logLevel: 'silent',
  })
  return outputFiles[0]?.text ?? ''
}

const port = await pickPort()
const baseUrl = `http://localhost:${port}`
const hub = await startHub({
  script: await bundleHub(),
  port,
  // As deployed, where the address is no work of the hub's.
  callersNameAddress: true,
  vars: {
    BASE_URL: baseUrl,
    LOCAL_NETWORK: 'true',
    HUB_SECRET: 'a secret of a measurement, long enough',
    RATE_LIMIT_MULTIPLIER: '1000',
  },
  extraWorkers: { empty: await peer('empty'), hono: await peer('hono') },
})
const children: (() => void)[] = []
try {
  const [pid] = ownWorkerds()
  const [origin] = hub.urls
  if (pid === undefined || origin === undefined) throw new Error('workerd was not found')
  await seed(hub.miniflare)
  const targets = await targetsOf(pid, origin)
  const figures = new Map(targets.map(({ name }) => [name, [] as number[]]))
  for (let round = 0; round <= rounds; round++)
    for (const target of targets) {
      const ms = await turn(target, round)
      // The first round warms up.
      if (round > 0) figures.get(target.name)?.push(ms)
    }
  report(figures)
} finally {
  for (const stop of children) stop()
  agent.destroy()
  await hub.stop()
}

async function targetsOf(pid: number, origin: URL): Promise<Target[]> {
  const empty = await hub.miniflare.unsafeGetDirectURL('empty')
  const hono = await hub.miniflare.unsafeGetDirectURL('hono')
  const database = await hub.miniflare.getD1Database('DB', 'hub')
  const projectPath = `/v1/projects/${projectId}`
  const { text: answer } = await call(origin, { path: projectPath })
  const { text: list } = await call(origin, { path: '/v1/projects' })
  await database.prepare('INSERT INTO bench_answers VALUES (?, ?)').bind('project', answer).run()
  const node = await nodePeer(answer, list)
  const { token } = await signIn(await readNetwork(baseUrl), key)
  const bearer = { Authorization: `Bearer ${token}` }

  const gets = (name: string, at: URL, path: string, headers = {}, status = 200, of = pid): Target => ({
    ...{ name, pid: of, origin: at, status },
    calls: () => Array<Call>(perTurn).fill({ path, headers }),
  })
  const again = async (path: string) => {
    const { headers } = await fetch(new URL(path, origin))
    return { 'If-None-Match': headers.get('ETag') ?? '' }
  }
  const signed = await signedTexts(origin, (rounds + 1) * signedPerTurn * 2)
  const posts = (name: string, at: URL, path: string, from: number): Target => ({
    ...{ name, pid, origin: at, status: 200 },
    calls: (round) =>
      Array.from({ length: signedPerTurn }, (_, index) => {
        return { path, json: signed[from + round * signedPerTurn + index] }
      }),
  })
  return [
    gets('empty', empty, '/'),
    gets('unknown', origin, '/v1/nowhere', {}, 404),
    gets('descriptor', origin, '/'),
    gets('params', origin, '/v1/network/params'),
    gets('categories', origin, '/v1/categories'),
    gets('openapi', origin, '/v1/openapi.json'),
    gets('openapi304', origin, '/v1/openapi.json', await again('/v1/openapi.json'), 304),
    gets('honoPoint', hono, '/point/project'),
    gets('project', origin, projectPath),
    gets('project304', origin, projectPath, await again(projectPath), 304),
    gets('manifest', origin, `${projectPath}/manifest`),
    gets('manifest304', origin, `${projectPath}/manifest`, await again(`${projectPath}/manifest`), 304),
    gets('honoList', hono, '/list'),
    gets('list', origin, '/v1/projects'),
    gets('session', origin, '/v1/me/preferences', bearer),
    gets('nodePoint', node.origin, '/point/project', {}, 200, node.pid),
    gets('nodeList', node.origin, '/list', {}, 200, node.pid),
    posts('recover', hono, '/recover', 0),
    posts('honoSignIn', hono, '/sign-in', (rounds + 1) * signedPerTurn),
    posts('signIn', origin, '/v1/auth/siwe', 0),
  ]
}

async function nodePeer(answer: string, list: string): Promise<{ pid: number; origin: URL }> {
  const { items } = JSON.parse(list) as { items: object[] }
  const script = fileURLToPath(new URL('peers/node.ts', import.meta.url))
  const child = spawn(process.execPath, [script, JSON.stringify({ answer, items })], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(() => child.kill())
  const [port] = (await once(child.stdout, 'data')) as [Buffer]
  return { pid: child.pid ?? 0, origin: new URL(`http://127.0.0.1:${String(port).trim()}`) }
}

/** Sign-ins that can each be exchanged once. */
async function signedTexts(origin: URL, count: number): Promise<{ message: string; signature: string }[]> {
  const address = evmAddress(key)
  const texts: { message: string; signature: string }[] = []
  for (let i = 0; i < count; i++) {
    const json = { address, domain: new URL(baseUrl).host }
    const { text } = await call(origin, { path: '/v1/auth/nonce', json })
    const { message } = JSON.parse(text) as { message: string }
    texts.push({ message, signature: signPersonalMessage(key, message) })
  }
  return texts
}

function report(figures: ReadonlyMap<string, number[]>): void {
  const medianOf = (name: string) => median(figures.get(name) ?? [])
  console.log('| Request | CPU, ms |\n| --- | --- |')
  for (const name of figures.keys()) console.log(`| ${name} | ${medianOf(name).toFixed(3)} |`)
  const ratios: [string, string, string, string][] = [
    ['unknown path ÷ empty Worker', 'unknown', 'empty', '≤ 3'],
    ['`GET /v1/projects/{id}` ÷ hono with one point read of the same bytes', 'project', 'honoPoint', '≤ 1.5'],
    ['list of 50 ÷ hono with one query of 51 rows', 'list', 'honoList', '≤ 1.5'],
    ['`GET /` ÷ unknown path', 'descriptor', 'unknown', '≤ 1.2'],
    ['`GET /v1/network/params` ÷ unknown path', 'params', 'unknown', '≤ 1.2'],
    ['`GET /v1/categories` ÷ unknown path', 'categories', 'unknown', '≤ 1.2'],
    ['`GET /v1/openapi.json` ÷ unknown path', 'openapi', 'unknown', '≤ 1.2'],
    ['the same as 304 ÷ as 200', 'openapi304', 'openapi', '≤ 0.7'],
    ['`GET /v1/projects/{id}` as 304 ÷ as 200', 'project304', 'project', ''],
    ['`GET /v1/projects/{id}/manifest` as 304 ÷ as 200', 'manifest304', 'manifest', '≤ 0.7'],
    ['sign-in ÷ one `recover` of the library', 'signIn', 'recover', ''],
    ['sign-in ÷ hono with one `recover`, one read and one batch', 'signIn', 'honoSignIn', '≤ 1.2'],
    ['`GET /v1/projects/{id}` ÷ node:http with node:sqlite', 'project', 'nodePoint', ''],
    ['list of 50 ÷ node:http with node:sqlite', 'list', 'nodeList', ''],
  ]
  console.log('\n| Ratio | Measured | Goal |\n| --- | --- | --- |')
  for (const [name, one, other, goal] of ratios)
    console.log(`| ${name} | ${(medianOf(one) / medianOf(other)).toFixed(2)} | ${goal} |`)
}

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { createNodeKey } from '../../node-cli/src/data-dir/node-key.ts'
import { nodeSigner } from '../../node-cli/src/node-signer.ts'
import {
  type Answerer,
  descriptorOf,
  sendJson,
  startLyingHub,
} from '../../node-cli/src/serve/hub/testing/lying-hub.ts'
import { ed25519PublicKey } from '../../protocol/signatures/index.ts'
import { coordinatorSeed, createGenerations, type TestGenerations } from './generations.ts'
import { temporaryFolder } from './nodectl.ts'
import { type ServingNode, startNode } from './serving-node.ts'

/** A validator of a test. Its data directory is there before its process, so that it may hold something. */
export interface TestValidator {
  readonly dataDir: string
  readonly seed: string
  readonly publicKey: string
  readonly port: number
  /** @param hub Another one than that of its network. */
  readonly start: (flags?: readonly string[], hub?: string) => Promise<ServingNode>
}

export interface ValidatorNetwork {
  readonly origin: string
  /** The method and path of every request of the hub, in order. */
  readonly requests: readonly string[]
  /** Where the hub says that each validator is. */
  readonly list: { publicKey: string; url: string }[]
  /** Generation 0 is what is listed when a node asks first. */
  readonly generations: TestGenerations
  readonly seeds: string[]
  /** What the hub answers beyond registration, by method and path without a query. */
  readonly answers: Map<string, Answerer>
  /** While it is away, connections to the hub break. */
  isAway: boolean
  /** How far the time of the network is ahead of this machine's, in seconds. */
  aheadSeconds: number
}

/** A hub that knows validators, and answers what a test has it answer. */
export async function startValidatorNetwork(): Promise<ValidatorNetwork> {
  const list: ValidatorNetwork['list'] = []
  const answers = new Map<string, Answerer>()
  const seeds: string[] = []
  const generations = createGenerations((key) => list.find(({ publicKey }) => publicKey === key)?.url ?? null)
  const hub = await startLyingHub((request, response) => {
    if (network.isAway) return void request.socket.destroy()
    const { method, url = '' } = request
    const given = answers.get(`${method} ${url.split('?')[0]}`)
    if (given !== undefined) return given(request, response)
    if (url === '/v1/status')
      return sendJson(response, { time: Math.floor(Date.now() / 1000) + network.aheadSeconds })
    if (url === '/')
      return sendJson(
        response,
        descriptorOf(`http://${request.headers.host}`, {
          coordinator: { public_key: ed25519PublicKey(coordinatorSeed) },
        }),
      )
    if (url === '/v1/nodes/heartbeat') return sendJson(response, { status: 'approved', next_in_secs: 5 })
    if (url === '/v1/nodes/register')
      return sendJson(response, { node_id: 'node-1', role: 'validator', status: 'approved', url: null })
    if (url.startsWith('/v1/validators')) {
      if (generations.chain.length === 0) generations.add(seeds)
      return generations.answer(request, response)
    }
    return sendJson(response, { error: 'not_found', message: 'There is nothing here.' }, 404)
  })
  const network = {
    origin: hub.origin,
    requests: hub.requests,
    list,
    generations,
    seeds,
    answers,
    isAway: false,
    aheadSeconds: 0,
  }
  return network
}

/** Makes a validator and has the hub list it. @param url Where others find it, when it is not where it listens. */
export async function addValidator(
  network: ValidatorNetwork,
  url?: (own: string) => Promise<string>,
): Promise<TestValidator> {
  const dataDir = path.join(temporaryFolder(), 'node')
  const seed = await createNodeKey(dataDir)
  const { publicKey } = nodeSigner(seed)
  const port = await freePort()
  const own = `http://127.0.0.1:${port}`
  network.seeds.push(seed)
  network.list.push({ publicKey, url: url === undefined ? own : await url(own) })
  return {
    dataDir,
    seed,
    publicKey,
    port,
    start: (flags = [], hub = network.origin) =>
      startNode(dataDir, {
        bind: `127.0.0.1:${port}`,
        flags: [
          ...['--role', 'validator', '--node-url', own, '--hub-url', hub],
          ...['--workers', '1', '--log-format', 'json', ...flags],
        ],
      }),
  }
}

/** A port that nobody listens at. */
export async function freePort(): Promise<number> {
  const server = await listen(createServer())
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

export const listen = (server: Server): Promise<Server> =>
  new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))

/** What stands in front of a validator and may change what it says. @returns Its URL. */
export async function startProxy(
  target: string,
  change: (path: string, answer: Buffer) => Buffer | 'silence' | Promise<Buffer | 'silence'>,
): Promise<string> {
  const server = createServer(async (request, response) => {
    const body: Uint8Array[] = []
    for await (const chunk of request) body.push(chunk as Uint8Array)
    const { method = '', url = '', headers } = request
    const answer = await fetch(target + url, {
      method,
      headers: Object.entries(headers).flatMap(([name, value]): [string, string][] =>
        typeof value === 'string' && !/^(host|connection|content-length)$/.test(name) ? [[name, value]] : [],
      ),
      ...(body.length > 0 && { body: Buffer.concat(body) }),
    }).catch(() => null)
    if (answer === null) return void response.destroy()
    const changed = await change(url, Buffer.from(await answer.arrayBuffer()))
    if (changed === 'silence') return
    response.writeHead(answer.status, { 'Content-Type': answer.headers.get('content-type') ?? '' })
    response.end(changed)
  })
  await listen(server)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

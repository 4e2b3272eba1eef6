import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import path from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { descriptorOf, sendJson } from '../../node-cli/src/serve/hub/testing/lying-hub.ts'
import { hashText } from '../../protocol/encoding/index.ts'
import { signRequest } from '../../protocol/identity/index.ts'
import { ed25519PublicKey } from '../../protocol/signatures/index.ts'
import { coordinatorSeed, createGenerations, type TestGenerations } from './generations.ts'
import { temporaryFolder } from './nodectl.ts'
import { callNode, type Reply, type ServingNode, startNode } from './serving-node.ts'
import { profile, type TestProject } from './test-project.ts'

export { coordinatorSeed }

/** The seeds of validators; their nodes have these keys. */
export const validatorSeeds = Array.from({ length: 4 }, (_, i) => hashText(`validator ${i}`))

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** What a hub of the test answers: what it is told, by method and path. */
export interface TestHub {
  origin: string
  /** Answers JSON at a path. */
  show: (path: string, value: unknown) => void
  answer: (path: string, answer: Answer) => void
  /** The method and path of every request, in order. */
  requests: string[]
  /** Generations of validators; none before {@link createValidators}. */
  generations: TestGenerations
  /** Where the hub says that validators are, by key. */
  urls: Map<string, string>
}

/** A hub that shows the project, knows validators, and takes registrations. */
export async function startTestHub(project: TestProject): Promise<TestHub> {
  const answers = new Map<string, Answer>()
  const requests: string[] = []
  const urls = new Map<string, string>()
  const server = createServer((request, response) => {
    const call = `${request.method} ${request.url}`
    requests.push(call)
    const [target = ''] = (request.url ?? '').split('?')
    const found = answers.get(decodeURIComponent(target))
    if (found !== undefined) return found(request, response)
    sendJson(response, { error: 'not_found', message: `There is nothing at ${request.url}.` }, 404)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const hub: TestHub = {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    show: (target, value) => answers.set(target, (_, response) => sendJson(response, value)),
    answer: (target, answer) => answers.set(target, answer),
    requests,
    generations: createGenerations((publicKey) => urls.get(publicKey) ?? null),
    urls,
  }
  const coordinator = { public_key: ed25519PublicKey(coordinatorSeed) }
  hub.show('/', descriptorOf(hub.origin, { coordinator }))
  hub.answer('/v1/status', (_, response) => sendJson(response, { time: Math.floor(Date.now() / 1000) }))
  hub.answer('/v1/validators', hub.generations.answer)
  hub.answer('/v1/validators/generations', hub.generations.answer)
  hub.show('/v1/nodes/register', { node_id: 'x', role: 'validator', status: 'approved', url: null })
  hub.show('/v1/nodes/heartbeat', { status: 'approved', next_in_secs: 30 })
  hub.show(`/v1/projects/${project.projectId}/manifest`, project.envelope)
  return hub
}

/** Serves an artifact as the hub does. */
export const showArtifact = (hub: TestHub, address: string, bytes: Uint8Array): void =>
  hub.answer(`/v1/modules/${address}/hbc`, (_, response) => {
    response.writeHead(200, { 'Content-Type': 'application/octet-stream' }).end(bytes)
  })

/** A validator that a test starts, ends, and calls as the coordinator does. */
export interface TestValidator {
  seed: string
  publicKey: string
  url: string
  dataDir: string
  /** @param nodeUrl Where it says that others reach it; its own URL when left out. */
  start: (flags?: string[], nodeUrl?: string) => Promise<ServingNode>
}

/**
 * Validators that the hub knows, none of which runs yet.
 *
 * @param count How many of them are generation 0.
 */
export async function createValidators(
  hub: TestHub,
  count = validatorSeeds.length,
  seeds: readonly string[] = validatorSeeds,
): Promise<TestValidator[]> {
  const folder = temporaryFolder()
  const validators = await Promise.all(
    seeds.map(async (seed, i): Promise<TestValidator> => {
      const port = await freePort()
      const dataDir = path.join(folder, `validator-${i}`)
      mkdirSync(dataDir, { mode: 0o700 })
      writeFileSync(path.join(dataDir, 'node.key'), `${seed.slice(2)}\n`, { mode: 0o600 })
      const url = `http://127.0.0.1:${port}`
      const own = ['--role', 'validator', '--hub-url', hub.origin, '--workers', '1', '--log-format', 'json']
      return {
        seed,
        publicKey: ed25519PublicKey(seed),
        url,
        dataDir,
        start: (flags = [], nodeUrl = url) =>
          startNode(dataDir, { bind: `127.0.0.1:${port}`, flags: [...own, '--node-url', nodeUrl, ...flags] }),
      }
    }),
  )
  for (const { publicKey, url } of validators) hub.urls.set(publicKey, url)
  hub.generations.add(seeds.slice(0, count))
  return validators
}

/** Starts a validator, and waits until it knows the others and the coordinator. */
export async function startKnowing(
  { start }: TestValidator,
  count: number,
  flags?: string[],
): Promise<ServingNode> {
  const node = await start(flags)
  const known = async () => (await node.call('/status')).json.consensus.validators
  await expect.poll(known, { timeout: 30_000 }).toBe(count)
  return node
}

/** A call that is signed, by the coordinator where no other seed is named. */
export function callSigned(
  { url }: { url: string },
  target: string,
  body?: object,
  { seed = coordinatorSeed, nonce = randomBytes(16).toString('hex') }: { seed?: string; nonce?: string } = {},
): Promise<Reply> {
  const method = body === undefined ? 'GET' : 'POST'
  const text = body === undefined ? '' : JSON.stringify(body)
  const timestamp = Math.floor(Date.now() / 1000)
  const { headers } = signRequest(profile, seed, { method, target, body: text, timestamp, nonce })
  return callNode(url, target, { method, headers, token: null, ...(body !== undefined && { body }) })
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createTcpServer()
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}

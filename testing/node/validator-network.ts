import { randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, vi } from 'vitest'
import { pickPort } from '../../localnet/port.ts'
import {
  type Answerer,
  answering,
  sendJson,
  startLyingHub,
} from '../../node-cli/src/serve/hub/testing/lying-hub.ts'
import { signRequest } from '../../protocol/identity/index.ts'
import { folderWithKey } from './folders.ts'
import { coordinatorSeed, createGenerations, type TestGenerations, validatorSeeds } from './generations.ts'
import { unixNow, usualAnswer } from './hub-answers.ts'
import { type HubSocket, takeUsualLinks } from './link-hub.ts'
import type { StartOptions } from './node-process.ts'
import {
  callNode,
  type NodeProcess,
  type Reply,
  type ServingNode,
  startNode,
  startNodeHere,
} from './serving-node.ts'
import { atEnd } from './shared.ts'
import { publicKeyOf, signerOf } from './signers.ts'
import { profile, type TestProject } from './test-project.ts'

export { coordinatorSeed, pickPort, validatorSeeds }

/** A hub that knows validators, takes their registrations, and answers what a test has it answer. */
export interface TestHub {
  readonly origin: string
  /** Answers JSON at a path. */
  readonly show: (path: string, value: unknown, status?: number) => void
  readonly showProject: (project: TestProject) => void
  /** Answers that replace the usual ones, by path without a query. */
  readonly answers: Map<string, Answerer>
  /** The method and path of every request, in order. */
  readonly requests: readonly string[]
  /** Generation 0 is the list at the first request of a node, unless a test makes it before. */
  readonly generations: TestGenerations
  /** The validators that the hub lists, with their URLs. */
  readonly list: { publicKey: string; url: string }[]
  /** Seeds of the listed validators. */
  readonly seeds: string[]
  /** The next link of a node that nobody has asked for. */
  readonly connection: () => Promise<HubSocket>
  /** While it is away, connections to the hub break. */
  isAway: boolean
  /** How far the time of the network is ahead of this machine's, in seconds. */
  aheadSeconds: number
}

export async function startTestHub(project?: TestProject): Promise<TestHub> {
  const answers: TestHub['answers'] = new Map()
  const list: TestHub['list'] = []
  const seeds: string[] = []
  const generations = createGenerations((key) => list.find(({ publicKey }) => publicKey === key)?.url ?? null)
  const { origin, requests, server } = await startLyingHub((request, response) => {
    if (hub.isAway) return void request.socket.destroy()
    const { url = '' } = request
    const given = answers.get(decodeURIComponent(url.split('?')[0]!))
    if (given !== undefined) return given(request, response)
    if (url.startsWith('/v1/validators')) {
      if (generations.chain.length === 0) generations.add(seeds)
      return generations.answer(request, response)
    }
    const usual = usualAnswer(request, 'validator', unixNow() + hub.aheadSeconds)
    if (usual !== undefined) return sendJson(response, usual)
    sendJson(response, { error: 'not_found', message: `There is nothing at ${url}.` }, 404)
  })
  const show: TestHub['show'] = (target, value, status) =>
    answers.set(target, (_, response) => sendJson(response, value, status))
  const hub: TestHub = {
    origin,
    show,
    showProject: ({ projectId, envelope }) => show(`/v1/projects/${projectId}/manifest`, envelope),
    answers,
    requests,
    generations,
    list,
    seeds,
    connection: takeUsualLinks(server),
    isAway: false,
    aheadSeconds: 0,
  }
  if (project !== undefined) hub.showProject(project)
  return hub
}

/** Serves an artifact as the hub does. */
export const showArtifact = (hub: TestHub, address: string, bytes: Uint8Array): void =>
  void hub.answers.set(`/v1/modules/${address}/hbc`, answering('application/octet-stream', bytes))

/** A validator of a test. Its data directory is there before its process, so that it may hold something. */
export interface TestValidator {
  readonly seed: string
  readonly publicKey: string
  readonly url: string
  readonly dataDir: string
  /** Starts it in this process. */
  readonly start: Start<ServingNode>
  /** Starts it in a process of its own. */
  readonly startProcess: Start<NodeProcess>
}

/** @param settings Its URL for others, the URL of its hub, and the address where it listens; the usual ones if left out. */
type Start<Node extends ServingNode> = (
  flags?: readonly string[],
  settings?: { nodeUrl?: string; hubUrl?: string; bind?: string },
) => Promise<Node>

/** Makes a validator and has the hub list it. @param listed Where others find it, when it is not where it listens. */
export async function addValidator(
  { origin, list, seeds }: TestHub,
  listed: (own: string) => string | Promise<string> = (own) => own,
  seed = `0x${randomBytes(32).toString('hex')}`,
): Promise<TestValidator> {
  const dataDir = folderWithKey(seed)
  const publicKey = publicKeyOf(seed)
  const url = `http://127.0.0.1:${await pickPort()}`
  seeds.push(seed)
  list.push({ publicKey, url: await listed(url) })
  const startWith =
    <Node extends ServingNode>(
      startNode: (dataDir: string, options: StartOptions) => Promise<Node>,
    ): Start<Node> =>
    (flags = [], { nodeUrl = url, hubUrl = origin, bind = new URL(url).host } = {}) => {
      const own = ['--role', 'validator', '--node-url', nodeUrl, '--hub-url', hubUrl]
      return startNode(dataDir, { bind, flags: [...own, '--workers', '1', '--log-format', 'json', ...flags] })
    }
  return {
    seed,
    publicKey,
    url,
    dataDir,
    start: startWith(startNodeHere),
    startProcess: startWith(startNode),
  }
}

/** Validators that the hub knows, none of which runs yet. @param count How many of them are generation 0. */
export async function createValidators(
  hub: TestHub,
  count = validatorSeeds.length,
  seeds: readonly string[] = validatorSeeds,
): Promise<TestValidator[]> {
  const validators = await Promise.all(seeds.map((seed) => addValidator(hub, undefined, seed)))
  hub.generations.add(seeds.slice(0, count))
  return validators
}

/** Starts a validator, and waits until it knows the others and the coordinator. */
export const startKnowing = (
  { start }: TestValidator,
  count?: number,
  flags?: readonly string[],
): Promise<ServingNode> => knowing(start(flags), count)

/** The same in a process of its own. */
export const startKnowingProcess = ({ startProcess }: TestValidator, count?: number): Promise<NodeProcess> =>
  knowing(startProcess(), count)

async function knowing<Node extends ServingNode>(
  starting: Promise<Node>,
  count = validatorSeeds.length,
): Promise<Node> {
  const node = await starting
  const knows = async () => expect((await node.call('/status')).json.consensus.validators).toBe(count)
  await vi.waitFor(knows, patience)
  return node
}

/** For work that nodes do by themselves, which takes seconds: polled more often, they would mostly answer the polls. */
export const patience = { interval: 250 }

/** Waits until a node takes the calls of `count` validators. */
export const untilPeers = (node: ServingNode, count: number): Promise<void> =>
  vi.waitFor(async () => {
    const { peers } = (await node.call('/status')).json as { peers: { role: string }[] }
    expect(peers.filter(({ role }) => role === 'validator')).toHaveLength(count)
  }, patience)

/** A call that is signed, by the coordinator where no other seed is named. */
export function callSigned(
  { url }: { url: string },
  target: string,
  body?: object,
  {
    seed = coordinatorSeed,
    nonce = randomBytes(16).toString('hex'),
    now = unixNow(),
  }: { seed?: string; nonce?: string; now?: number } = {},
): Promise<Reply> {
  const method = body === undefined ? 'GET' : 'POST'
  const text = body === undefined ? '' : JSON.stringify(body)
  const { headers } = signRequest(profile, signerOf(seed), {
    method,
    target,
    body: text,
    timestamp: now,
    nonce,
  })
  return callNode(url, target, { method, headers, token: null, ...(body !== undefined && { body }) })
}

const listen = (server: Server): Promise<number> =>
  new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
  )

/** Starts a proxy in front of a validator, which may change its answers. @returns Its URL. */
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
  const port = await listen(server)
  atEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${port}`
}

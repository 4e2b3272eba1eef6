import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'vitest'
import type { OfferFrame } from '../../protocol/link/index.ts'
import type { TaskVote } from '../../protocol/rounds/index.ts'
import { echo, spinner } from './artifacts.ts'
import { folderWithKey } from './folders.ts'
import { bytes, type HubSocket, json, type LinkHub, startLinkHub } from './link-hub.ts'
import { createProject, type MinerProject, type MinerProjectOptions, otherKeys } from './miner-project.ts'
import type { StartOptions } from './node-process.ts'
import { type NodeProcess, type ServingNode, startNode, startNodeHere } from './serving-node.ts'
import { atEnd } from './shared.ts'
import { publicKeyOf } from './signers.ts'

/** A node of this machine with the data directory it was given. */
export interface Miner {
  readonly dataDir: string
  readonly key: string
  /** Starts it in this process. */
  readonly start: (flags?: readonly string[], options?: Pick<StartOptions, 'env'>) => Promise<ServingNode>
  /** Starts it in a process of its own. */
  readonly startProcess: (
    flags?: readonly string[],
    options?: Pick<StartOptions, 'env' | 'nodeFlags'>,
  ) => Promise<NodeProcess>
}

export async function createHub(): Promise<LinkHub> {
  const hub = await startLinkHub()
  atEnd(hub.stop)
  return hub
}

export function createMiner(hub: LinkHub): Miner {
  const seed = `0x${randomBytes(32).toString('hex')}`
  const dataDir = folderWithKey(seed)
  const own = ['--hub-url', hub.origin, '--log-format', 'json']
  return {
    dataDir,
    key: publicKeyOf(seed),
    start: (flags = [], options = {}) => startNodeHere(dataDir, { ...options, flags: [...own, ...flags] }),
    startProcess: (flags = [], options = {}) => startNode(dataDir, { ...options, flags: [...own, ...flags] }),
  }
}

/** A project whose documents the hub has, and which the miner and two others, or more, may be drawn for. */
export function publish(
  hub: LinkHub,
  miner: Miner,
  { others = 2, ...options }: Partial<MinerProjectOptions> & { others?: number } = {},
): MinerProject {
  const module = options.module ?? echo
  const project = createProject({ nodeKeys: [miner.key, ...otherKeys(others)], ...options, module })
  const { projectId: id, snapshot, attestedSet, envelope } = project
  hub.answers.set(`GET /v1/committees/${id}/${snapshot.epoch}`, json(attestedSet))
  hub.answers.set(`GET /v1/projects/${id}/manifest`, json(envelope))
  hub.answers.set(`GET /v1/modules/${module.address}/hbc`, bytes(module.bytes))
  return project
}

type StageOptions = Parameters<typeof publish>[2] & Pick<StartOptions, 'flags'>
type ProcessOptions = StageOptions & Pick<StartOptions, 'nodeFlags'>

async function stageOf<Node extends ServingNode>(
  options: StageOptions,
  start: (miner: Miner) => Promise<Node>,
) {
  const hub = await createHub()
  const miner = createMiner(hub)
  const project = publish(hub, miner, options)
  const node = await start(miner)
  const socket = await hub.connection()
  const ready = await socket.next('ready')
  return { hub, miner, project, node, socket, ready }
}

/** A hub, a project, and a node that is connected and has said what it takes. */
export const createStage = (options: StageOptions = {}) =>
  stageOf(options, ({ start }) => start(options.flags))

/** The same with a node in a process of its own. */
export const createProcessStage = (options: ProcessOptions = {}) =>
  stageOf(options, ({ startProcess }) => startProcess(options.flags, { nodeFlags: options.nodeFlags ?? [] }))

/** Runs for a while. */
export const slow = { module: spinner, functions: ['f'], maxGas: 400_000_000 }

type Stage<Node extends ServingNode> = ReturnType<typeof stageOf<Node>>

async function runningOn<Node extends ServingNode>(created: Stage<Node>, maxGas: number, frame: object) {
  const stage = await created
  const offer = stage.project.offer(stage.miner.key, { task: { gas_limit: maxGas }, frame: { ...frame } })
  stage.socket.send(offer)
  await stage.socket.next('accept')
  return { ...stage, offer }
}

/** A stage with an offer that the node accepted and runs. */
export const createRunning = (options: StageOptions & { maxGas: number } = slow) =>
  runningOn(createStage(options), options.maxGas, {})

/** The same with a node in a process of its own. @param frame Read when the offer is made. */
export const createRunningProcess = (options: ProcessOptions & { maxGas: number } = slow, frame = {}) =>
  runningOn(createProcessStage(options), options.maxGas, frame)

/** The answer to an offer that is taken. */
export async function take(socket: HubSocket, offer: OfferFrame) {
  socket.send(offer)
  expect(await socket.next('accept')).toEqual({ type: 'accept', offer_id: offer.offer_id })
  return socket.next('vote')
}

export const status = async (node: ServingNode) => (await node.call('/status')).json

/** Waits until the full status has something. */
export const untilStatus = (node: ServingNode, expected: object) =>
  expect.poll(() => status(node)).toMatchObject(expected)

export const votesIn = (dataDir: string): TaskVote[] => {
  const db = new DatabaseSync(path.join(dataDir, 'node.sqlite'), { readOnly: true })
  const rows = db.prepare("SELECT vote FROM votes WHERE kind = 'task'").all() as { vote: string }[]
  db.close()
  return rows.map(({ vote }) => JSON.parse(vote))
}

import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'vitest'
import type { OfferFrame } from '../../protocol/link/index.ts'
import type { TaskVote } from '../../protocol/rounds/index.ts'
import { ed25519PublicKey } from '../../protocol/signatures/index.ts'
import { echo, spinner } from './artifacts.ts'
import { folderWithKey } from './folders.ts'
import { bytes, type HubSocket, json, type LinkHub, startLinkHub } from './link-hub.ts'
import { createProject, type MinerProject, type MinerProjectOptions, otherKeys } from './miner-project.ts'
import type { StartOptions } from './node-process.ts'
import { type ServingNode, startNode } from './serving-node.ts'
import { atEnd } from './shared.ts'

/** A node of this machine with the data directory it was given. */
export interface Miner {
  readonly dataDir: string
  readonly key: string
  readonly start: (
    flags?: string[],
    options?: Pick<StartOptions, 'env' | 'nodeFlags'>,
  ) => Promise<ServingNode>
}

export async function createHub(): Promise<LinkHub> {
  const hub = await startLinkHub()
  atEnd(hub.stop)
  return hub
}

export function createMiner(hub: LinkHub): Miner {
  const seed = `0x${randomBytes(32).toString('hex')}`
  const dataDir = folderWithKey(seed)
  return {
    dataDir,
    key: ed25519PublicKey(seed),
    start: (flags = [], options = {}) =>
      startNode(dataDir, {
        ...options,
        flags: ['--hub-url', hub.origin, '--log-format', 'json', ...flags],
      }),
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

/** A hub, a project, and a node that is connected and has said what it takes. */
export async function createStage(
  options: Parameters<typeof publish>[2] & Pick<StartOptions, 'flags' | 'nodeFlags'> = {},
) {
  const hub = await createHub()
  const miner = createMiner(hub)
  const project = publish(hub, miner, options)
  const node = await miner.start(options.flags, { nodeFlags: options.nodeFlags ?? [] })
  const socket = await hub.connection()
  const ready = await socket.next('ready')
  return { hub, miner, project, node, socket, ready }
}

/** Runs for a while. */
export const slow = { module: spinner, functions: ['f'], maxGas: 400_000_000 }

/** The same, with an offer that it accepted and runs. */
export async function createRunning(
  options: NonNullable<Parameters<typeof createStage>[0]> = slow,
  frame = {},
) {
  const stage = await createStage(options)
  const offer = stage.project.offer(stage.miner.key, { task: { gas_limit: options.maxGas! }, frame })
  stage.socket.send(offer)
  await stage.socket.next('accept')
  return { ...stage, offer }
}

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

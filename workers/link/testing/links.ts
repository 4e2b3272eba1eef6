import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { afterEach, beforeEach, vi } from 'vitest'
import { unixNow } from '../../../durable-objects/clock.ts'
import type { LinkOffer } from '../../../durable-objects/link/types.ts'
import { deriveTaskRoundId } from '../../../protocol/identity/index.ts'
import { closeCodes, offerId } from '../../../protocol/link/index.ts'
import type { Task } from '../../../protocol/rounds/index.ts'
import { createMiner, insertNode, type TestNode } from '../../test/callers.ts'
import { recordRounds } from '../../test/recorded-rounds.ts'
import { linkOf, openRelay, type RelaySocket } from '../../test/relay-socket.ts'
import { rowOf } from '../../test/tables.ts'

let node: TestNode
let wallet: Awaited<ReturnType<typeof createMiner>>['owner']

/** The device of the test that runs. */
export const device = (): TestNode => node
export const link = () => linkOf(node)
/** Its owner. */
export const owner = () => wallet

/** A device of its own for each test of a file. @returns What rounds are told of its offers. */
export function testLinks() {
  beforeEach(async () => {
    ;({ device: node, owner: wallet } = await createMiner())
    await insertNode(node)
  })
  afterEach(() => vi.useRealTimers())
  return recordRounds()
}

let tasks = 0
/** An offer of a task of its own. */
export function offerOf(change: Partial<LinkOffer> = {}): LinkOffer {
  tasks += 1
  const hash = `0x${'ab'.repeat(32)}`
  const task: Task = {
    v: 1,
    project_id: hash,
    consensus_hash: hash,
    epoch: 1,
    seq: tasks,
    set_hash: hash,
    module_address: hash,
    function: 'work',
    input_hash: hash,
    gas_limit: 1_000,
    issued_at: unixNow(),
  }
  const id = offerId({ round_id: deriveTaskRoundId(task), position: 0 })
  return {
    offer_id: id,
    lease_id: id,
    task,
    position: 0,
    role: 'primary',
    input_b64: 'aGVsbG8=',
    input_url: null,
    accept_by: unixNow() + 10,
    vote_by: unixNow() + 120,
    ...change,
  }
}

/** A socket whose node has said that it takes `slots` offers, and which offers it holds. */
export async function openHolding(slots: number, holding: readonly string[]): Promise<RelaySocket> {
  const { relay } = await openRelay(node)
  relay.ready(slots, holding)
  return relay
}

/** A socket of a node that holds nothing, after what it was sent at once. */
export async function openReady(slots = 1): Promise<RelaySocket> {
  const relay = await openHolding(slots, [])
  await relay.drain()
  return relay
}

export const makeOffer = (one: LinkOffer, snapshotAt?: number) => linkOf(node).offer(one, snapshotAt)

/** A socket with an offer that its node has not read yet. */
export async function openOffered(slots = 1) {
  const relay = await openReady(slots)
  const offer = offerOf()
  await makeOffer(offer)
  return { relay, offer }
}

export const leave = async (relay: RelaySocket) => {
  relay.socket.close(closeCodes.normal, 'the node stops')
  return relay.close()
}

/** Takes the socket of the node away as a process of the hub does that is killed. */
export const killProcess = () => evictDurableObject(linkOf(node), { webSockets: 'close' })

/** Changes what the object has stored, and has it read it again. */
async function alter(change: (storage: DurableObjectStorage) => void): Promise<void> {
  // Pending writes of the object would overwrite the change.
  await linkOf(node).status()
  await evictDurableObject(linkOf(node))
  await runInDurableObject(linkOf(node), (_, { storage }) => change(storage))
  await evictDurableObject(linkOf(node))
}

type Entry = [offerId: string, standing: { voteBy: number }, hasOffer?: 1]

/** Moves the end of the time of offers: of one, or of all. */
export const dateOffers = (voteBy: number, offerId?: string) =>
  alter(({ sql }) => {
    const rows = sql.exec<{ id: number; entries: string }>('SELECT id, entries FROM changes').toArray()
    for (const { id, entries } of rows) {
      const dated = (JSON.parse(entries) as Entry[]).map(([name, standing, ...rest]) =>
        offerId === undefined || name === offerId
          ? [name, { ...standing, voteBy }, ...rest]
          : [name, standing, ...rest],
      ) as Entry[]
      const until = Math.max(...dated.map(([, standing]) => standing.voteBy))
      sql.exec('UPDATE changes SET entries = ?, until = ? WHERE id = ?', JSON.stringify(dated), until, id)
    }
  })

/** Lets a time that the object has stored lie in the past. */
export const backdate = (name: string, value: unknown) => alter(({ kv }) => kv.put(name, value))

export const deviceRow = () =>
  rowOf<Record<string, unknown>>('SELECT * FROM devices WHERE node_id = ?', node.nodeId)

/** Runs what is due, publishing included. */
export async function publish(): Promise<void> {
  // Another process does not know how long there is to wait.
  await alter(() => {})
  await runDurableObjectAlarm(linkOf(node))
}

/** A socket whose node has said nothing yet. */
export const openSilent = () => openRelay(node)

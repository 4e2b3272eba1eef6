import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { vi } from 'vitest'
import { base64ToBytes } from '../../protocol/encoding/index.ts'
import { createReceipt, type ExecutionReceipt } from '../../protocol/execution/index.ts'
import { deriveTaskRoundId, resolveProfile } from '../../protocol/identity/index.ts'
import type { HubFrame } from '../../protocol/link/index.ts'
import { createTaskVote, type Task } from '../../protocol/rounds/index.ts'
import { bytesToBase64 } from '../http/base64.ts'
import type { Member } from './attested-set.ts'
import { openRelay, type RelaySocket } from './relay-socket.ts'

const profile = resolveProfile()

/** The result of a run. */
export interface SimulatedRun {
  receipt: ExecutionReceipt
  output_b64: string
  events: { name: string; data: string }[]
  error?: string
}

/**
 * Runs the module of these tests: its output is `salt` and the input, and it emits an event and `eventCount` large ones. It aborts with an
 * input that begins with `abort: `.
 */
export function simulateRun(task: Task, input: Uint8Array, salt = '', eventCount = 0): SimulatedRun {
  const ran = { module_address: task.module_address, function: task.function, input, gas_used: 1_500_000 }
  const text = new TextDecoder().decode(input)
  if (text.startsWith('abort: ')) {
    const receipt = createReceipt({ ...ran, output: new Uint8Array(), events: [], success: false })
    return { receipt, output_b64: '', events: [], error: text.replace('abort', 'aborted') }
  }
  const output = new Uint8Array([...new TextEncoder().encode(salt), ...input])
  const large = Array.from({ length: eventCount }, () => ({ name: 'large', data: 'x'.repeat(16_000) }))
  const events = [{ name: 'ran', data: task.function }, ...large]
  const receipt = createReceipt({ ...ran, output, events, success: true })
  return { receipt, output_b64: bytesToBase64(output), events }
}

type Offer = Extract<HubFrame, { type: 'offer' }>

/** A socket on which nothing is left to read. */
export async function readyRelay({ device }: Member): Promise<RelaySocket> {
  const { relay } = await openRelay(device)
  relay.ready(16)
  await relay.drain()
  return relay
}

/** A miner with its socket, which does what a test has it do. */
export class SimulatedMember {
  readonly member: Member
  relay: RelaySocket
  constructor(member: Member, relay: RelaySocket) {
    this.member = member
    this.relay = relay
  }

  get key(): string {
    return this.member.device.publicKey
  }

  /** Takes the offer of a round; what the hub sent of others before it is passed over. */
  async offer(roundId: string): Promise<Offer> {
    for (;;) {
      const frame = await this.relay.next()
      if (frame.type === 'offer' && deriveTaskRoundId(frame.task) === roundId) return frame
    }
  }

  accept({ offer_id }: Offer): void {
    this.relay.send({ type: 'accept', offer_id })
  }

  async decline({ offer_id }: Offer): Promise<void> {
    this.relay.send({ type: 'decline', offer_id, reason: 'busy' })
    await this.relay.drain()
  }

  /** The vote of the member; `salt` makes it vote for another result. */
  voteOf({ offer_id, task, position, input_b64 }: Offer, salt = '') {
    const run = simulateRun(task, base64ToBytes(input_b64 ?? '') ?? new Uint8Array(), salt)
    const vote = createTaskVote(profile, this.member.device.key, {
      task,
      receipt: run.receipt,
      payout_address: this.member.owner.address,
      position,
    })
    const { receipt: _, ...shown } = run
    return { type: 'vote' as const, offer_id, vote, ...shown }
  }

  /** Votes, and takes what the hub says to it. */
  async vote(offer: Offer, salt = ''): Promise<HubFrame> {
    this.relay.send(this.voteOf(offer, salt))
    return this.relay.next()
  }

  /** Has the hub forget its invalid votes, of which several keep a node from work. */
  async forgive(): Promise<void> {
    const link = env.NODE_LINK.getByName(this.key)
    await runInDurableObject(link, (_link, { storage }) => storage.kv.delete('invalid_votes'))
    await evictDurableObject(link)
  }

  /** Loses its link by no fault of its own, and comes back. */
  async loseLink(): Promise<void> {
    await this.relay.drain()
    await evictDurableObject(env.NODE_LINK.getByName(this.key), { webSockets: 'close' })
    this.relay = await readyRelay(this.member)
  }

  /** Goes, as the hub sees it. */
  async disconnect(): Promise<void> {
    this.relay.socket.close(1000)
    await vi.waitUntil(async () => !(await env.NODE_LINK.getByName(this.key).status()).connected)
  }
}

import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { vi } from 'vitest'
import type { Block } from '../../protocol/committees/index.ts'
import { base64ToBytes, hashText } from '../../protocol/encoding/index.ts'
import {
  createReceipt,
  type ExecutionReceipt,
  hashPayload,
  hashReceipt,
} from '../../protocol/execution/index.ts'
import { defaultNetworkParams, deriveTaskRoundId, resolveProfile } from '../../protocol/identity/index.ts'
import { type HubFrame, offerId } from '../../protocol/link/index.ts'
import type { ProjectManifest } from '../../protocol/manifest/index.ts'
import {
  auditDraw,
  createFinalityRecord,
  createFinalityVote,
  createTaskVote,
  isAudited,
  type Seat,
  type Task,
  type TaskVote,
  tallyVotes,
} from '../../protocol/rounds/index.ts'
import { bytesToBase64 } from '../http/base64.ts'
import { findRound, isOver } from '../rounds/find-round.ts'
import { services } from '../services.ts'
import { openDatabase } from '../stores/database.ts'
import { modules } from '../stores/schema/index.ts'
import { attestSet, buildSets, type Member, seatedOf, testCommittee } from './attested-set.ts'
import { createNode, insertNode, networkNow, type TestNode } from './callers.ts'
import { bodyOf, type Client, client } from './client.ts'
import { createSubscribed, publishConsensus } from './evidence.ts'
import { createDeveloper, type ManifestChange } from './project.ts'
import { openRelay, type RelaySocket } from './relay-socket.ts'
import { ScriptedBlocks } from './scripted-blocks.ts'
import { createListedProject, minCollateral } from './subscription.ts'
import { emptyTables, runSql } from './tables.ts'
import { setValidators } from './validators.ts'

const profile = resolveProfile()
const epochSecs = 3_600

/** In the next hours, so that no alarm of these tests is due by the clock of the machine. */
export const testEpoch = Math.floor(Date.now() / 3_600_000) + 2

/** What a run gives. */
export interface SimulatedRun {
  receipt: ExecutionReceipt
  output_b64: string
  events: { name: string; data: string }[]
  error?: string
}

/**
 * What the module of these tests makes of an input: the input again, and an event; it aborts with one that asks for that. `salt` makes it another one, which emits
 * `eventCount` large events more.
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
async function readyRelay({ device }: Member): Promise<RelaySocket> {
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

  /** What the member votes; `salt` has it vote for another result. */
  voteOf({ offer_id, task, position, input_b64 }: Offer, salt = '') {
    const run = simulateRun(task, base64ToBytes(input_b64 ?? '') ?? new Uint8Array(), salt)
    const vote = createTaskVote(profile, this.member.device.seed, {
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

interface FinalityRequest {
  task: Task
  input_b64: string
  votes: TaskVote[]
  agreed_at: number
  audit_block: Block
  fallback: string | null
}

/** A validator behind `fetch`, which does what a node does, or what a test has it do. */
export class SimulatedValidator {
  readonly node: TestNode
  readonly host: string
  /** Calls so far, by path. */
  readonly calls: { path: string; body: unknown }[] = []
  /** Has it run another module. */
  salt = ''
  /** Large events that its runs emit. */
  eventCount = 0
  /** Answers in its place, if set. */
  instead: ((path: string, body: unknown) => Response | null | Promise<Response | null>) | null = null

  constructor(node: TestNode, host: string) {
    this.node = node
    this.host = host
  }

  async handle(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url)
    const body: unknown = await request.json()
    this.calls.push({ path: pathname, body })
    const other = await this.instead?.(pathname, body)
    if (other) return other
    if (pathname === '/consensus/task-rounds')
      return Response.json(await this.decide(body as FinalityRequest))
    if (pathname === '/consensus/votes') return Response.json({ state: 'finalized' })
    return new Response(null, { status: 404 })
  }

  asked(path = '/consensus/task-rounds'): unknown[] {
    return this.calls.filter((call) => call.path === path).map(({ body }) => body)
  }

  async decide({ task, input_b64, votes, agreed_at, audit_block, fallback }: FinalityRequest) {
    const seated = await seatedOf(task)
    const tally = tallyVotes(profile, seated, task, votes)
    if (audit_block.timestamp <= agreed_at) throw new Error('the audit block is too old')
    const draw = auditDraw(profile, deriveTaskRoundId(task), audit_block.hash)
    const mustRun = fallback !== null || isAudited(draw, defaultNetworkParams.audit_bp, tally.contested)
    const input = base64ToBytes(input_b64) ?? new Uint8Array()
    const run = mustRun ? simulateRun(task, input, this.salt, this.eventCount) : null
    const own = run && { receipt_hash: hashReceipt(run.receipt), gas_used: run.receipt.gas_used }
    const record = createFinalityRecord(task, tally, own)
    return { vote: createFinalityVote(profile, this.node.seed, record), run }
  }
}

export interface RoundsOptions {
  members?: number
  validators?: number
  /** Whether validators attest the set at once. */
  isAttested?: boolean
  project?: ManifestChange
}

/** A listed project with an attested set, members on their sockets, validators behind `fetch`, and a chain. */
export class SimulatedRounds {
  readonly chain = new ScriptedBlocks()
  blocks: Block[] = []
  projectId = ''
  members: SimulatedMember[] = []
  validators: SimulatedValidator[] = []
  /** With the developer's key. */
  submitter: Client = client()
  developer: Awaited<ReturnType<typeof createDeveloper>> | null = null

  /** The time is within {@link testEpoch}. */
  async begin({
    members = 5,
    validators = 4,
    isAttested = true,
    project = {},
  }: RoundsOptions = {}): Promise<this> {
    vi.useFakeTimers({ toFake: ['Date'] })
    this.setTime(testEpoch * epochSecs + 1_000)
    await emptyTables('beacons', 'committee_sets', 'committee_set_attestations', 'nodes')
    await emptyTables('validator_generations')
    await emptyTables('chain_cursor', 'chain_blocks', 'chain_events', 'chain_states', 'chain_states_before')
    const developer = await createDeveloper()
    this.developer = developer
    const committee = { ...testCommittee, ...(project.work as { committee?: object } | undefined)?.committee }
    this.projectId = await createListedProject(
      {
        ...project,
        economics: { min_collateral: String(minCollateral), ...project.economics },
        work: { round_secs: 60, lease_secs: 30, max_gas_limit: 10_000_000, ...project.work, committee },
      },
      developer,
    )
    const consensusHash = await publishConsensus(this.projectId)
    await keepModule(this.projectId)
    const made: Member[] = []
    for (let i = 0; i < members; i++)
      made.push({
        projectId: this.projectId,
        consensusHash,
        ...(await createSubscribed(this.projectId)),
        now: await networkNow(),
      })
    this.validators = await createRoundValidators(validators)
    const history = await buildSets(made, testEpoch, this.projectId)
    this.blocks = [...history.blocks]
    this.install()
    if (isAttested) await this.attest()
    for (const member of made) {
      await insertNode(member.device)
      this.members.push(new SimulatedMember(member, await readyRelay(member)))
    }
    this.submitter = client({ token: await createKey(developer.client, this.projectId) })
    return this
  }

  attest(): Promise<void> {
    return attestSet(
      this.projectId,
      testEpoch,
      this.validators.map(({ node }) => node),
    )
  }

  /** Puts chain and validators behind `fetch`, which other tests may have taken. */
  install(): void {
    this.chain.install()
    this.chain.serve(this.blocks)
    for (const validator of this.validators)
      this.chain.hosts.set(validator.host, (request) => validator.handle(request))
  }

  setTime(seconds: number): void {
    vi.setSystemTime(seconds * 1000)
  }

  async passTime(seconds: number): Promise<void> {
    this.setTime((await networkNow()) + seconds)
  }

  /**
   * Mines a block a second from now, which is there as soon as it is that time: a round that looks in between would not look again in the
   * same moment. @param audits - Whether its hash has the round audited.
   */
  async mine(roundId: string, audits = false): Promise<void> {
    const timestamp = (await networkNow()) + 1
    const { number } = this.blocks.at(-1) as Block
    for (let salt = 0; ; salt++) {
      const hash = hashText(`${roundId} ${number} ${salt}`)
      if (auditDraw(profile, roundId, hash) < defaultNetworkParams.audit_bp !== audits) continue
      this.blocks.push({ number: number + 1, hash, timestamp })
      this.chain.serve(this.blocks)
      return this.setTime(timestamp)
    }
  }

  /** Gives the project a task. */
  submit(body: object = {}, query = ''): Promise<Response> {
    return this.submitter.post(`/v1/projects/${this.projectId}/tasks${query}`, {
      function: 'echo',
      input: 'hello',
      ...body,
    })
  }

  /** Gives the project a task that gets its round at once. */
  async begun(body: object = {}): Promise<{
    roundId: string
    seats: readonly Seat[]
    primaries: SimulatedMember[]
    backups: SimulatedMember[]
  }> {
    const response = await this.submit(body)
    const answer = await bodyOf(response)
    if (response.status !== 202) throw new Error(`${response.status}: ${answer.message}`)
    return { roundId: answer.round_id, ...(await this.drawn(answer.round_id)) }
  }

  async drawn(roundId: string) {
    const round = await findRound(services(env), roundId)
    if (round === null) throw new Error(`there is no round ${roundId}`)
    const task = { project_id: this.projectId, epoch: round.epoch, seq: round.seq } as Task
    const { seats } = await seatedOf(task)
    const inRole = (role: string) =>
      seats.filter((seat) => seat.role === role).map(({ node_key }) => this.memberOf(node_key))
    return { seats, primaries: inRole('primary'), backups: inRole('backup') }
  }

  memberOf(key: string): SimulatedMember {
    const found = this.members.find((member) => member.key === key)
    if (found === undefined) throw new Error(`nobody has the key ${key}`)
    return found
  }

  /** Runs the alarm of a round: what time and the chain have brought. */
  async tick(roundId: string): Promise<boolean> {
    return runDurableObjectAlarm(roundOf(roundId))
  }

  async task(id: string): Promise<Record<string, unknown>> {
    const response = await client().get(`/v1/tasks/${encodeURIComponent(id)}`)
    return await bodyOf(response)
  }
}

/** The module that a project names, as far as the hub serves it. */
async function keepModule(projectId: string): Promise<void> {
  const version = await services(env).projectVersions.latest(projectId)
  const { manifest } = (await services(env).projectVersions.find(projectId, version?.version ?? 1))!
  const { worker } = (JSON.parse(manifest) as ProjectManifest).consensus.modules
  await env.MODULES.put(`modules/${worker}/sha256`, new Uint8Array(1))
  const described = { name: 'echo', language: 'wat', functions: ['echo'], manifest: {}, uploader: '' }
  await openDatabase(env.DB)
    .insert(modules)
    .values({
      manifestAddress: worker,
      sha256: 'sha256',
      ...described,
      hbcSize: 1,
      stateless: true,
      deployedAt: 1,
    })
    .onConflictDoNothing()
}

/** Returns once lists and figures have the end of a round. */
export const written = (roundId: string) =>
  vi.waitUntil(async () => {
    const row = await services(env).rounds.find(roundId)
    return row !== null && isOver(row)
  })

export const roundOf = (roundId: string) => env.ROUND.getByName(roundId)

/**
 * The reason for which the runner leaves out what workerd says of an object that ends. With any other, workerd reports an
 * uncaught exception for each call that was under way, and a passing test prints it.
 */
const quietReason = 'Instance dispose'

/** Ends an object in the middle of whatever it does, as a process does that is killed. */
export async function killObject(stub: DurableObjectStub<undefined>): Promise<void> {
  await runInDurableObject(stub, (_object, state) => state.abort(quietReason)).catch((error) => {
    if (!String(error).includes(quietReason)) throw error
  })
}

export const offerOf = (roundId: string, position: number): string => offerId({ round_id: roundId, position })

async function createRoundValidators(count: number): Promise<SimulatedValidator[]> {
  const validators = Array.from(
    { length: count },
    (_, i) => new SimulatedValidator(createNode(), `validator-${i}.rounds.example`),
  )
  await setValidators(validators.map(({ node, host }) => ({ ...node, url: `https://${host}` })))
  return validators
}

/** A key of a developer that gives tasks. */
export async function createKey(
  developer: Client,
  projectId: string,
  scopes = ['tasks:submit'],
): Promise<string> {
  const { secret } = await bodyOf(
    developer.post('/v1/developers/api-keys', {
      name: 'tasks',
      scopes,
      project_ids: [projectId],
    }),
  )
  return secret
}

/** Has the generation of validators take effect at a time. */
export const setEffective = (time: number) =>
  runSql(
    `UPDATE validator_generations SET effective_at = ?1, document = json_set(document, '$.effective_at', ?1)`,
    time,
  )

/** Whether the storage has an input. */
export const isKept = async (input: string): Promise<boolean> =>
  (await services(env).roundFiles.payload(hashPayload(new TextEncoder().encode(input)))) !== null

import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { vi } from 'vitest'
import type { Block } from '../../protocol/committees/index.ts'
import { hashText } from '../../protocol/encoding/index.ts'
import { hashPayload } from '../../protocol/execution/index.ts'
import { defaultNetworkParams, resolveProfile } from '../../protocol/identity/index.ts'
import { offerId } from '../../protocol/link/index.ts'
import type { ProjectManifest } from '../../protocol/manifest/index.ts'
import { auditDraw, type Seat, type Task } from '../../protocol/rounds/index.ts'
import { findRound, isOver } from '../rounds/find-round.ts'
import { services } from '../services.ts'
import { openDatabase } from '../stores/database.ts'
import { modules } from '../stores/schema/index.ts'
import { attestSet, buildSets, type Member, seatedOf, testCommittee } from './attested-set.ts'
import { insertNode, networkNow } from './callers.ts'
import { bodyOf, type Client, client } from './client.ts'
import { createSubscribed } from './evidence.ts'
import { createDeveloper, type ManifestChange } from './project.ts'
import { ScriptedBlocks } from './scripted-blocks.ts'
import { readyRelay, SimulatedMember } from './simulated-members.ts'
import { createRoundValidators, type SimulatedValidator } from './simulated-validators.ts'
import { createRunningProject, minCollateral } from './subscription.ts'
import { emptyTables, runSql } from './tables.ts'

const profile = resolveProfile()
const epochSecs = 3_600

/** In the next hours, so that no alarm of these tests is due by the clock of the machine. */
export const testEpoch = Math.floor(Date.now() / 3_600_000) + 2

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
    const { projectId, consensusHash } = await createRunningProject(
      {
        ...project,
        economics: { min_collateral: String(minCollateral), ...project.economics },
        work: { round_secs: 60, lease_secs: 30, max_gas_limit: 10_000_000, ...project.work, committee },
      },
      developer,
    )
    this.projectId = projectId
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

/** Returns once lists and figures have the end of a round, which they have after about three seconds. */
export const written = (roundId: string) =>
  vi.waitUntil(
    async () => {
      const row = await services(env).rounds.find(roundId)
      return row !== null && isOver(row)
    },
    { interval: 200 },
  )

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

/** A key of a developer that submits tasks. */
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

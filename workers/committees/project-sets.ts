import type { CommitteesProgress } from '../../durable-objects/project/object.ts'
import type { ProjectManifest } from '../../protocol/manifest/index.ts'
import type { Settings } from '../env.ts'
import type { Services } from '../services.ts'
import type { ReadSet } from '../stores/committee-sets.ts'
import type { ProjectRecord, ProjectVersion } from '../stores/projects.ts'
import { type CallableValidator, callable } from '../stores/validators.ts'
import { waitingMax } from '../validators/ask-each.ts'
import { askValidator } from '../validators/ask-validator.ts'
import { isAttestationOf } from '../validators/attestation.ts'
import { buildSet } from './build-set.ts'
import { type DueEpoch, scheduleSets } from './schedule.ts'

/** The listing statuses of projects whose tasks are scheduled; the tasks of underfunded ones pay nobody. */
const scheduled: readonly string[] = ['listed', 'underfunded']

/** How many bytes the bodies of all calls of validators that wait may hold together. */
const bodyBytesMax = 16 * 1024 * 1024

type Sources = Pick<
  Services,
  | 'beacons'
  | 'clock'
  | 'committeeSets'
  | 'coordinator'
  | 'params'
  | 'projects'
  | 'projectVersions'
  | 'snapshotCandidates'
  | 'validators'
>

/** Brings the sets of one project forward. Every step may be repeated, and changes nothing when it is. */
export class ProjectSets {
  readonly #sources: Sources
  readonly #settings: Settings

  constructor(sources: Sources, settings: Settings) {
    this.#sources = sources
    this.#settings = settings
  }

  /** Builds what is due, and asks those validators that have not attested it. Null for a project without committees. */
  async advance(projectId: string): Promise<CommitteesProgress | null> {
    const { projects, clock } = this.#sources
    const record = await projects.findRecord(projectId)
    if (record === null || !scheduled.includes(record.project.listingStatus)) return null
    const now = await clock.now()
    const versionAt = await this.#versions(record)
    const { due, nextAt } = scheduleSets(now, versionAt)
    let open = 0
    // One epoch that cannot be brought forward does not keep the other waiting.
    for (const one of due) {
      const isSettled = await this.#settle(projectId, one).catch(isFailed)
      if (!isSettled) open += 1
      await this.#tell(projectId, one, isSettled).catch(isFailed)
    }
    return { open, nextInSecs: nextAt - now }
  }

  /** The version in force, or the published one from its epoch on. */
  async #versions({ current, pending }: ProjectRecord): Promise<(time: number) => ProjectVersion> {
    const { effectiveAt } = pending ?? {}
    if (pending?.status !== 'registered' || typeof effectiveAt !== 'number') return () => current
    const next = await this.#sources.projectVersions.find(pending.projectId, pending.version)
    return (time) => (next !== null && time >= effectiveAt ? next : current)
  }

  async #settle(projectId: string, due: DueEpoch<ProjectVersion>): Promise<boolean> {
    const { committeeSets } = this.#sources
    const set =
      (await committeeSets.find(projectId, due.epoch)) ??
      ((await this.#build(projectId, due)) ? await committeeSets.find(projectId, due.epoch) : null)
    if (set === null) return false
    if (set.valid) return true
    await this.#ask(set)
    await committeeSets.count(set, await this.#sources.clock.now())
    const asked = await committeeSets.find(projectId, due.epoch)
    return asked?.valid === true
  }

  /** Everybody can see which epochs lack their set, also where it could not be built. */
  async #tell(
    projectId: string,
    { epoch, version }: DueEpoch<ProjectVersion>,
    isSettled: boolean,
  ): Promise<void> {
    const { clock, committeeSets } = this.#sources
    const { epochSecs } = version
    if (isSettled) await committeeSets.forgetMissing({ projectId, epoch })
    else await committeeSets.noteMissing({ projectId, epoch, epochSecs }, await clock.now())
  }

  /** Whether there was a beacon to build the set with. */
  async #build(projectId: string, { epoch, version }: DueEpoch<ProjectVersion>): Promise<boolean> {
    const { beacons, committeeSets, snapshotCandidates, clock, params } = this.#sources
    const beacon = await beacons.find(version.epochSecs, epoch)
    if (beacon === null) return false
    const { consensus } = JSON.parse(version.manifest) as ProjectManifest
    const { PROFILE: profile } = this.#settings
    const source = { profile, params, projectId, epoch, consensus, beacon, candidates: snapshotCandidates }
    const document = await buildSet(source)
    const { size, min_size, backups } = consensus.work.committee
    const committee = { size, min_size, backups }
    const set = { projectId, epoch, epochSecs: version.epochSecs, committee, builtAt: await clock.now() }
    await committeeSets.insert(set, document)
    return true
  }

  async #ask(set: ReadSet): Promise<void> {
    const { coordinator, validators, committeeSets } = this.#sources
    if (coordinator === null) return
    const known = new Set(set.attestations.map(({ publicKey }) => publicKey))
    const ofEpoch = callable(await validators.ofEpoch(set.epoch, set.epochSecs))
    const missing = ofEpoch.filter(({ publicKey }) => !known.has(publicKey))
    if (missing.length === 0) return
    const body = new Uint8Array(await new Response(await committeeSets.open(set.setHash)).arrayBuffer())
    const together = Math.max(1, Math.min(waitingMax, Math.floor(bodyBytesMax / body.length)))
    const next = missing.values()
    const askOneByOne = async () => {
      for (const validator of next) await this.#askOne(set, body, validator)
    }
    await Promise.all(Array.from({ length: together }, askOneByOne))
  }

  async #askOne(set: ReadSet, body: Uint8Array, { url, publicKey }: CallableValidator): Promise<void> {
    const { coordinator, committeeSets, clock } = this.#sources
    if (coordinator === null) return
    const { PROFILE: profile, LOCAL_NETWORK: isLocal } = this.#settings
    const call = { path: '/consensus/committee-sets', body, now: await clock.now() }
    const answer = await askValidator(url, call, { coordinator, isLocal })
    if (isAttestationOf(profile, set.setHash, publicKey, answer))
      await committeeSets.attest(set, { publicKey, signature: answer.signature }, await clock.now())
  }
}

const isFailed = (error: unknown): boolean => {
  console.error('a committee set could not be brought forward', error)
  return false
}

import type { CommitteesProgress } from '../../durable-objects/project/object.ts'
import { paramsOfEpoch } from '../../protocol/committees/index.ts'
import { openStatuses, type ProjectManifest } from '../../protocol/manifest/index.ts'
import type { Services } from '../services.ts'
import type { ReadSet } from '../stores/committee-sets.ts'
import { lastBegun } from '../stores/last-begun.ts'
import type { ProjectRecord, ProjectVersion } from '../stores/projects.ts'
import { type AskingSources, askForAttestations } from './ask-validators.ts'
import { buildSet } from './build-set.ts'
import { type DueEpoch, delayOf, scheduleSets } from './schedule.ts'

type Sources = Pick<
  Services,
  | 'beacons'
  | 'clock'
  | 'committeeSets'
  | 'coordinator'
  | 'links'
  | 'paramsSchedule'
  | 'projects'
  | 'projectVersions'
  | 'setCandidates'
  | 'validators'
>

/** Brings the sets of one project forward. Every step may be repeated, and changes nothing when it is. */
export class ProjectSets {
  readonly #sources: Sources
  readonly #settings: AskingSources['settings']

  readonly #listen: AskingSources['listen']

  /** @param listen - Has a listener given what validators answer over their links. */
  constructor(
    sources: Sources,
    settings: AskingSources['settings'],
    listen: AskingSources['listen'] = () => {},
  ) {
    this.#sources = sources
    this.#settings = settings
    this.#listen = listen
  }

  /** Builds what is due, and asks those validators that have not attested it. Null for a project without committees. */
  async advance(projectId: string): Promise<CommitteesProgress | null> {
    const { projects, clock } = this.#sources
    const record = await projects.findRecord(projectId)
    if (record === null || !openStatuses.includes(record.project.listingStatus)) return null
    const now = await clock.now()
    const versionAt = await this.#versions(projectId, record)
    const { due, nextAt } = scheduleSets(now, versionAt, delayOf(projectId))
    let open = 0
    // One epoch that cannot be brought forward does not keep the other waiting.
    for (const one of due) {
      const isSettled = await this.#settle(projectId, one).catch(isFailed)
      if (!isSettled) open += 1
      if (!isSettled) await this.#tell(projectId, one).catch(isFailed)
    }
    return { open, nextInSecs: nextAt - now }
  }

  /** The version in force, or a published one from its epoch on. */
  async #versions(
    projectId: string,
    { current, pending }: ProjectRecord,
  ): Promise<(time: number) => ProjectVersion> {
    // The newest one may be submitted alone, while an earlier one waits for its epoch.
    const waiting = pending === null ? [] : await this.#sources.projectVersions.waiting(projectId)
    return (time) => lastBegun(waiting, time) ?? current
  }

  async #settle(projectId: string, due: DueEpoch<ProjectVersion>): Promise<boolean> {
    const { committeeSets, clock, validators } = this.#sources
    const set = (await committeeSets.find(projectId, due.epoch)) ?? (await this.#build(projectId, due))
    if (set === null) return false
    if (!set.valid) {
      const generation = await validators.ofEpoch(set.epoch, set.epochSecs)
      const asking = { sources: this.#sources, settings: this.#settings, listen: this.#listen }
      if (await askForAttestations(asking, set, generation?.validators ?? [])) return true
      if (!(await committeeSets.count(set, await clock.now()))) return false
    }
    if (set.noted) await committeeSets.forgetMissing({ projectId, epoch: due.epoch })
    return true
  }

  /** Everybody can see which epochs lack their set, also where it could not be built. */
  async #tell(projectId: string, { epoch, version }: DueEpoch<ProjectVersion>): Promise<void> {
    const { clock, committeeSets } = this.#sources
    await committeeSets.noteMissing({ projectId, epoch, epochSecs: version.epochSecs }, await clock.now())
  }

  /** Builds a set and stores it; null while there is no beacon to build it with. */
  async #build(projectId: string, { epoch, version }: DueEpoch<ProjectVersion>): Promise<ReadSet | null> {
    const { beacons, committeeSets, setCandidates, clock, paramsSchedule } = this.#sources
    const beacon = await beacons.find(version.epochSecs, epoch)
    if (beacon === null) return null
    const { consensus } = JSON.parse(version.manifest) as ProjectManifest
    const { PROFILE: profile } = this.#settings
    const params = paramsOfEpoch(paramsSchedule, epoch, version.epochSecs)
    const source = { profile, params, projectId, epoch, consensus, beacon, candidates: setCandidates }
    const document = await buildSet(source)
    const { size, min_size, backups } = consensus.work.committee
    const committee = { size, min_size, backups }
    const set = { projectId, epoch, epochSecs: version.epochSecs, committee, builtAt: await clock.now() }
    const inserted = await committeeSets.insert(set, document)
    if (inserted === 'exists') return committeeSets.find(projectId, epoch)
    const { setHash, bytes, entries } = document
    const fresh = { attestedAt: null, filed: null, attestations: [], valid: false, noted: true }
    return { ...set, setHash, bytes, entries, ...fresh }
  }
}

const isFailed = (error: unknown): boolean => {
  console.error('a committee set could not be brought forward', error)
  return false
}

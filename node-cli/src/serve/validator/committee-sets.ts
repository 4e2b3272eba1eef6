import { createHash } from 'node:crypto'
import { type Attestation, epochStart, paramsOfEpoch } from '../../../../protocol/committees/index.ts'
import type { Problem } from '../../../../protocol/encoding/index.ts'
import type { NamedSet } from '../background/attested-sets.ts'
import { type KnownValidators, requireMembership } from '../generations/membership.ts'
import type { HubSources } from '../hub/sources/index.ts'
import { Once } from '../once.ts'
import type { Uses } from '../part.ts'
import type { ChainFacts } from './chain/chain-facts.ts'
import { findSetProblemsOnChain } from './chain/chain-rules.ts'
import { Refusal, refusal } from './refusal.ts'
import type { ReadSnapshot } from './set-rules.ts'

/** Sets of which it is known how they came: those of an epoch of many projects. */
const attestedMax = 1024

type SetSources = Pick<HubSources, 'rules'> & { readonly stakingAddress: () => Promise<string> }

export type CommitteeSetsParts = KnownValidators &
  Uses<
    'background' | 'clock' | 'identity' | 'log' | 'params' | 'paramsSchedule' | 'profile' | 'seed',
    'sets' | 'transaction' | 'votes'
  >

type Read = Extract<ReadSnapshot, { status: 'read' }>

/** Attests the sets that committees are drawn from: one for each project and epoch. */
export class CommitteeSets {
  readonly #parts: CommitteeSetsParts
  readonly #hub: SetSources
  readonly #chain: ChainFacts | null
  /** The hub asks again while a large set is checked, which takes seconds: requests with the same bytes share one check. */
  readonly #looks = new Once<Attestation>()
  /** The sets that were attested last, by the digest of the bytes that came. */
  readonly #attested = new Map<string, NamedSet>()

  constructor(parts: CommitteeSetsParts, hub: SetSources, chain: ChainFacts | null) {
    this.#parts = parts
    this.#hub = hub
    this.#chain = chain
  }

  /**
   * Attests a snapshot, as it came.
   *
   * @throws {@link Refusal} with everything that is wrong with it; {@link NotYet}; {@link VoteWithheld} for an epoch that
   * this node may have attested from a data directory that this one is a copy of.
   */
  async attest(bytes: Uint8Array): Promise<Attestation> {
    const digest = createHash('sha256').update(bytes).digest('hex')
    return this.#looks.run(digest, async () => {
      const known = this.#attested.get(digest)
      const given = known && this.#given(known)
      if (given) return given
      const { attestation, named } = await this.#lookAt(bytes)
      this.#attested.set(digest, named)
      for (const oldest of this.#attested.keys()) {
        if (this.#attested.size <= attestedMax) break
        this.#attested.delete(oldest)
      }
      return attestation
    })
  }

  async #lookAt(bytes: Uint8Array): Promise<{ attestation: Attestation; named: NamedSet }> {
    const { background, params } = this.#parts
    const read = await background.run('readSnapshot', bytes, params())
    if (read.status === 'invalid') throw new Refusal(read.problems)
    const { setHash, header } = read
    const named = { projectId: header.project_id, epoch: header.epoch, setHash }
    const given = this.#given(named)
    if (given !== null) return { attestation: given, named }
    try {
      return { attestation: await this.#check(read), named }
    } catch (error) {
      const { project_id, epoch } = header
      const reason = (error as Error).message
      this.#parts.log.warn('set not attested', { project_id, epoch, set_hash: setHash, reason })
      throw error
    }
  }

  /** The attestation of the epoch, if there is one. @throws {@link Refusal} where it is of another set. */
  #given({ projectId, epoch, setHash }: NamedSet): Attestation | null {
    const given = this.#parts.store.sets.attested(projectId, epoch)
    return given && onlyOf(setHash, given)
  }

  async #check(read: Read): Promise<Attestation> {
    const { profile, paramsSchedule, seed, store, background, clock, log } = this.#parts
    const { header, setHash, canonical } = read
    const { project_id: projectId, epoch, epoch_secs } = header
    const params = paramsOfEpoch(paramsSchedule, epoch, epoch_secs)
    store.votes.checkAllowed(epochStart(epoch, epoch_secs) - params.snapshot_lead_secs)
    const consensus = await this.#hub.rules(projectId, header.consensus_hash)
    const context = { profile, params, consensus, now: clock.now() }
    const problems = await background.run('findSetProblems', canonical, context)
    if (problems.length > 0) throw new Refusal(problems)
    await requireMembership(this.#parts, { epoch, epochSecs: epoch_secs })
    const onChain = await this.#problemsOnChain(read)
    if (onChain.length > 0) throw new Refusal(onChain)
    const attestation = await background.run('attestSet', profile, seed, setHash)
    const set = { setHash, projectId, epoch, epochSecs: epoch_secs, snapshot: canonical }
    const given = store.transaction(() => {
      store.sets.keep(set, clock.now())
      return store.sets.attest(set, attestation, clock.now())
    })
    log.info('set attested', { project_id: projectId, epoch, set_hash: setHash })
    return onlyOf(setHash, given)
  }

  async #problemsOnChain({ header, canonical }: Read): Promise<readonly Problem[]> {
    if (this.#chain === null) return []
    const entries = await this.#parts.background.run('entriesOf', canonical)
    const params = this.#parts.params()
    return findSetProblemsOnChain(this.#chain, await this.#hub.stakingAddress(), header, entries, params)
  }
}

/** @throws {@link Refusal} where another set of the epoch was attested. */
function onlyOf(
  setHash: string,
  given: { readonly setHash: string; readonly attestation: Attestation },
): Attestation {
  if (given.setHash === setHash) return given.attestation
  throw refusal(
    '',
    `This node attested the set ${given.setHash} of this epoch, and attests no other.`,
    'conflict',
  )
}

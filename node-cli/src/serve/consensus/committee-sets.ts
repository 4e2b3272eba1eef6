import { type Attestation, epochStart } from '../../../../protocol/consensus/index.ts'
import type { Problem } from '../../../../protocol/encoding/index.ts'
import type { ServeNode } from '../node.ts'
import type { ChainFacts } from './chain/chain-facts.ts'
import { findSetProblemsOnChain } from './chain/chain-rules.ts'
import type { HubFacts } from './hub-facts.ts'
import { Once } from './once.ts'
import { Refusal, refusal } from './refusal.ts'
import type { ReadSnapshot } from './set-rules.ts'

type Read = Extract<ReadSnapshot, { status: 'read' }>

/** Attests the sets that committees are drawn from: one for each project and epoch. */
export class CommitteeSets {
  readonly #node: ServeNode
  readonly #hub: HubFacts
  readonly #chain: ChainFacts | null
  /** The hub asks again while the check of a large set goes on. */
  readonly #checks = new Once<Attestation>()

  constructor(node: ServeNode, hub: HubFacts, chain: ChainFacts | null) {
    this.#node = node
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
    const { background, store } = this.#node
    const read = await background.run('readSnapshot', { bytes, params: this.#node.params() })
    if (read.status === 'invalid') throw new Refusal(read.problems)
    const { setHash, header } = read
    const given = store.sets.attested(header.project_id, header.epoch)
    if (given !== null) return onlyOf(setHash, given)
    try {
      return await this.#checks.run(setHash, () => this.#check(read))
    } catch (error) {
      const { project_id, epoch } = header
      const reason = (error as Error).message
      this.#node.log.warn('set not attested', { project_id, epoch, set_hash: setHash, reason })
      throw error
    }
  }

  async #check(read: Read): Promise<Attestation> {
    const { profile, params, seed, store, background, clock, log } = this.#node
    const { header, setHash, canonical } = read
    const { project_id: projectId, epoch, epoch_secs } = header
    store.votes.checkAllowed(epochStart(epoch, epoch_secs) - params().snapshot_lead_secs)
    const consensus = await this.#hub.rules(projectId, header.consensus_hash)
    const context = { canonical, profile, params: params(), consensus, now: clock.now() }
    const problems = await background.run('findSetProblems', context)
    if (problems.length > 0) throw new Refusal(problems)
    const onChain = await this.#problemsOnChain(read)
    if (onChain.length > 0) throw new Refusal(onChain)
    const attestation = await background.run('attestSet', { profile, seed, setHash })
    const set = { setHash, projectId, epoch, snapshot: canonical }
    const given = store.transaction(() => {
      store.sets.keep(set, clock.now())
      return store.sets.attest(set, attestation, clock.now())
    })
    log.info('set attested', { project_id: projectId, epoch, set_hash: setHash })
    return onlyOf(setHash, given)
  }

  async #problemsOnChain({ header, canonical }: Read): Promise<readonly Problem[]> {
    if (this.#chain === null) return []
    const entries = await this.#node.background.run('entriesOf', canonical)
    const params = this.#node.params()
    return findSetProblemsOnChain(this.#chain, await this.#hub.stakingAddress(), { header, entries, params })
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

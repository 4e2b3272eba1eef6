import type { StateTransition } from '../../../../protocol/execution/index.ts'
import { type ExecutionVote, executionSubject } from '../../../../protocol/rounds/index.ts'
import { Once } from '../once.ts'
import type { Uses } from '../part.ts'
import { type PeerClient, PeerError } from '../peers/peer-client.ts'
import { type PeersParts, peersOf } from '../peers/peers.ts'
import type { IndexedRoot } from '../store/state-index.ts'
import type { StateTarget } from '../sync/module-state.ts'
import { takeArtifact, takeState } from '../sync/take-module.ts'
import { NotYet, refusal } from './refusal.ts'
import type { RoundVotes } from './round-votes.ts'

export type DirectCommitsParts = PeersParts &
  Uses<
    'changes' | 'isSyncing' | 'library' | 'log' | 'queue',
    'directState' | 'senders' | 'syncedState' | 'transaction'
  >

/**
 * Writes what direct rounds make of storage, once a quorum has signed it and the coordinator says that the round is decided.
 * A node that lacks what came before takes the storage from other validators, checked against the root that was signed.
 */
export class DirectCommits {
  readonly #parts: DirectCommitsParts
  readonly #votes: RoundVotes
  readonly #stop: AbortSignal
  readonly #peers
  readonly #taking = new Once<void>()

  constructor(parts: DirectCommitsParts, votes: RoundVotes, stop: AbortSignal) {
    this.#parts = parts
    this.#votes = votes
    this.#stop = stop
    this.#peers = peersOf(parts, stop)
  }

  /**
   * @returns Modules whose storage here was not that before the round: it is taken from other validators.
   * @throws {@link Refusal}, {@link NotYet}, {@link QueueFull}, {@link RunAbandoned}
   */
  async commit(votes: readonly unknown[]) {
    if (this.#parts.isSyncing()) throw new NotYet('it takes its modules from its peers')
    const vote = await this.#votes.decidedDirect(votes)
    const behind = await this.#exclusively(() => this.#write(vote))
    for (const address of behind) this.takeSoon(address)
    return { round_id: vote.round_id, behind }
  }

  /** Takes the storage of a module from other validators, where it is not what a quorum signed last. */
  takeSoon(address: string): void {
    const { log } = this.#parts
    this.#taking
      .run(address, () => this.#take(address))
      .catch((error: Error) => {
        if (!this.#stop.aborted)
          log.error('storage could not be taken', { module: address, reason: error.stack })
      })
  }

  async #write(vote: ExecutionVote): Promise<string[]> {
    const { store, changes, log } = this.#parts
    const { directState } = store
    const { round_id: roundId, state = [] } = vote
    const newest = state.filter((transition) => this.#isNewest(transition))
    const here = new Map<string, IndexedRoot>()
    for (const { module_address: address } of newest) here.set(address, await changes.root(address))
    const pending = directState.pending(roundId)
    const made = pending?.subject === executionSubject(vote) ? pending.changes : []
    const behind: string[] = []
    store.transaction(() => {
      for (const { module_address: address, pre_seq, pre_root, post_seq, post_root } of newest) {
        const { sequence, root } = here.get(address)!
        const change = made.find(({ transition }) => transition.module_address === address)
        const isThere = sequence === post_seq && root === post_root
        const isBefore = sequence === pre_seq && root === pre_root
        if (!isThere && isBefore && change !== undefined) changes.apply([change])
        else if (!isThere) behind.push(address)
        directState.setHead(address, { sequence: post_seq, root: post_root, roundId })
      }
      directState.drop(roundId)
    })
    log.info('direct round committed', { round_id: roundId, modules: newest.length, behind: behind.length })
    return behind
  }

  /**
   * Whether nothing newer is known of the module.
   *
   * @throws {@link Refusal} for storage that does not follow from what a quorum signed before.
   */
  #isNewest({ module_address: address, pre_seq, pre_root, post_seq, post_root }: StateTransition): boolean {
    const head = this.#parts.store.directState.head(address)
    if (head === null) return true
    const isOther =
      (post_seq === head.sequence && post_root !== head.root) ||
      (pre_seq === head.sequence && pre_root !== head.root)
    if (isOther) {
      this.#parts.log.error('a quorum signed two states of one module', {
        module: address,
        sequence: head.sequence,
      })
      throw refusal(
        'votes',
        `${address} has another root at ${head.sequence} here, which a quorum signed too.`,
      )
    }
    return post_seq >= head.sequence
  }

  async #take(address: string): Promise<void> {
    const { store, changes, log } = this.#parts
    const head = store.directState.head(address)
    if (head === null) return
    const { sequence, root: state_root } = head
    const here = await changes.root(address)
    if (here.sequence === sequence && here.root === state_root) return
    for (const peer of this.#peers.others(this.#peers.validators()))
      if (await this.#takeFrom(peer, { address, sequence, state_root })) {
        log.info('the storage of a module was taken', { module: address, sequence, state_root })
        return
      }
    log.warn('no validator sends the storage that a quorum signed', { module: address, sequence, state_root })
  }

  async #takeFrom(peer: PeerClient, target: StateTarget): Promise<boolean> {
    const { library, profile, store, log } = this.#parts
    const { address } = target
    try {
      if ((await library.findWhole(address)) === null) await takeArtifact(peer, library, address)
      await takeState(peer, profile, store.syncedState, target, (work) => this.#exclusively(work))
      return true
    } catch (error) {
      if (!(error instanceof PeerError)) throw error
      if (!this.#stop.aborted)
        log.warn('a validator does not send its state', {
          peer: peer.publicKey,
          module: address,
          reason: error.message,
        })
      return false
    }
  }

  /** While no run sees storage. */
  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    return this.#parts.queue.run({ kind: 'state', isExclusive: true, bytes: 0, signal: this.#stop }, work)
  }
}

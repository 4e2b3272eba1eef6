import type { HubSources } from '../hub/sources/index.ts'
import type { Uses } from '../part.ts'
import type { PeerClient } from '../peers/peer-client.ts'
import type { Peers } from '../peers/peers.ts'
import type { ProjectEpoch } from '../store/epochs.ts'
import { givenUpSeconds } from '../store/rounds.ts'
import { NotYet, Refusal } from './refusal.ts'
import type { RoundBook } from './round-book.ts'
import { readFinalityVotes, readFinalRounds } from './round-client.ts'
import type { RoundVotes } from './round-votes.ts'

/** A round that is open for this time may be final elsewhere. */
const openSeconds = 10
/** Seconds between two looks at a round that stays open: doubled after each look. */
const lookSeconds = { first: 10, longest: 3_600 }
const openMax = 1_000
const droppedAtOnce = 500
const looksOfStep = 20
const peersOfStep = 4
const pagesOfStep = 10
/** More rounds than a project has in one epoch. */
const pagesOfEpoch = 5_000

export type CatchUpParts = Uses<'clock', 'facts' | 'rounds' | 'roundVotes' | 'transaction'>

/**
 * Learns what became final while this node was away: from its peers, and from the hub. Finality votes are verified like
 * those that are sent, so that nobody is believed.
 */
export class CatchUp {
  readonly #parts: CatchUpParts
  readonly #hub: HubSources
  readonly #peers: Peers
  readonly #votes: RoundVotes
  readonly #book: RoundBook
  #steps = 0
  /** When to look again at rounds that stay open, and how long was waited before. */
  #looks = new Map<string, { readonly at: number; readonly waited: number }>()

  constructor(parts: CatchUpParts, hub: HubSources, peers: Peers, votes: RoundVotes, book: RoundBook) {
    this.#parts = parts
    this.#hub = hub
    this.#peers = peers
    this.#votes = votes
    this.#book = book
  }

  peers = (): readonly PeerClient[] => this.#peers.others()

  /** Reads on where some peers were left, others each time, and looks at rounds that stay open. */
  async step(): Promise<void> {
    const peers = this.peers()
    const from = (this.#steps++ * peersOfStep) % Math.max(peers.length, 1)
    const asked = [...peers.slice(from), ...peers.slice(0, from)].slice(0, peersOfStep)
    await Promise.all(asked.map((peer) => this.#follow(peer)))
    for (const roundId of this.#dueRounds()) {
      // The validators may have changed since the votes came, or this node stopped between votes and record.
      const { decided } = this.#book.settle(roundId)
      if (decided === null) await this.#lookUp(roundId, asked[0])
    }
    const { store, clock } = this.#parts
    store.transaction(() => {
      for (const roundId of store.rounds.dropHeard(clock.now() - givenUpSeconds, droppedAtOnce))
        store.roundVotes.dropRound(roundId)
      store.roundVotes.dropOld(clock.now())
    })
  }

  /** Open rounds that were not looked at for long enough; that they are looked at is noted. */
  #dueRounds(): readonly string[] {
    const { store, clock } = this.#parts
    const now = clock.now()
    const open = store.rounds.open(now - givenUpSeconds, now - openSeconds, openMax)
    const known = this.#looks
    const due = open.filter(({ roundId }) => (known.get(roundId)?.at ?? 0) <= now).slice(0, looksOfStep)
    this.#looks = new Map(
      open.flatMap(({ roundId }) => {
        const look = known.get(roundId)
        return look === undefined ? [] : [[roundId, look]]
      }),
    )
    for (const { roundId } of due) {
      const before = known.get(roundId)?.waited ?? lookSeconds.first / 2
      const waited = Math.min(2 * before, lookSeconds.longest)
      this.#looks.set(roundId, { at: now + waited, waited })
    }
    return due.map(({ roundId }) => roundId)
  }

  /** Fetches every final round of an epoch that a peer has, and those that only the hub shows. */
  async completeEpoch(projectId: string, epoch: number): Promise<void> {
    // At once: a peer that lists rounds without end does not delay the others.
    await Promise.all(this.peers().map((peer) => this.#takeEpoch(peer, { projectId, epoch })))
    const { rounds } = this.#parts.store
    const shown = await orNone(() => this.#hub.finalRounds({ projectId, epoch }))
    for (const roundId of shown)
      if ((rounds.find(roundId)?.final ?? null) === null) await this.#lookUp(roundId, undefined)
  }

  async #takeEpoch(peer: PeerClient, filter: ProjectEpoch): Promise<void> {
    const listed = new Set<string>()
    let cursor: string | null = '0'
    for (let page = 0; cursor !== null && page < pagesOfEpoch; page++)
      cursor = await this.#takePage(peer, filter, cursor, listed)
  }

  async #follow(peer: PeerClient): Promise<void> {
    const { facts } = this.#parts.store
    const fact = `rounds_read_of_${peer.publicKey}`
    let cursor = facts.get(fact) ?? '0'
    for (let page = 0; page < pagesOfStep; page++) {
      const found = await readFinalRounds(peer, null, cursor)
      if (found === null || !(await this.#take(found.votes))) return
      // A peer that started again counts from the beginning.
      const reached = Number(found.last) < Number(cursor) ? '0' : (found.next ?? found.last)
      if (reached !== cursor) facts.set(fact, reached)
      if (reached === cursor || found.next === null) return
      cursor = reached
    }
  }

  /**
   * @param listed Final rounds that this peer has listed so far; those of the page are added.
   * @returns The cursor of the next page; null after the last page, and after a page that lists no further final round of the
   * epoch, since a peer that goes on like this may do so without end.
   */
  async #takePage(
    peer: PeerClient,
    filter: ProjectEpoch,
    cursor: string,
    listed: Set<string>,
  ): Promise<string | null> {
    const page = await readFinalRounds(peer, filter, cursor)
    if (page === null || page.votes.length === 0 || !(await this.#take(page.votes))) return null
    const before = listed.size
    for (const roundId of page.roundIds) if (this.#isFinalIn(roundId, filter)) listed.add(roundId)
    if (listed.size === before) return null
    return page.next !== null && Number(page.next) > Number(cursor) ? page.next : null
  }

  #isFinalIn(roundId: string, { projectId, epoch }: ProjectEpoch): boolean {
    const final = this.#parts.store.rounds.find(roundId)?.final ?? null
    return final !== null && final.project_id === projectId && final.epoch === epoch
  }

  async #lookUp(roundId: string, peer: PeerClient | undefined): Promise<void> {
    const votes = await orNone(async () => (await this.#hub.round(roundId)).finalityVotes)
    if (votes.length > 0) await this.#take(votes)
    if (this.#parts.store.rounds.find(roundId)?.final !== null || peer === undefined) return
    const others = await readFinalityVotes(peer, roundId)
    if (others !== null) await this.#take(others)
  }

  /** False if this node cannot tell yet who validates: the same votes are read again. */
  async #take(votes: readonly unknown[]): Promise<boolean> {
    try {
      await this.#votes.takeFinalityVotes(votes)
      return true
    } catch (error) {
      if (error instanceof NotYet) return false
      throw error
    }
  }
}

/** The items that the hub shows; empty if it does not answer or its answer fails a check. */
async function orNone<T>(ask: () => Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof NotYet || error instanceof Refusal) return []
    throw error
  }
}

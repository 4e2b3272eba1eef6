import { type HubClient, hubClient } from '../hub/hub-client.ts'
import { HubError } from '../hub/hub-error.ts'
import { parseHubUrl } from '../hub/hub-url.ts'
import { readNetwork } from '../hub/network.ts'
import { waitUnreferenced } from '../hub/repeat.ts'
import type { Uses } from '../part.ts'
import type { Sender } from '../store/senders.ts'
import {
  type GenerationPage,
  readGeneration,
  readGenerationPage,
  type ShownGeneration,
} from './hub-generations.ts'

export interface FollowerParts
  extends Uses<'clock' | 'generations' | 'log' | 'profile', 'facts' | 'senders'> {
  /** Hash of the generation where the chain begins; null for generation 0. */
  readonly firstHash: string | null
}

/** A generation is shown before it takes effect, so this is early enough. */
const dueMs = 50_000
/** Callers that ask again and again do not cause as many requests to the hub. */
const shortestPauseMs = 5_000
/** The same on a network that has no validators yet: nothing goes on before they are known. */
const beginningPauseMs = 500
/** Missing generations are taken in steps. Each one is kept as it arrives, so the next step continues from there. */
const generationsOfStep = 100
/** Pages that are looked through for the generation that the operator named. */
const pagesMax = 100
const sendersFact = 'senders_from'

/** Thrown for what the hub shows of its generations and this node does not follow. */
class ChainProblem extends Error {
  override readonly name = 'ChainProblem'
}

/**
 * Follows the chain of validator generations as the hub shows it (section 13). Each generation is verified before it is
 * kept; what contradicts one that is kept is a fork, which changes nothing here and is told until it is gone. From the
 * chain follows whose calls the node takes.
 */
export class GenerationFollower {
  readonly #parts: FollowerParts
  readonly #client: HubClient
  readonly #pauseMs: number
  readonly #stopping = new AbortController()
  #asking: Promise<void> | null = null
  #askingLater: Promise<void> | null = null
  #answeredAt = Number.NEGATIVE_INFINITY
  #mayAskAt = Number.NEGATIVE_INFINITY
  #isBehind = false
  #isHubAway = false
  #problem: string | null = null
  #told = ''

  constructor(hubUrl: string, parts: FollowerParts, pauseMs = shortestPauseMs) {
    this.#parts = parts
    this.#pauseMs = pauseMs
    this.#client = hubClient(parseHubUrl(hubUrl), this.#stopping.signal)
  }

  /** Why the generations of the hub are not followed; null while they are. */
  get problem(): string | null {
    return this.#problem
  }

  /** Whether the hub gave no answer when it was asked last, so that it may have generations which this node does not know. */
  get isHubAway(): boolean {
    return this.#isHubAway
  }

  stop(): void {
    this.#stopping.abort()
  }

  /** Forgets whose calls are taken where that was said by another hub. The chain of a network stays. */
  dropForeign(): void {
    const { senders, facts } = this.#parts.store
    if (senders.all().length > 0 && facts.get(sendersFact) !== this.#hubName()) senders.replace([])
  }

  /** Asks the hub when it has not answered for a while, and each time while nothing is known or something is missing. */
  async whenDue(): Promise<void> {
    const isWaiting = this.#isBehind || this.#parts.generations.newest === null
    if (isWaiting || performance.now() - this.#answeredAt >= dueMs) await this.ask()
  }

  /** Asks the hub. After a recent question it returns at once and asks after a pause. Calls meanwhile share one question. */
  async ask(): Promise<void> {
    if (this.#asking !== null || performance.now() >= this.#mayAskAt) return this.#asking ?? this.now()
    this.#askingLater ??= this.#askAfterPause().finally(() => {
      this.#askingLater = null
    })
  }

  /** Asks again, because the hub may have news since its last answer. A question asked meanwhile starts another pause. */
  async #askAfterPause(): Promise<void> {
    const { signal } = this.#stopping
    while (performance.now() < this.#mayAskAt && !signal.aborted)
      await waitUnreferenced((this.#mayAskAt - performance.now()) / 1000, signal)
    await (this.#asking ?? this.now())
  }

  /** Asks the hub in any case, after a question that is under way. */
  now(): Promise<void> {
    const before = this.#asking ?? Promise.resolve()
    const asking = before
      .then(() => this.#ask())
      .finally(() => {
        if (this.#asking === asking) this.#asking = null
      })
    this.#asking = asking
    return asking
  }

  async #ask(): Promise<void> {
    if (this.#stopping.signal.aborted) return
    let pauseMs = this.#pauseMs
    try {
      const { items } = await this.#follow()
      if (items.length === 0) pauseMs = Math.min(pauseMs, beginningPauseMs)
      this.#answeredAt = performance.now()
      this.#isHubAway = false
    } catch (error) {
      if (this.#stopping.signal.aborted) return
      if (error instanceof HubError)
        pauseMs = Math.max(pauseMs, Math.min(1000 * (error.retryAfterSeconds ?? 0), dueMs))
      const isPassing = error instanceof HubError && error.isPassing
      this.#isHubAway = isPassing
      if (!isPassing) {
        const { message, stack } = error as Error
        const isExpected = error instanceof HubError || error instanceof ChainProblem
        this.#problem = message
        this.#tell('error', [isExpected ? message : String(stack)])
      }
    }
    this.#mayAskAt = performance.now() + pauseMs
  }

  /** @returns The newest page. */
  async #follow(): Promise<GenerationPage> {
    const { profile, generations } = this.#parts
    const { coordinatorKey } = await readNetwork(this.#client, profile)
    const page = await readGenerationPage(this.#client, profile, null)
    this.#checkFork(page)
    if (generations.newest === null) await this.#begin(page, coordinatorKey)
    await this.#extend(page)
    this.#keepSenders(page, coordinatorKey)
    const newest = page.items[0]?.signed.document.generation ?? -1
    const own = generations.newest?.generation ?? -1
    this.#isBehind = newest > own
    this.#problem =
      newest < own
        ? `the hub shows generations of validators up to ${newest}, and this node knows ${own}`
        : this.#problemOfFirst()
    const shown = page.items.flatMap(({ problems }) => problems)
    this.#tell('warn', [...(this.#problem === null ? [] : [this.#problem]), ...new Set(shown)])
    return page
  }

  #checkFork({ items }: GenerationPage): void {
    for (const { signed } of items) {
      const { generation } = signed.document
      const known = this.#parts.generations.numbered(generation)
      if (known !== null && known.hash !== signed.hash)
        throw new ChainProblem(
          `the hub shows a fork of the validator generations: ${signed.hash} as generation ${generation}, which is ${known.hash} here; this node keeps its own`,
        )
    }
  }

  async #begin(newest: GenerationPage, coordinatorKey: string | null): Promise<void> {
    const { generations, profile, firstHash, log } = this.#parts
    const first = firstHash === null ? await this.#zero(newest) : await this.#find(newest, firstHash)
    if (first === null) return
    if (coordinatorKey === null)
      throw new ChainProblem('the hub shows generations of validators, but does not name a coordinator')
    const problem = generations.begin(first.signed, coordinatorKey)
    if (problem !== null) throw this.#refused(first, problem)
    const { generation } = first.signed.document
    log.info('validators known', { network: profile.network, generation, hash: first.signed.hash })
  }

  /** Generation 0; null while the network has none. */
  async #zero({ items }: GenerationPage): Promise<ShownGeneration | null> {
    if (items.length === 0) return null
    const shown = items.find(({ signed }) => signed.document.generation === 0)
    return shown ?? readGeneration(this.#client, this.#parts.profile, 0, `0x${'00'.repeat(32)}`)
  }

  /** The generation that the operator named. @throws {@link ChainProblem} */
  async #find(newest: GenerationPage, hash: string): Promise<ShownGeneration> {
    let page = newest
    for (let read = 1; ; read++) {
      const found = page.items.find(({ signed }) => signed.hash === hash)
      if (found !== undefined) return found
      if (page.next === null || read === pagesMax)
        throw new ChainProblem(
          `the hub shows no generation of validators ${hash}, which --validators-hash names`,
        )
      page = await readGenerationPage(this.#client, this.#parts.profile, page.next)
    }
  }

  async #extend({ items }: GenerationPage): Promise<void> {
    const { generations, profile, log } = this.#parts
    const target = items[0]?.signed.document.generation ?? -1
    for (let taken = 0; taken < generationsOfStep; taken++) {
      const { newest } = generations
      if (newest === null || newest.generation >= target) return
      const number = newest.generation + 1
      const next =
        items.find(({ signed }) => signed.document.generation === number) ??
        (await readGeneration(this.#client, profile, number, newest.hash))
      if (next === null)
        throw new ChainProblem(`the hub does not show generation ${number} of the validators`)
      const problem = generations.extend(next.signed)
      if (problem !== null) throw this.#refused(next, problem)
      const { effective_at, validators } = next.signed.document
      log.info('next generation of validators known', {
        generation: number,
        hash: next.signed.hash,
        effective_at,
        validators: validators.length,
      })
    }
  }

  #refused({ signed }: ShownGeneration, problem: string): ChainProblem {
    const { document, hash } = signed
    return new ChainProblem(
      `generation ${document.generation} of the validators, ${hash}, does not extend the chain that this node keeps: ${problem}`,
    )
  }

  /** A hash that the operator names later is checked against the chain that is kept. */
  #problemOfFirst(): string | null {
    const { generations, firstHash } = this.#parts
    if (firstHash === null || generations.chain.some(({ hash }) => hash === firstHash)) return null
    return `the generations of validators that this node keeps do not include ${firstHash}, which --validators-hash names`
  }

  /** Takes the calls of the coordinator and of the validators of every generation that may still count. */
  #keepSenders({ items }: GenerationPage, coordinatorKey: string | null): void {
    const { store, generations, clock } = this.#parts
    const { senders, facts } = store
    const known = new Map(senders.all().map(({ publicKey, url }) => [publicKey, url]))
    // The newest page says last where a validator is.
    for (const { addresses } of items.toReversed()) for (const [key, url] of addresses) known.set(key, url)
    const keys = new Set(generations.live(clock.now()).flatMap((one) => one.keys))
    // The coordinator sends work and never votes, also where somebody registered its key.
    if (coordinatorKey !== null) keys.delete(coordinatorKey)
    const fresh: Sender[] = [...keys].map((publicKey) => ({
      publicKey,
      role: 'validator',
      url: known.get(publicKey) ?? null,
    }))
    if (coordinatorKey !== null) fresh.push({ publicKey: coordinatorKey, role: 'coordinator', url: null })
    if (describe(fresh) !== describe(senders.all())) senders.replace(fresh)
    const from = this.#hubName()
    if (facts.get(sendersFact) !== from) facts.set(sendersFact, from)
  }

  #hubName(): string {
    const { network, chain_id } = this.#parts.profile
    return JSON.stringify({ hub: this.#client.origin, network, chain_id })
  }

  /** Problems are told once, for as long as they are the same. */
  #tell(level: 'error' | 'warn', problems: readonly string[]): void {
    const text = problems.join('\n')
    if (text !== this.#told) for (const problem of problems) this.#parts.log[level](problem)
    this.#told = text
  }
}

/** The same text for the same senders, in whatever order. */
const describe = (senders: readonly Sender[]): string =>
  senders
    .map(({ publicKey, role, url }) => JSON.stringify([publicKey, role, url]))
    .sort()
    .join('\n')

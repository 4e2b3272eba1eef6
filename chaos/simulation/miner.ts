import { epochStart } from '../../protocol/committees/index.ts'
import {
  type ParamsSchedule,
  defaultNetworkParams as params,
  phaseAt,
  phaseHash,
} from '../../protocol/identity/index.ts'
import {
  closeCodes,
  type ErrorFrame,
  type FrameVersion,
  type NodeFrame,
  type OfferFrame,
  parseHubFrame,
  pingSecs,
  type VoteFrame,
  writeNodeFrame,
} from '../../protocol/link/index.ts'
import { createTaskVote } from '../../protocol/rounds/index.ts'
import type { Ed25519Signer } from '../../protocol/signatures/index.ts'
import { type Conduct, isInterruption, isLie, mayMiss } from '../harness/conduct.ts'
import type { Draws } from '../harness/draws.ts'
import { epochSecs, type Person, profile } from './people.ts'
import type { Platform } from './platform/platform.ts'
import type { ClientSocket } from './platform/sockets.ts'
import type { VirtualTime } from './platform/virtual-time.ts'
import { honestResult, wrongResult } from './results.ts'
import { openLink, recordsMs } from './upgrade.ts'

export interface MinerOptions {
  readonly person: Person
  readonly signer: Ed25519Signer
  readonly slots: number
  readonly frames: FrameVersion
  readonly time: VirtualTime
  readonly platform: Platform
  readonly draws: Draws
  /** Milliseconds that a run takes. */
  readonly runMs: number
  /** Seconds that its clock is ahead of the network's. */
  readonly skewSecs: number
  readonly conductOf: (roundId: string, position: number) => Conduct
  /** The schedule of network parameters that its first build knows. */
  readonly paramsSchedule: ParamsSchedule
  /** The hash of the parameters under which a set was built. */
  readonly paramsHashOf: (setHash: string) => string
}

export const roundOf = ({ offer_id }: { offer_id: string }): string => `task:0x${offer_id.slice(0, 64)}`

const retryMs = 1_000
/** How many of its latest notes are shown. */
export const journalMax = 60
const restartMs = 3_000

/** A node that runs nothing: it keeps its link to the hub, and votes with real signatures. Its votes outlive its process. */
export class SimulatedMiner {
  readonly person: Person
  /** Rounds in which it voted for a wrong result. */
  readonly guilty = new Set<string>()
  /** Rounds in which it sent an invalid vote. */
  readonly invalid = new Set<string>()
  /** Rounds in which it may have missed its vote by its own doing. */
  readonly owing = new Set<string>()
  /** Rounds in which the hub said that it has its vote. */
  readonly stored = new Set<string>()
  /** When it had no connection by its own doing, until the hub had it again, in milliseconds of virtual time. */
  readonly goneMs: { readonly from: number; until: number }[] = []
  readonly journal: string[] = []
  /** Answers that the hub must not give. */
  readonly problems: string[] = []
  readonly options: MinerOptions
  /** On its disk. */
  readonly #votes = new Map<string, readonly VoteFrame[]>()
  readonly #interrupted = new Set<string>()
  readonly #running = new Set<string>()
  /** Offers of which it sent a flawed vote and a right one on this connection, and how many of the two were taken. */
  readonly #unrefused = new Map<string, number>()
  #socket: ClientSocket | null = null
  #ticket: string | null = null
  #isReady = false
  #life = 0
  #failures = 0
  #isAway = false
  #isCutOff = false
  #paramsSchedule: ParamsSchedule

  constructor(options: MinerOptions) {
    this.options = options
    this.person = options.person
    this.#paramsSchedule = options.paramsSchedule
  }

  start(): void {
    void this.#connect(++this.#life)
  }

  /** Its network is cut for a while, and neither side is told. */
  cutOff(ms: number): void {
    const { time } = this.options
    this.goneMs.push({ from: time.nowMs, until: Number.POSITIVE_INFINITY })
    this.#note('cut off')
    this.#isCutOff = true
    this.#part(null)
    time.after(ms, () => {
      this.#isCutOff = false
    })
  }

  /** Its process ends, and begins again after a while. @param isTold - Whether it says goodbye to the hub. */
  end(ms: number, isTold: boolean): void {
    const { time } = this.options
    this.goneMs.push({ from: time.nowMs, until: Number.POSITIVE_INFINITY })
    this.#note(isTold ? 'stopped' : 'killed')
    this.#life += 1
    this.#running.clear()
    this.#isAway = true
    this.#socket?.close(isTold ? closeCodes.normal : null)
    this.#socket = null
    this.#isReady = false
    const life = this.#life
    time.after(ms, () => {
      if (life !== this.#life) return
      this.#isAway = false
      void this.#connect(life)
    })
  }

  /** Its process ends, and begins again as a build that knows more of the parameters of the network. */
  update(paramsSchedule: ParamsSchedule): void {
    if (this.#paramsSchedule === paramsSchedule) return
    this.#paramsSchedule = paramsSchedule
    this.end(restartMs, true)
  }

  #paramsHashAt(time: number): string {
    return phaseHash(phaseAt(this.#paramsSchedule, time))
  }

  async #connect(life: number): Promise<void> {
    const { time, platform, draws, person } = this.options
    while (life === this.#life && this.#socket === null) {
      const socket = this.#isCutOff
        ? null
        : await openLink(
            platform,
            {
              ...{ publicKey: person.publicKey, frames: this.options.frames, ticket: this.#ticket },
              ...{ nonce: String(draws.below(2 ** 31)), timestamp: Math.floor(time.nowMs / 1_000) },
              readRecords: () => time.wait(recordsMs),
            },
            {
              message: (text) => life === this.#life && this.#hear(text),
              closed: (code) => life === this.#life && this.#closed(code),
            },
          )
      if (life !== this.#life) return socket?.close(null)
      if (socket !== null) {
        this.#socket = socket
        this.#failures = 0
        this.#keepPinging(socket)
        return
      }
      this.#failures += 1
      await time.wait(1_000 + draws.below(Math.min(60_000, 4_000 * 2 ** this.#failures)))
    }
  }

  #keepPinging(socket: ClientSocket): void {
    this.options.time.after(pingSecs * 1_000, () => {
      if (this.#socket !== socket) return
      socket.ping()
      this.#keepPinging(socket)
    })
  }

  #closed(code: number): void {
    this.#note(`closed ${code}`)
    this.#part(null)
  }

  /** It comes back by itself. */
  #part(code: number | null): void {
    this.#socket?.close(code)
    this.#socket = null
    this.#isReady = false
    const life = this.#life
    const { time, draws } = this.options
    time.after(1_000 + draws.below(3_000), () => {
      if (life === this.#life && !this.#isAway && this.#socket === null) void this.#connect(life)
    })
  }

  #hear(text: string): void {
    const frame = parseHubFrame(text, params)
    this.#note(`hears ${frame.type} ${'offer_id' in frame ? frame.offer_id?.slice(0, 6) : ''}`)
    switch (frame.type) {
      case 'hello':
        // A build that does not know the current parameters does nothing. Rounds that have it as a member do not blame it.
        if (frame.params_hash !== this.#paramsHashAt(frame.time)) return this.#part(closeCodes.normal)
        this.#isReady = true
        this.#ticket = frame.ticket ?? null
        this.#unrefused.clear()
        for (const gone of this.goneMs) gone.until = Math.min(gone.until, this.options.time.nowMs)
        this.#send({
          type: 'ready',
          slots: this.options.slots,
          engine: 'native',
          nodectl_version: '1.0.0',
          holding: [...this.#votes.keys(), ...this.#running],
        })
        // Sends again the frames that the hub may have missed.
        for (const offer_id of this.#running) this.#send({ type: 'accept', offer_id })
        for (const frames of this.#votes.values()) for (const one of frames) this.#send(one)
        return
      case 'offer':
        return void this.#take(frame)
      case 'voted':
        this.#countTaken(frame.offer_id)
        this.stored.add(roundOf(frame))
        return this.#release(frame.offer_id)
      case 'cancel':
        return this.#release(frame.offer_id)
      case 'error':
        return this.#refused(frame)
    }
  }

  #refused({ code, offer_id: offerId }: ErrorFrame): void {
    if (offerId !== undefined) this.#unrefused.delete(offerId)
    if (offerId === undefined || this.#running.has(offerId)) return
    if (code !== 'unavailable') return this.#release(offerId)
    const life = this.#life
    this.options.time.after(retryMs, () => {
      if (life === this.#life) for (const frame of this.#votes.get(offerId) ?? []) this.#send(frame)
    })
  }

  #release(offerId: string): void {
    this.#votes.delete(offerId)
    this.#running.delete(offerId)
  }

  async #take(offer: OfferFrame): Promise<void> {
    const { offer_id: offerId, position } = offer
    const { time, conductOf, runMs, skewSecs } = this.options
    if (this.#votes.has(offerId) || this.#running.has(offerId)) return
    const roundId = roundOf(offer)
    const planned = conductOf(roundId, position)
    const conduct = isInterruption(planned) && this.#interrupted.has(offerId) ? 'honest' : planned
    this.#interrupted.add(offerId)
    if (mayMiss(conduct)) this.owing.add(roundId)
    if (isLie(conduct)) this.guilty.add(roundId)
    if (conduct === 'votes_invalid') this.invalid.add(roundId)
    if (conduct === 'silent') return
    // A node with a clock ahead takes what is over by it for over.
    const now = () => Math.floor(time.nowMs / 1_000) + skewSecs
    if (conduct === 'declines' || now() > offer.accept_by)
      return this.#send({ type: 'decline', offer_id: offerId, reason: 'busy' })
    // It judges a set by the parameters that its build knows for that epoch.
    const begins = epochStart(offer.task.epoch, epochSecs)
    if (this.options.paramsHashOf(offer.task.set_hash) !== this.#paramsHashAt(begins))
      return this.#send({ type: 'decline', offer_id: offerId, reason: 'incompatible' })
    const life = this.#life
    this.#running.add(offerId)
    this.#send({ type: 'accept', offer_id: offerId })
    if (conduct === 'forgets') return this.#release(offerId)
    if (conduct === 'votes_late') await time.wait((offer.vote_by + 1) * 1_000 - time.nowMs)
    await time.wait(runMs)
    if (life !== this.#life || !this.#running.has(offerId)) return
    if (conduct === 'killed_before_vote') return this.end(restartMs, false)
    this.#vote(offer, conduct)
    if (conduct === 'cut_after_vote') this.#part(null)
    if (conduct === 'killed_after_vote') this.end(restartMs, false)
  }

  #vote(offer: OfferFrame, conduct: Conduct): void {
    const { offer_id, task, position } = offer
    const input = Buffer.from(offer.input_b64 ?? '', 'base64').toString()
    const honest = honestResult(task, input)
    const shared = wrongResult(task, input, 'of many')
    const alone = wrongResult(task, input, this.person.publicKey)
    const results = {
      lies: [shared],
      lies_alone: [alone],
      equivocates: [honest, shared],
    }[conduct as string] ?? [honest]
    const { signer } = this.options
    const frames = results.map(({ receipt, outputB64 }): VoteFrame => {
      const content = { task, receipt, payout_address: this.person.payoutAddress, position }
      const vote = createTaskVote(profile, signer, content)
      return { type: 'vote', offer_id, vote, output_b64: outputB64, events: [] }
    })
    this.#votes.set(offer_id, frames)
    this.#running.delete(offer_id)
    if (conduct === 'cut_before_vote') return this.#part(null)
    const [first] = frames
    if (conduct === 'votes_invalid' && first !== undefined) this.#sendInvalid(offer, first)
    for (const frame of frames) {
      this.#send(frame)
      if (conduct === 'repeats') this.#send(frame)
    }
  }

  #countTaken(offerId: string): void {
    const taken = this.#unrefused.get(offerId)
    if (taken === undefined) return
    this.#unrefused.set(offerId, taken + 1)
    if (taken > 0) this.problems.push(`${offerId}: a flawed vote was taken`)
  }

  /** A vote with one flaw. The hub has to refuse it, and takes the right one. */
  #sendInvalid({ offer_id, task, position }: OfferFrame, frame: VoteFrame): void {
    const { receipt } = frame.vote
    const elsewhere = { task, receipt, position, payout_address: `0x${'e1'.repeat(20)}` }
    const flawed: readonly VoteFrame[] = [
      { ...frame, vote: { ...frame.vote, signature: frame.vote.round_signature } },
      { ...frame, output_b64: '' },
      { ...frame, vote: createTaskVote(profile, this.options.signer, elsewhere) },
    ]
    const chosen = flawed[this.invalid.size % flawed.length]!
    // The output of a vote that the hub has by then is not looked at.
    if (this.#isReady && chosen.output_b64 !== '') this.#unrefused.set(offer_id, 0)
    this.#send(chosen)
  }

  #send(frame: NodeFrame): void {
    this.#note(`says ${frame.type}${'offer_id' in frame ? ` ${frame.offer_id.slice(0, 6)}` : ''}`)
    if (this.#isReady) this.#socket?.send(writeNodeFrame(frame, params))
  }

  #note(text: string): void {
    if (this.journal.length >= 2 * journalMax) this.journal.splice(0, journalMax)
    this.journal.push(`${Math.floor(this.options.time.nowMs / 10) / 100} ${text}`)
  }
}

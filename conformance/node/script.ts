import { randomBytes } from 'node:crypto'
import { utf8 } from '../../protocol/encoding/index.ts'
import { hashPayload } from '../../protocol/execution/index.ts'
import type { Profile } from '../../protocol/identity/index.ts'
import { closeCodes, type ReadNodeFrame } from '../../protocol/link/index.ts'
import type { Findings } from '../findings.ts'
import { serveElsewhere } from './elsewhere.ts'
import type { HubLink, ScriptedHub } from './hub.ts'
import { Ledger } from './ledger.ts'
import { forgedGenerations, rightGenerations, signers, unixNow } from './network.ts'
import {
  type KnownRun,
  keeperArtifact,
  knownRuns,
  probeArtifact,
  probeFunctions,
  probeInput,
} from './probe.ts'
import {
  createProject,
  type OfferChanges,
  type ProjectFlaws,
  type ScriptedOffer,
  type ScriptedProject,
} from './project.ts'

export interface ScriptParts {
  readonly hub: ScriptedHub
  readonly profile: Profile
  readonly nodeKey: string
  readonly findings: Findings
}

/** A node that can be started again, to see what it has kept. */
export interface Restarts {
  /** Ends it at once, as a power cut would. */
  readonly kill: () => Promise<void>
  readonly start: () => Promise<void>
}

let runs = 0

/** One run of all scripted scenes with a node that is about to connect. */
export class Script {
  readonly #parts: ScriptParts
  readonly #project: ScriptedProject
  readonly #name = `conformance-${(runs++).toString(36)}-${randomBytes(4).toString('hex')}`
  readonly ledger: Ledger
  #link: HubLink | null = null

  constructor(parts: ScriptParts) {
    this.#parts = parts
    this.ledger = new Ledger(parts.profile, parts.nodeKey, parts.findings)
    this.#project = this.#publish(this.#name, {})
    parts.hub.findings = parts.findings
    parts.hub.heard = (link, frame) => this.#hear(link, frame)
    parts.hub.hello = { ticket: 'Zmlyc3Q' }
  }

  /** The scenes that need one running node. */
  async play(): Promise<void> {
    const { hub, findings } = this.#parts
    if (!(await this.#connect())) return findings.note('N1.8', 'the node did not connect')
    for (const fn of probeFunctions)
      await this.#end(await this.#ask(this.#project.offer({ fn }), knownRuns[fn]))
    await this.#playFrames()
    await this.#playBaits()
    await this.#playInput()
    await this.#playAgain()
    await this.#playBurst()

    // The vote of a failed run, which nobody answers before the line breaks.
    const left = this.#project.offer({ fn: 'spin' })
    await this.#ask(left, knownRuns.spin)
    hub.hello = { frames: [3, 2, 1], ticket: 'c2Vjb25k' }
    this.#link?.cut()
    if (!(await this.#connect('N1.8', 'Zmlyc3Q'))) return
    findings.require(
      'N5.4',
      await this.#hasVote(left),
      'the node did not send the vote again after it lost the socket',
    )
    this.#end(left)

    hub.hello = { retry_after: 1 }
    this.#link?.close(closeCodes.restart)
    if (!(await this.#connect('N1.9', 'c2Vjb25k'))) return
    await this.#end(await this.#ask(this.#project.offer(), knownRuns.echo))
  }

  /** The scenes that start the node again: it is killed, replaced, and meets a hub of other parameters. */
  async playRestarts({ kill, start }: Restarts): Promise<void> {
    const { hub, findings, profile } = this.#parts
    const startAgain = async (): Promise<void> => {
      await kill()
      hub.forgetConnections()
      await start()
    }
    if (this.#link === null && !(await this.#connect())) return
    const left = this.#project.offer({ fn: 'mix' })
    await this.#ask(left, knownRuns.mix)
    await startAgain()
    if (!(await this.#connect('N1.8'))) return
    findings.require(
      'N5.5',
      await this.#hasVote(left),
      'the node did not send the vote again after it was killed and restarted',
    )
    this.#end(left)

    this.#link?.close(closeCodes.replaced)
    const again = await hub.connection(hub.silenceMs)
    findings.require('N1.10', again === null, 'the node reconnected')

    hub.publish(forgedGenerations(profile))
    await startAgain()
    await this.#layAtStart(
      'N3.20',
      this.#publish(`${this.#name}-forged-validators`, { attestedBy: signers.strangers }).offer(),
    )
    hub.publish(rightGenerations(profile))

    hub.hello = { params_hash: `0x${'5e'.repeat(32)}` }
    await startAgain()
    if (!(await this.#layAtStart('N1.11', this.#project.offer())))
      findings.note('N1.8', 'the node did not connect after a restart')
  }

  /** Offers what may not be accepted from a hub that a node need not work for. @returns Whether the node connected. */
  async #layAtStart(number: string, offer: ScriptedOffer): Promise<boolean> {
    const { hub, findings } = this.#parts
    const link = await hub.connection()
    if (link === null) return false
    this.ledger.add(offer, null, number)
    link.send(offer.frame)
    const answer = await link.next(['accept', 'decline'], undefined, hub.silenceMs)
    findings.require(number, answer?.type !== 'accept', 'the node accepted an offer')
    return true
  }

  /** Tells the node that everything is over, and closes its socket. */
  async leave(): Promise<void> {
    if (this.#link?.isOpen !== true && !(await this.#connect())) return
    const link = this.#link!
    for (const id of this.ledger.offerIds())
      link.send({ type: 'cancel', offer_id: id, reason: 'the test has ended' })
    link.close(closeCodes.restart)
  }

  #publish(slug: string, flaws: ProjectFlaws): ScriptedProject {
    const { hub, profile, nodeKey } = this.#parts
    const project = createProject(profile, nodeKey, slug, flaws)
    hub.publish(project.answers)
    return project
  }

  /** Waits for the next connection and its ready. @param number - The clause that asks for it. */
  async #connect(number: string | null = null, ticket: string | null = null): Promise<boolean> {
    const { hub, findings, profile } = this.#parts
    const link = await hub.connection()
    if (number !== null) findings.require(number, link !== null, 'the node did not reconnect')
    if (link === null) return false
    this.#link = link
    if (ticket !== null) {
      const shown = link.headers[`${profile.header_prefix}ticket`.toLowerCase()]
      findings.require(
        'N1.7',
        shown === ticket,
        `the node sent the ticket ${JSON.stringify(shown)}, expected ${ticket}`,
      )
    }
    const ready = await link.next(['ready'])
    if (ready === null) findings.note('N1.6', 'the node did not send ready')
    return ready !== null
  }

  #hear(link: HubLink, frame: ReadNodeFrame): void {
    this.ledger.hear(frame)
    if (frame.type !== 'vote') return
    this.ledger.judgeError(frame.offer_id, frame, link.takesErrors)
    // As a hub answers a vote that it has.
    if (this.ledger.isOver(frame.offer_id)) this.#say(link, frame.offer_id)
  }

  /** Makes an offer that has to be accepted, and waits for its vote. */
  async #ask(offer: ScriptedOffer, known: KnownRun, sent: () => void = () => this.#link?.send(offer.frame)) {
    const { findings } = this.#parts
    this.ledger.add(offer, known, null)
    sent()
    const { first, last } = await this.#requireVote(offer)
    const { function: fn } = offer.frame.task
    if (first?.type === 'decline')
      findings.note('N3.3', `the node declined a valid offer of ${fn} as ${first.reason}`)
    if (first?.type === 'accept') findings.note('N3.3', null)
    return { offer, answer: last }
  }

  async #requireVote(offer: ScriptedOffer) {
    const { findings } = this.#parts
    const { function: fn } = offer.frame.task
    const { first, last } = await this.#hearOut(offer)
    findings.require('N3.1', first !== null, `the node did not answer an offer of ${fn}`)
    if (first?.type === 'accept')
      findings.require('N3.4', last?.type === 'vote', `the node did not vote on an accepted offer of ${fn}`)
    return { first, last }
  }

  /** Waits until the node has nothing more to do for an offer: it declined it or voted. */
  async #hearOut({ frame: { offer_id } }: ScriptedOffer) {
    const isOf = (frame: { offer_id: string }) => frame.offer_id === offer_id
    const first = (await this.#link?.next(['accept', 'decline', 'vote'], isOf)) ?? null
    if (first?.type === 'decline' || first?.type === 'vote') return { first, last: first }
    const vote = (await this.#link?.next(['vote'], isOf)) ?? null
    return { first, last: vote ?? first }
  }

  #hasVote({ frame: { offer_id } }: ScriptedOffer): Promise<boolean> {
    const vote = this.#link?.next(['vote'], (frame) => frame.offer_id === offer_id)
    return Promise.resolve(vote).then((came) => came != null)
  }

  /** Says that the vote is stored. */
  #end(asked: ScriptedOffer | { readonly offer: ScriptedOffer }): void {
    const { offer_id } = ('offer' in asked ? asked.offer : asked).frame
    if (this.#link !== null) this.#say(this.#link, offer_id)
    this.ledger.end(offer_id)
  }

  #say(link: HubLink, offer_id: string): void {
    link.send({ type: 'voted', offer_id, state: 'pending' })
  }

  async #playFrames(): Promise<void> {
    const { findings } = this.#parts
    const later = this.#project.offer()
    const asked = await this.#ask(later, knownRuns.echo, () =>
      this.#link?.sendText(JSON.stringify({ ...later.frame, x_later: { more: [1] } })),
    )
    findings.require('N2.4', asked.answer !== null, 'the node did not answer an offer with an unknown member')
    this.#end(asked)
    const next = this.#project.offer()
    this.ledger.add(next, knownRuns.echo, null)
    this.#link?.sendText('this is not a frame')
    this.#link?.send(next.frame)
    await this.#hearOut(next)
    findings.require('N2.5', this.#link?.isOpen === true, 'the socket closed after an invalid frame')
    if (this.#link?.isOpen !== true) await this.#connect()
    this.#end(next)
  }

  /** Offers that no node may accept. */
  async #playBaits(): Promise<void> {
    const { position, frame } = this.#project.offer()
    const other = (flaws: ProjectFlaws, name: string, changes: OfferChanges = {}) =>
      this.#publish(`${this.#name}-${name}`, flaws).offer(changes)
    const own = (changes: OfferChanges) => this.#project.offer(changes)
    const late = { accept_by: unixNow() - 5 }
    const elsewhere = await serveElsewhere(probeInput)
    const baits: readonly (readonly [string, ScriptedOffer])[] = [
      ['N3.6', own({ frame: { position: (position + 1) % 3 }, task: { seq: frame.task.seq } })],
      ['N3.7', own({ frame: { role: 'backup' } })],
      ['N3.8', own({ task: { input_hash: hashPayload(utf8('another input')) } })],
      ['N3.9', other({ showsOtherSet: true }, 'set')],
      ['N3.10', other({ attestedBy: signers.few }, 'few')],
      ['N3.10', other({ attestedBy: signers.withStrangers }, 'strangers')],
      ['N3.10', other({ attestedBy: signers.repeated }, 'repeated')],
      ['N3.11', other({ isForged: true }, 'forged')],
      ['N3.12', own({ fn: 'unheard_of' })],
      ['N3.12', other({ functions: ['echo'] }, 'functions', { fn: 'mix' })],
      ['N3.13', own({ task: { gas_limit: 250_000_001 } })],
      ['N3.14', own({ task: { issued_at: frame.task.issued_at - 86_400 } })],
      ['N3.15', other({ showsOtherModule: true, module: probeArtifact(this.#name) }, 'module')],
      ['N3.16', other({ module: keeperArtifact() }, 'keeper')],
      ['N3.17', own({ frame: late })],
      ['N3.18', own({ frame: { input_url: elsewhere.url } })],
    ]
    try {
      for (const [number, offer] of baits) await this.#lay(number, offer)
      const { requests } = elsewhere
      if (requests.length > 0)
        this.#parts.findings.note('N3.18', `the node requested ${requests[0]} from another origin`)
    } finally {
      await elsewhere.stop()
    }
  }

  async #lay(number: string, offer: ScriptedOffer): Promise<void> {
    const { findings, hub } = this.#parts
    const { offer_id } = offer.frame
    this.ledger.add(offer, null, number)
    this.#link?.send(offer.frame)
    // An offer that came too late may be passed over.
    const isLate = number === 'N3.17'
    const isOf = (frame: { offer_id: string }) => frame.offer_id === offer_id
    const answer = await this.#link?.next(['accept', 'decline'], isOf, isLate ? hub.silenceMs : undefined)
    if (isLate)
      findings.require(number, answer?.type !== 'accept', 'the node accepted an offer after its accept_by')
    else findings.require('N3.1', answer != null, `the node did not answer the offer that tests ${number}`)
    this.#link?.send({ type: 'cancel', offer_id, reason: 'the offer was invalid on purpose' })
    this.ledger.end(offer_id)
  }

  async #playInput(): Promise<void> {
    const { hub, findings } = this.#parts
    const input = 'x'.repeat(300_000)
    const target = `/v1/inputs/${this.#name}`
    hub.publish({ [`GET ${target}`]: utf8(input) })
    const gas = { gas_limit: 1_000_000 }
    const offer = this.#project.offer({
      fn: 'digest',
      input,
      task: gas,
      frame: { input_url: `${hub.nodeOrigin}${target}?until=${unixNow() + 100}` },
    })
    // The function answers the hash of its input, which the offer has already.
    const output = offer.frame.task.input_hash
    const known = { success: true, output, events: [], gas_used: digestGas(input) }
    const asked = await this.#ask(offer, known)
    findings.require(
      'N3.19',
      asked.answer?.type === 'vote',
      'the node did not vote on an offer with an input of 300,000 bytes',
    )
    this.#end(asked)
  }

  async #playAgain(): Promise<void> {
    const { findings } = this.#parts
    const offer = this.#project.offer({ fn: 'mix' })
    await this.#ask(offer, knownRuns.mix)
    this.#link?.send(offer.frame)
    findings.require(
      'N5.2',
      await this.#hasVote(offer),
      'the node did not answer a repeated offer with its vote',
    )
    this.#end(offer)
  }

  /** More offers at once than the node has slots. */
  async #playBurst(): Promise<void> {
    const { slots } = this.ledger
    if (slots > burstSlotsMax) return
    const offers = Array.from({ length: slots + 2 }, () => this.#project.offer({ fn: 'spin' }))
    for (const offer of offers) this.ledger.add(offer, knownRuns.spin, null)
    for (const { frame } of offers) this.#link?.send(frame)
    for (const offer of offers) {
      await this.#requireVote(offer)
      this.#end(offer)
    }
    this.#parts.findings.note('N3.5', null)
  }
}

const burstSlotsMax = 8
const digestGas = (input: string): number => knownRuns.digest.gas_used - probeInput.length + input.length

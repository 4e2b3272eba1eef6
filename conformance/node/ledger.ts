import { encodeCanonicalJson } from '../../protocol/encoding/index.ts'
import type { Profile } from '../../protocol/identity/index.ts'
import type { ReadNodeFrame, ReadyFrame, UnjudgedVoteFrame } from '../../protocol/link/index.ts'
import type { Findings } from '../findings.ts'
import { judgeVote } from './judge-vote.ts'
import type { KnownRun } from './probe.ts'
import type { ScriptedOffer } from './project.ts'

interface Entry {
  readonly offer: ScriptedOffer
  /** The result that a run of the offer has to give; null for an offer that may not be accepted. */
  readonly known: KnownRun | null
  /** The clause that forbids to accept it. */
  readonly bait: string | null
  isAccepted: boolean
  /** The vote of the node as it was signed first. */
  vote: string | null
  /** Whether the hub said voted or cancel. */
  isOver: boolean
}

/** Every offer of a script, and the node's frames about it. It judges what can be judged without knowing what comes next. */
export class Ledger {
  readonly #profile: Profile
  readonly #nodeKey: string
  readonly #findings: Findings
  readonly #entries = new Map<string, Entry>()
  #slots = 0

  constructor(profile: Profile, nodeKey: string, findings: Findings) {
    this.#profile = profile
    this.#nodeKey = nodeKey
    this.#findings = findings
  }

  /** How many offers the node takes at once. */
  get slots(): number {
    return this.#slots
  }

  /** The clause that forbids to accept an offer; null for one that has to be accepted. */
  baitOf(offerId: string): string | null {
    return this.#entries.get(offerId)?.bait ?? null
  }

  add(offer: ScriptedOffer, known: KnownRun | null, bait: string | null): void {
    const { offer_id } = offer.frame
    this.#entries.set(offer_id, { offer, known, bait, isAccepted: false, vote: null, isOver: false })
  }

  /** The hub says voted or cancel. */
  end(offerId: string): void {
    this.#entries.get(offerId)!.isOver = true
  }

  isOver(offerId: string): boolean {
    return this.#entries.get(offerId)?.isOver ?? false
  }

  offerIds(): string[] {
    return [...this.#entries.keys()]
  }

  hear(frame: ReadNodeFrame): void {
    if (frame.type === 'ready') return this.#hearReady(frame)
    if (frame.type !== 'accept' && frame.type !== 'decline' && frame.type !== 'vote') return
    const { offer_id: id, type } = frame
    const entry = this.#entries.get(id)
    this.#findings.require(
      'N2.6',
      entry !== undefined,
      `${type} names the offer ${id}, which the hub did not send`,
    )
    if (entry === undefined) return
    if (frame.type === 'vote') return this.#hearVote(entry, frame)
    if (type === 'accept') this.#hearAccept(entry)
    if (entry.bait !== null)
      this.#findings.require(entry.bait, type === 'decline', `the node accepted the offer ${id}`)
  }

  #hearReady({ slots, holding }: ReadyFrame): void {
    this.#slots = slots
    if (!Array.isArray(holding)) return
    const due = [...this.#entries]
      .filter(([, { isAccepted, vote, isOver }]) => (isAccepted || vote !== null) && !isOver)
      .map(([id]) => id)
    const missing = due.filter((id) => !holding.includes(id))
    const more = holding.filter((id) => !due.includes(id))
    const problem = [
      ...missing.map((id) => `holding lacks the accepted offer ${id}`),
      ...more.map((id) => `holding has ${id}, which is closed or was never accepted`),
    ]
    this.#findings.note('N5.3', problem[0] ?? null)
  }

  #hearAccept(entry: Entry): void {
    // An accept that is repeated after the vote opens nothing.
    if (entry.vote !== null) return
    entry.isAccepted = true
    const open = [...this.#entries.values()].filter(
      ({ isAccepted, vote, isOver }) => isAccepted && vote === null && !isOver,
    ).length
    // That it is kept only shows where there are more offers than slots.
    if (open > Math.max(1, this.#slots))
      this.#findings.note(
        'N3.5',
        `the node had ${open} accepted offers without a vote, and ${this.#slots} slots`,
      )
  }

  #hearVote(entry: Entry, frame: UnjudgedVoteFrame & { readonly type: 'vote' }): void {
    const { offer, known } = entry
    const { vote, offer_id: id } = frame
    const text = canonicalOrNull(vote)
    if (entry.vote !== null) {
      this.#findings.require('N5.1', text === entry.vote, `a second vote for ${id} differs from the first`)
      return
    }
    entry.vote = text ?? ''
    this.#findings.require('N3.2', entry.isAccepted, `the vote for ${id} came before its accept`)
    this.#findings.note('N5.1', null)
    if (known === null) return
    judgeVote(this.#findings, this.#profile, this.#nodeKey, offer, known, frame)
  }

  /** Judges whether the error beside a vote may be there. @param takesErrors - Whether the hub knows it. */
  judgeError(offerId: string, { error }: UnjudgedVoteFrame, takesErrors: boolean): void {
    const isFailed = this.#entries.get(offerId)?.known?.success === false
    const holds = (error === undefined || takesErrors) && (isFailed || error === undefined)
    this.#findings.require('N4.15', holds, `the vote for ${offerId} has the error ${JSON.stringify(error)}`)
  }
}

function canonicalOrNull(value: object): string | null {
  try {
    return encodeCanonicalJson(value as never)
  } catch {
    return null
  }
}

/** Fundings of vaults that are not over: a tab that was closed goes on with its transactions and sends none of them twice. */
import { drop, keep, readJson } from '../kept.ts'
import type { Sent } from '../wallet/mined.ts'
import type { FundingCall, FundingStep, SentCalls } from './funding.ts'

interface Kept {
  /** Base units. */
  readonly amount: string
  /** Milliseconds. Two fundings of a vault differ in it. */
  readonly begunMs: number
  readonly sent: Partial<Record<FundingStep, Sent>>
}

const nameOf = (project: string, address: string): string => `funding:${project}:${address}`

function readKept(name: string): Kept | null {
  const { amount, begunMs, sent } = (readJson(name) ?? {}) as Partial<Kept>
  const isKept =
    typeof amount === 'string' &&
    /^[1-9]\d*$/.test(amount) &&
    typeof begunMs === 'number' &&
    typeof sent === 'object' &&
    sent !== null
  return isKept ? { amount, begunMs, sent } : null
}

/** One funding of a vault by one wallet. It is kept from the first question to the wallet until it is over. */
export class Funding implements SentCalls<FundingCall> {
  readonly amount: string
  readonly #name: string
  readonly #begunMs: number
  #sent: Kept['sent']
  /** Somebody forgot it: an answer that comes later does not bring it back. */
  #isKept: boolean

  private constructor(name: string, { amount, begunMs, sent }: Kept, isKept: boolean) {
    this.amount = amount
    this.#name = name
    this.#begunMs = begunMs
    this.#sent = sent
    this.#isKept = isKept
  }

  /** @param amount base units. */
  static begin(project: string, address: string, amount: string): Funding {
    return new Funding(nameOf(project, address), { amount, begunMs: Date.now(), sent: {} }, false)
  }

  /** The one that is not over; null if every one is. */
  static find(project: string, address: string): Funding | null {
    const name = nameOf(project, address)
    const kept = readKept(name)
    return kept && new Funding(name, kept, true)
  }

  get({ step }: FundingCall): Sent | undefined {
    return this.#known()[step]
  }

  set({ step }: FundingCall, sent: Sent): void {
    const known = this.#known()
    // The wallet may have answered a dialog that was closed meanwhile.
    if (sent.hash === null && known[step]?.hash) return
    this.#update({ ...known, [step]: sent })
  }

  delete({ step }: FundingCall): void {
    const { [step]: _, ...others } = this.#known()
    this.#update(others)
  }

  /** It is over, or somebody forgets it. */
  end(): void {
    if (this.#isOwn()) drop(this.#name)
  }

  /** Another dialog, or another tab, may have gone on with it. Without storage there is only what this one knows. */
  #known(): Kept['sent'] {
    return (this.#isOwn() ? readKept(this.#name)?.sent : undefined) ?? this.#sent
  }

  #update(sent: Kept['sent']): void {
    this.#sent = sent
    if (!this.#isOwn()) return
    const { amount } = this
    this.#isKept = Object.keys(sent).length > 0
    if (this.#isKept) keep(this.#name, JSON.stringify({ amount, begunMs: this.#begunMs, sent }))
    else drop(this.#name)
  }

  /** Whether what is kept is of this funding, or its place is free for it. */
  #isOwn(): boolean {
    const kept = readKept(this.#name)
    return kept === null ? !this.#isKept : kept.begunMs === this.#begunMs
  }
}

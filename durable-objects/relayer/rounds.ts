import { RpcUnreachable } from '../chain/json-rpc.ts'
import type { ChainView, Receipt, RelayerChain } from './chain-view.ts'
import { type Fees, firstFees, raisedFees } from './fees.ts'
import type { Attempt, Relay, RelayLedger, RelayStatus } from './ledger.ts'
import { shorten } from './revert-reason.ts'
import { readSendRefusal, type SendRefusal } from './send-errors.ts'
import type { TransactionSigner } from './signer.ts'
import type { RelayerParts } from './types.ts'

const open: readonly RelayStatus[] = ['queued', 'sent', 'mined']
const waiting: readonly RelayStatus[] = ['queued', 'sent']

/** Actions one round reads the receipts of: as many that wait for a block, and as many that wait for their block to be final. */
const receiptsMax = 400
/** Pools hold few transactions of one account. */
const resentMax = 50
/** Bytes a node took are offered again after this long at the latest, should it have dropped them since. */
const resendMsMax = 5_000
/** A nonce used by a transaction nobody here signed: after this long the action cannot be mined any more. */
const strangerMs = 10 * 60_000

/** What is done to open actions, again and again, until each is final. */
export class RelayRounds {
  readonly #ledger: RelayLedger
  readonly #chain: RelayerChain
  readonly #signer: TransactionSigner
  readonly #parts: RelayerParts
  /** When bytes were offered last; forgotten with the object, which costs one more offer. */
  readonly #offeredAtMs = new Map<string, number>()
  /** What {@link begin} has in hand; forgotten with the object, so that a round takes up what a crash left. */
  readonly #beginning = new Set<string>()

  constructor(ledger: RelayLedger, chain: RelayerChain, signer: TransactionSigner, parts: RelayerParts) {
    this.#ledger = ledger
    this.#chain = chain
    this.#signer = signer
    this.#parts = parts
  }

  /** Signs, stores and sends actions that have just got their nonces. A failure is a later round's work. */
  async begin(relays: readonly Relay[], fees: Fees, nowMs: number): Promise<void> {
    for (const { id } of relays) this.#beginning.add(id)
    try {
      const offers: [Relay, Attempt][] = []
      for (const relay of relays) offers.push([relay, await this.#sign(relay, fees, nowMs)])
      await this.#offer(offers, nowMs)
    } catch (error) {
      if (!(error instanceof RpcUnreachable)) throw error
    } finally {
      for (const { id } of relays) this.#beginning.delete(id)
    }
  }

  async run(view: ChainView, nowMs: number): Promise<void> {
    const unmined = this.#ledger.openFrom(view.count, resentMax)
    await this.#readReceipts(unmined, view, nowMs)
    // Nobody behind them is mined before they are again.
    const freed = this.#ledger.freed(view.count, resentMax)
    const again = freed.flatMap((relay): [Relay, Attempt][] =>
      this.#ledger.attempts(relay.nonce).map((attempt) => [relay, attempt]),
    )
    const refusals = await this.#offer([...again, ...(await this.#due(unmined, view, nowMs))], nowMs)
    await this.#reprice(unmined, refusals, view, nowMs)
  }

  async #readReceipts(unmined: readonly Relay[], view: ChainView, nowMs: number): Promise<void> {
    // A block that held an action may be gone, so mined ones are asked about too, whatever the count says.
    const mined = this.#ledger.mined(receiptsMax)
    const gone = unmined.filter(({ status, id }) => status === 'mined' && mined.every((one) => one.id !== id))
    const asked = [...this.#ledger.waitingBelow(view.count, receiptsMax), ...mined, ...gone]
    const attempts = asked.flatMap(({ nonce }) => this.#ledger.attempts(nonce))
    const receipts = await this.#chain.receipts(attempts)
    for (const relay of asked) {
      const receipt = receipts.get(relay.nonce)
      if (receipt) await this.#settle(relay, receipt, view, nowMs)
      else this.#miss(relay, view, nowMs)
    }
  }

  async #settle(relay: Relay, receipt: Receipt, { head }: ChainView, nowMs: number): Promise<void> {
    const confirmations = Math.max(0, head - receipt.blockNumber + 1)
    const facts = { txHash: receipt.transactionHash, confirmations }
    const now = Math.floor(nowMs / 1000)
    if (relay.strangerSinceMs !== null) this.#ledger.noteStranger(relay, null)
    if (confirmations < this.#parts.confirmations)
      return this.#ledger.change(relay, open, { ...facts, status: 'mined' }, now)
    const attempts = this.#ledger.attempts(relay.nonce)
    for (const { hash } of attempts) this.#offeredAtMs.delete(hash)
    const hollow = attempts.some((attempt) => attempt.hash === receipt.transactionHash && attempt.hollow)
    if (!hollow) this.#ledger.fill(relay, now)
    else return this.#ledger.change(relay, open, { ...facts, status: 'failed' }, now)
    if (receipt.succeeded) return this.#ledger.change(relay, open, { ...facts, status: 'confirmed' }, now)
    const error = await this.#chain.explainRevert(relay, receipt.blockNumber)
    this.#ledger.change(relay, open, { ...facts, status: 'reverted', error }, now)
  }

  /** No attempt is in a block of this chain. */
  #miss(relay: Relay, { count }: ChainView, nowMs: number): void {
    const now = Math.floor(nowMs / 1000)
    this.#ledger.change(relay, ['mined'], { status: 'sent', confirmations: 0 }, now)
    if (relay.nonce >= count) return this.#ledger.noteStranger(relay, null)
    if (relay.strangerSinceMs === null) return this.#ledger.noteStranger(relay, nowMs)
    if (nowMs - relay.strangerSinceMs < strangerMs) return
    const error = 'another transaction of the relaying key used the nonce'
    this.#ledger.change(relay, waiting, { status: 'failed', error }, now)
  }

  /** What has to be offered: bytes no node has taken, bytes it may have dropped, and actions not signed yet. */
  async #due(unmined: readonly Relay[], view: ChainView, nowMs: number): Promise<[Relay, Attempt][]> {
    const resendMs = Math.min(this.#parts.stuckMs, resendMsMax)
    const due: [Relay, Attempt][] = []
    for (const relay of unmined) {
      if (this.#beginning.has(relay.id)) continue
      const [last] = this.#ledger.attempts(relay.nonce)
      if (last === undefined) due.push([relay, await this.#sign(relay, this.#firstFees(view), nowMs)])
      else if (!last.accepted || nowMs - (this.#offeredAtMs.get(last.hash) ?? 0) >= resendMs)
        due.push([relay, last])
    }
    return due
  }

  /** The first of the line when it is stuck, and whatever the pool holds to be too cheap. */
  async #reprice(
    unmined: readonly Relay[],
    refusals: ReadonlyMap<number, SendRefusal>,
    view: ChainView,
    nowMs: number,
  ): Promise<void> {
    const offers: [Relay, Attempt][] = []
    for (const [index, relay] of unmined.entries()) {
      const [last] = this.#ledger.attempts(relay.nonce)
      if (last === undefined) continue
      const stuck = index === 0 && last.accepted && nowMs - last.signedAtMs >= this.#parts.stuckMs
      if (!stuck && refusals.get(relay.nonce) !== 'underpriced') continue
      const fees = raisedFees(last, view, this.#parts.feeCapWei)
      if (fees === null) continue
      offers.push([relay, await this.#sign(relay, fees, Math.max(nowMs, last.signedAtMs + 1))])
    }
    await this.#offer(offers, nowMs)
  }

  async #sign(relay: Relay, fees: Fees, signedAtMs: number): Promise<Attempt> {
    const attempt = await this.#signer.sign(relay, fees, signedAtMs)
    this.#ledger.addAttempt(attempt)
    this.#ledger.change(relay, waiting, { txHash: attempt.hash }, Math.floor(signedAtMs / 1000))
    return { ...attempt, accepted: false }
  }

  /** Sends stored bytes, and notes what the node says to each. */
  async #offer(offers: readonly [Relay, Attempt][], nowMs: number): Promise<Map<number, SendRefusal>> {
    const refusals = new Map<number, SendRefusal>()
    if (offers.length === 0) return refusals
    const answers = await this.#chain.send(offers.map(([, attempt]) => attempt))
    for (const [index, [relay, attempt]] of offers.entries()) {
      const error = answers[index] ?? null
      const refusal = error === null ? 'known' : readSendRefusal(error.message)
      refusals.set(relay.nonce, refusal)
      if (refusal === 'known') {
        this.#offeredAtMs.set(attempt.hash, nowMs)
        this.#ledger.accept(attempt.hash)
        this.#ledger.change(relay, ['queued'], { status: 'sent' }, Math.floor(nowMs / 1000))
      }
      if (refusal === 'invalid') await this.#hollow(relay, attempt, error?.message ?? '', nowMs)
    }
    return refusals
  }

  async #hollow(relay: Relay, attempt: Attempt, message: string, nowMs: number): Promise<void> {
    this.#ledger.hollow(relay, shorten(`the chain refuses it: ${message}`), Math.floor(nowMs / 1000))
    const hollow = this.#ledger.find(relay.id)
    if (hollow) await this.#sign(hollow, attempt, Math.max(nowMs, attempt.signedAtMs + 1))
  }

  /** An action that already has its nonce must be sent, so it is offered at the cap when the market is above it. */
  #firstFees(view: ChainView): Fees {
    const { feeCapWei } = this.#parts
    return (
      firstFees(view, feeCapWei) ?? {
        maxFeeWei: feeCapWei,
        tipWei: view.tipWei < feeCapWei ? view.tipWei : feeCapWei,
      }
    )
  }
}

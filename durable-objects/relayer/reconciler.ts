import { RpcUnreachable } from '../chain/json-rpc.ts'
import type { ChainSnapshot, Receipt, RelayerChain } from './chain.ts'
import { type Fees, initialFees, replacementFees } from './fees.ts'
import type { Attempt, RelayLedger, RelayStatus, SubmittedRelay } from './ledger.ts'
import { shorten } from './revert-reason.ts'
import { readSendRefusal, type SendRefusal } from './send-errors.ts'
import type { TransactionSigner } from './signer.ts'
import type { RelayerConfig } from './types.ts'

const open: readonly RelayStatus[] = ['queued', 'sent', 'mined']
const unmined: readonly RelayStatus[] = ['queued', 'sent']

/** Actions one pass reads the receipts of: as many that wait for a block, and as many that wait for theirs to be final. */
const receiptsMax = 400
/** Pools hold few transactions of one account. */
const resubmittedMax = 50
/** A transaction that a node took is sent again after this long at the latest: the node may have dropped it since. */
const resubmitMsMax = 5_000
/** After a foreign transaction has held the nonce for this long, the action cannot be mined any more. */
const foreignMs = 10 * 60_000

/** So many blocks more an action that reverted waits for the answer whether somebody else brought it to the chain. */
const searchedConfirmations = 50

/** A signed transaction and the action it is for. */
type Submission = [SubmittedRelay, Attempt]

/** Signs and sends actions with a nonce, and brings the ledger in line with the chain until each action is final. */
export class Reconciler {
  readonly #ledger: RelayLedger
  readonly #chain: RelayerChain
  readonly #signer: TransactionSigner
  readonly #config: RelayerConfig
  /** When transactions were sent last; lost with the object, which costs one more send. */
  readonly #sentAtMs = new Map<string, number>()
  /** What {@link submit} is at work on; lost with the object, so that the next pass takes up what a crash left. */
  readonly #submitting = new Set<string>()

  constructor(ledger: RelayLedger, chain: RelayerChain, signer: TransactionSigner, config: RelayerConfig) {
    this.#ledger = ledger
    this.#chain = chain
    this.#signer = signer
    this.#config = config
  }

  /** Signs, stores and sends actions that have just got their nonces. What fails is the next pass's work. */
  async submit(relays: readonly SubmittedRelay[], fees: Fees, nowMs: number): Promise<void> {
    for (const { id } of relays) this.#submitting.add(id)
    try {
      const submissions: Submission[] = []
      for (const relay of relays) submissions.push([relay, await this.#sign(relay, fees, nowMs)])
      await this.#send(submissions, nowMs)
    } catch (error) {
      if (!(error instanceof RpcUnreachable)) throw error
    } finally {
      for (const { id } of relays) this.#submitting.delete(id)
    }
  }

  /** One pass over every action with a nonce that is not final. */
  async reconcile(snapshot: ChainSnapshot, nowMs: number): Promise<void> {
    const waiting = this.#ledger.openFrom(snapshot.count, resubmittedMax)
    await this.#readReceipts(waiting, snapshot, nowMs)
    // Nothing behind a dropped nonce is mined before that is mined again.
    const dropped = this.#ledger.finalFrom(snapshot.count, resubmittedMax)
    const again = dropped.flatMap((relay) =>
      this.#ledger.attempts(relay.nonce).map((attempt): Submission => [relay, attempt]),
    )
    const refusals = await this.#send([...again, ...(await this.#toSend(waiting, snapshot, nowMs))], nowMs)
    await this.#sendReplacements(waiting, refusals, snapshot, nowMs)
  }

  async #readReceipts(
    waiting: readonly SubmittedRelay[],
    snapshot: ChainSnapshot,
    nowMs: number,
  ): Promise<void> {
    // A block that held an action may be gone, so mined ones are asked about too, whatever the count says.
    const mined = this.#ledger.mined(receiptsMax)
    const gone = waiting.filter(({ status, id }) => status === 'mined' && mined.every((one) => one.id !== id))
    const asked = [...this.#ledger.unminedBelow(snapshot.count, receiptsMax), ...mined, ...gone]
    const attempts = asked.flatMap(({ nonce }) => this.#ledger.attempts(nonce))
    const receipts = await this.#chain.receipts(attempts)
    for (const relay of asked) {
      const receipt = receipts.get(relay.nonce)
      if (receipt) await this.#noteReceipt(relay, receipt, snapshot, nowMs)
      else this.#noteNoReceipt(relay, snapshot, nowMs)
    }
  }

  async #noteReceipt(
    relay: SubmittedRelay,
    receipt: Receipt,
    { head }: ChainSnapshot,
    nowMs: number,
  ): Promise<void> {
    const confirmations = Math.max(0, head - receipt.blockNumber + 1)
    const facts = { txHash: receipt.transactionHash, confirmations }
    const now = Math.floor(nowMs / 1000)
    if (relay.foreignSinceMs !== null) this.#ledger.noteForeignTransaction(relay, null)
    if (confirmations < this.#config.confirmations)
      return this.#ledger.change(relay, open, { ...facts, status: 'mined' }, now)
    const attempts = this.#ledger.attempts(relay.nonce)
    for (const { hash } of attempts) this.#sentAtMs.delete(hash)
    const noop = attempts.some((attempt) => attempt.hash === receipt.transactionHash && attempt.noop)
    if (noop) return this.#ledger.change(relay, open, { ...facts, status: 'failed' }, now)
    this.#ledger.unmarkNoop(relay, now)
    if (receipt.succeeded) return this.#ledger.change(relay, open, { ...facts, status: 'confirmed' }, now)
    const foreign = await this.#findForeignSubmission(relay)
    if (foreign === 'unknown' && confirmations < this.#config.confirmations + searchedConfirmations)
      return this.#ledger.change(relay, open, { ...facts, status: 'mined' }, now)
    if (foreign !== null && foreign !== 'unknown')
      return this.#ledger.change(
        relay,
        open,
        { ...facts, txHash: foreign.txHash, status: 'confirmed', error: null },
        now,
      )
    const error = await this.#chain.explainRevert(relay, receipt.blockNumber)
    this.#ledger.change(relay, open, { ...facts, status: 'reverted', error }, now)
  }

  /** A signed action may revert because somebody else has brought it to the chain before. */
  async #findForeignSubmission(relay: SubmittedRelay): Promise<{ txHash: string } | null | 'unknown'> {
    try {
      return await this.#config.findForeignSubmission(relay)
    } catch (error) {
      console.error(`whether somebody else brought ${relay.id} to the chain is not known`, error)
      return 'unknown'
    }
  }

  /** No attempt is in a block of this chain. */
  #noteNoReceipt(relay: SubmittedRelay, { count }: ChainSnapshot, nowMs: number): void {
    const now = Math.floor(nowMs / 1000)
    this.#ledger.change(relay, ['mined'], { status: 'sent', confirmations: 0 }, now)
    if (relay.nonce >= count) return this.#ledger.noteForeignTransaction(relay, null)
    if (relay.foreignSinceMs === null) return this.#ledger.noteForeignTransaction(relay, nowMs)
    if (nowMs - relay.foreignSinceMs < foreignMs) return
    const error = 'another transaction of the relaying key used the nonce'
    this.#ledger.change(relay, unmined, { status: 'failed', error }, now)
  }

  /** Transactions no node has taken, transactions a node may have dropped, and actions not signed yet. */
  async #toSend(
    waiting: readonly SubmittedRelay[],
    snapshot: ChainSnapshot,
    nowMs: number,
  ): Promise<Submission[]> {
    const resubmitMs = Math.min(this.#config.stuckMs, resubmitMsMax)
    const toSend: Submission[] = []
    for (const relay of waiting) {
      if (this.#submitting.has(relay.id)) continue
      const [last] = this.#ledger.attempts(relay.nonce)
      if (last === undefined)
        toSend.push([relay, await this.#sign(relay, this.#initialFees(snapshot), nowMs)])
      else if (!last.accepted || nowMs - (this.#sentAtMs.get(last.hash) ?? 0) >= resubmitMs)
        toSend.push([relay, last])
    }
    return toSend
  }

  /** Replaces the first in line when it is stuck, and whatever the pool holds to be too cheap. */
  async #sendReplacements(
    waiting: readonly SubmittedRelay[],
    refusals: ReadonlyMap<number, SendRefusal>,
    snapshot: ChainSnapshot,
    nowMs: number,
  ): Promise<void> {
    const replacements: Submission[] = []
    for (const [index, relay] of waiting.entries()) {
      const [last] = this.#ledger.attempts(relay.nonce)
      if (last === undefined) continue
      const stuck = index === 0 && last.accepted && nowMs - last.signedAtMs >= this.#config.stuckMs
      if (!stuck && refusals.get(relay.nonce) !== 'underpriced') continue
      const fees = replacementFees(last, snapshot, this.#config.feeCapWei)
      if (fees === null) continue
      replacements.push([relay, await this.#sign(relay, fees, Math.max(nowMs, last.signedAtMs + 1))])
    }
    await this.#send(replacements, nowMs)
  }

  async #sign(relay: SubmittedRelay, fees: Fees, signedAtMs: number): Promise<Attempt> {
    const attempt = await this.#signer.sign(relay, fees, signedAtMs)
    this.#ledger.addAttempt(attempt)
    this.#ledger.change(relay, unmined, { txHash: attempt.hash }, Math.floor(signedAtMs / 1000))
    return { ...attempt, accepted: false }
  }

  /** Sends stored transactions, and notes what the node says to each. */
  async #send(submissions: readonly Submission[], nowMs: number): Promise<Map<number, SendRefusal>> {
    const refusals = new Map<number, SendRefusal>()
    if (submissions.length === 0) return refusals
    const answers = await this.#chain.send(submissions.map(([, attempt]) => attempt))
    for (const [index, [relay, attempt]] of submissions.entries()) {
      const error = answers[index] ?? null
      const refusal = error && readSendRefusal(error.message)
      if (refusal !== null) refusals.set(relay.nonce, refusal)
      if (refusal === null || refusal === 'already_known') {
        this.#sentAtMs.set(attempt.hash, nowMs)
        this.#ledger.markAccepted(attempt.hash)
        this.#ledger.change(relay, ['queued'], { status: 'sent' }, Math.floor(nowMs / 1000))
      }
      if (refusal === 'invalid') await this.#replaceWithNoop(relay, attempt, error?.message ?? '', nowMs)
    }
    return refusals
  }

  async #replaceWithNoop(
    relay: SubmittedRelay,
    attempt: Attempt,
    message: string,
    nowMs: number,
  ): Promise<void> {
    this.#ledger.markNoop(relay, shorten(`the chain refuses it: ${message}`), Math.floor(nowMs / 1000))
    await this.#sign({ ...relay, noop: true }, attempt, Math.max(nowMs, attempt.signedAtMs + 1))
  }

  /** An action that already has its nonce must be sent, so it is priced at the cap when the market is above it. */
  #initialFees(snapshot: ChainSnapshot): Fees {
    const { feeCapWei } = this.#config
    return (
      initialFees(snapshot, feeCapWei) ?? {
        maxFeeWei: feeCapWei,
        tipWei: snapshot.tipWei < feeCapWei ? snapshot.tipWei : feeCapWei,
      }
    )
  }
}

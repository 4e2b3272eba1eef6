import { RpcUnreachable } from '../chain/json-rpc.ts'
import { orNull } from '../or-null.ts'
import type { ChainReading, Receipt, RelayerChain } from './chain.ts'
import { type Fees, feeCapFor, initialFees } from './fees.ts'
import {
  type Attempt,
  type RelayLedger,
  type RelayStatus,
  type SubmittedRelay,
  transferGas,
} from './ledger.ts'
import type { Refusals } from './refusals.ts'
import { replacementOf } from './replacement.ts'
import { shorten } from './revert-reason.ts'
import { readSendRefusal, type SendRefusal } from './send-errors.ts'
import type { TransactionSigner } from './signer.ts'
import type { RelayerConfig } from './types.ts'

const open: readonly RelayStatus[] = ['queued', 'sent', 'mined']
const unmined: readonly RelayStatus[] = ['queued', 'sent']
const final: readonly RelayStatus[] = ['confirmed', 'reverted', 'failed']

/** Actions one pass reads the receipts of: as many that wait for a block, and as many that wait for theirs to be final. */
const receiptsMax = 400
/** Pools hold few transactions of one account. */
const resubmittedMax = 50
/** A transaction that a node took is sent again after this long at the latest: the node may have dropped it since. */
const resubmitMsMax = 5_000
/** Actions priced again in one pass: all that a jump of the base fee has left behind, or nothing behind the first is mined. */
const repricedMax = 400
/** Actions for which one pass looks for what used their nonce. */
const judgedMax = 4

/** For this many further blocks, a reverted action waits for the answer whether somebody else submitted it on chain. */
const searchedConfirmations = 50

type Submission = [SubmittedRelay, Attempt]

interface Refused {
  refusal: SendRefusal
  message: string
}

/** Signs and sends actions with a nonce, and brings the ledger in line with the chain until each action is final. */
export class Reconciler {
  readonly #ledger: RelayLedger
  readonly #chain: RelayerChain
  readonly #signer: TransactionSigner
  readonly #config: RelayerConfig
  /** When transactions were sent last; lost with the object, which costs one more send. */
  readonly #sentAtMs = new Map<string, number>()
  readonly #refusals: Refusals
  /** The first nonce that no action has, and since when; lost with the object, which only makes it wait longer. */
  #gap: { nonce: number; sinceMs: number } | null = null
  /** When the transaction that used an action's nonce was last searched for; lost with the object. */
  readonly #judgedAtMs = new Map<string, number>()
  /** Ids of actions that {@link submit} works on; lost with the object, so that the next pass continues after a crash. */
  readonly #submitting = new Set<string>()

  constructor(
    ledger: RelayLedger,
    refusals: Refusals,
    chain: RelayerChain,
    signer: TransactionSigner,
    config: RelayerConfig,
  ) {
    this.#ledger = ledger
    this.#refusals = refusals
    this.#chain = chain
    this.#signer = signer
    this.#config = config
  }

  /** Signs, stores and sends actions that have just got their nonces. After a failure the next pass continues. */
  async submit(relays: readonly SubmittedRelay[], reading: ChainReading, nowMs: number): Promise<void> {
    for (const { id } of relays) this.#submitting.add(id)
    try {
      const submissions: Submission[] = []
      for (const relay of relays)
        submissions.push([relay, await this.#sign(relay, this.#initialFees(relay, reading), nowMs)])
      await this.#send(submissions, nowMs, null)
    } catch (error) {
      if (!(error instanceof RpcUnreachable)) throw error
    } finally {
      for (const { id } of relays) this.#submitting.delete(id)
    }
  }

  /** One pass over actions with a nonce that are not final. @returns Whether the chain lacks some that are. */
  async reconcile(reading: ChainReading, nowMs: number): Promise<boolean> {
    await this.#reopen(reading, nowMs)
    this.#fillGaps(reading, nowMs)
    const waiting = this.#ledger.openFrom(reading.count, repricedMax)
    await this.#judge(await this.#readReceipts(waiting, reading, nowMs), reading, nowMs)
    // Nothing behind a dropped nonce is mined before that is mined again.
    const dropped = this.#ledger.finalFrom(reading.count, resubmittedMax)
    const again = dropped.flatMap((relay) =>
      this.#ledger.attempts(relay.nonce).map((attempt): Submission => [relay, attempt]),
    )
    const toSend = await this.#toSend(waiting.slice(0, resubmittedMax), reading, nowMs)
    const refusals = await this.#send([...again, ...toSend], nowMs, waiting[0] ?? null)
    await this.#sendReplacements(waiting, refusals, reading, nowMs)
    return dropped.length > 0
  }

  /** Opens final actions again that a deep reorganisation dropped. A node that only lags has a head lower than their final one. */
  async #reopen({ count, head }: ChainReading, nowMs: number): Promise<void> {
    const dropped = this.#ledger
      .finalFrom(count, resubmittedMax)
      .filter(({ finalHead }) => head >= (finalHead ?? 0))
    if (dropped.length === 0) return
    const receipts = await this.#chain.receipts(dropped.flatMap(({ nonce }) => this.#ledger.attempts(nonce)))
    for (const relay of dropped) {
      if (receipts.get(relay.nonce) !== null) continue
      const change = { status: 'sent', confirmations: 0, finalHead: null } as const
      this.#ledger.change(relay, final, change, Math.floor(nowMs / 1000))
    }
  }

  /** Uses up nonces that no action has while others wait behind. A node that lags counts too few for a moment, so a gap has to stay for a while. */
  #fillGaps({ count }: ChainReading, nowMs: number): void {
    const gaps = this.#ledger.gapsFrom(count, resubmittedMax)
    const [nonce] = gaps
    if (nonce === undefined) this.#gap = null
    else if (this.#gap?.nonce !== nonce) this.#gap = { nonce, sinceMs: nowMs }
    else if (nowMs - this.#gap.sinceMs >= this.#config.stuckMs)
      for (const gap of gaps) this.#ledger.fillGap(gap, this.#signer.address, nowMs)
  }

  /** Notes what blocks hold, and answers the actions whose nonce something else may have used. */
  async #readReceipts(
    waiting: readonly SubmittedRelay[],
    reading: ChainReading,
    nowMs: number,
  ): Promise<SubmittedRelay[]> {
    // A block that held an action may be gone, so mined ones are asked about too, whatever the count says.
    const mined = this.#ledger.mined(receiptsMax)
    const gone = waiting.filter(({ status, id }) => status === 'mined' && mined.every((one) => one.id !== id))
    const asked = [...this.#ledger.unminedBelow(reading.count, receiptsMax), ...mined, ...gone]
    const attempts = asked.map(({ nonce }) => this.#ledger.attempts(nonce))
    const receipts = await this.#chain.receipts(attempts.flat())
    const unexplained: SubmittedRelay[] = []
    for (const [index, relay] of asked.entries()) {
      const receipt = attempts[index]?.length === 0 ? null : receipts.get(relay.nonce)
      if (receipt) await this.#noteReceipt(relay, receipt, reading, nowMs)
      else if (receipt === null && this.#noteNoReceipt(relay, reading, nowMs)) unexplained.push(relay)
    }
    return unexplained
  }

  async #noteReceipt(
    relay: SubmittedRelay,
    receipt: Receipt,
    { head }: ChainReading,
    nowMs: number,
  ): Promise<void> {
    const confirmations = Math.max(0, head - receipt.blockNumber + 1)
    const facts = { txHash: receipt.transactionHash, confirmations }
    const now = Math.floor(nowMs / 1000)
    const mined = () => this.#ledger.change(relay, open, { ...facts, status: 'mined' }, now)
    if (relay.foreignSinceMs !== null) this.#ledger.noteForeignTransaction(relay, null)
    if (confirmations < this.#config.confirmations) return mined()
    const attempts = this.#ledger.attempts(relay.nonce)
    this.#forget(relay, attempts)
    const end = { ...facts, finalHead: head }
    const noop = attempts.some((attempt) => attempt.hash === receipt.transactionHash && attempt.noop)
    if (noop) return this.#ledger.change(relay, open, { ...end, status: 'failed' }, now)
    if (receipt.succeeded) {
      this.#ledger.unmarkNoop(relay, now)
      return this.#ledger.change(relay, open, { ...end, status: 'confirmed', error: null }, now)
    }
    const foreign = await this.#findForeignSubmission(relay, receipt.blockNumber)
    if (foreign === 'unknown' && confirmations < this.#config.confirmations + searchedConfirmations)
      return mined()
    if (foreign !== null && foreign !== 'unknown') {
      this.#ledger.unmarkNoop(relay, now)
      const change = { ...end, txHash: foreign.txHash, status: 'confirmed', error: null } as const
      return this.#ledger.change(relay, open, change, now)
    }
    // When nobody says why, the next pass asks again.
    const error = await orNull(this.#chain.explainRevert(relay, receipt.blockNumber), RpcUnreachable)
    if (error === null) return mined()
    this.#ledger.unmarkNoop(relay, now)
    this.#ledger.change(relay, open, { ...end, status: 'reverted', error }, now)
  }

  /** A signed action may revert because somebody else has brought it to the chain before. */
  async #findForeignSubmission(
    relay: SubmittedRelay,
    atLeast: number,
  ): Promise<{ txHash: string } | null | 'unknown'> {
    try {
      return await this.#config.findForeignSubmission(relay, atLeast)
    } catch (error) {
      console.error(`whether another sender submitted ${relay.id} on chain is unknown`, error)
      return 'unknown'
    }
  }

  /** No attempt is in a block of this chain. Answers whether its nonce has been used for long all the same. */
  #noteNoReceipt(relay: SubmittedRelay, { count }: ChainReading, nowMs: number): boolean {
    const now = Math.floor(nowMs / 1000)
    this.#ledger.change(relay, ['mined'], { status: 'sent', confirmations: 0 }, now)
    const { foreignSinceMs } = relay
    if (relay.nonce >= count) this.#ledger.noteForeignTransaction(relay, null)
    else if (foreignSinceMs === null) this.#ledger.noteForeignTransaction(relay, nowMs)
    else return nowMs - foreignSinceMs >= this.#config.stuckMs
    return false
  }

  /** An action has failed once another transaction used its nonce in a final block; until then no node may find the receipt of its own. */
  async #judge(unexplained: SubmittedRelay[], { head }: ChainReading, nowMs: number): Promise<void> {
    const judgedAtMs = ({ id }: SubmittedRelay) => this.#judgedAtMs.get(id) ?? 0
    unexplained.sort((one, other) => judgedAtMs(one) - judgedAtMs(other))
    for (const relay of unexplained.slice(0, judgedMax)) {
      this.#judgedAtMs.set(relay.id, nowMs)
      const hash = await this.#chain.findTransaction(relay.nonce, head - this.#config.confirmations + 1)
      const attempts = this.#ledger.attempts(relay.nonce)
      if (hash === null || attempts.some((attempt) => attempt.hash === hash)) continue
      this.#forget(relay, attempts)
      const error = 'another transaction of the relaying key used the nonce'
      const change = { status: 'failed', error, finalHead: head } as const
      this.#ledger.change(relay, unmined, change, Math.floor(nowMs / 1000))
    }
  }

  /** Drops the data in memory about an action that is final. */
  #forget({ id, nonce }: SubmittedRelay, attempts: readonly Attempt[]): void {
    this.#judgedAtMs.delete(id)
    this.#refusals.clear(nonce)
    for (const { hash } of attempts) this.#sentAtMs.delete(hash)
  }

  /** Transactions no node has taken, transactions a node may have dropped, and actions not signed yet. */
  async #toSend(
    waiting: readonly SubmittedRelay[],
    reading: ChainReading,
    nowMs: number,
  ): Promise<Submission[]> {
    const resubmitMs = Math.min(this.#config.stuckMs, resubmitMsMax)
    const toSend: Submission[] = []
    for (const relay of waiting) {
      if (this.#submitting.has(relay.id)) continue
      const [last] = this.#ledger.attempts(relay.nonce)
      if (last === undefined)
        toSend.push([relay, await this.#sign(relay, this.#initialFees(relay, reading), nowMs)])
      else if (!last.accepted || nowMs - (this.#sentAtMs.get(last.hash) ?? 0) >= resubmitMs)
        toSend.push([relay, last])
    }
    return toSend
  }

  /** Sends what takes the place of attempts that will not be mined as they are. */
  async #sendReplacements(
    waiting: readonly SubmittedRelay[],
    refusals: ReadonlyMap<number, Refused>,
    reading: ChainReading,
    nowMs: number,
  ): Promise<void> {
    const replacements: Submission[] = []
    const now = { stuckMs: this.#config.stuckMs, nowMs }
    for (const [index, relay] of waiting.entries()) {
      const { nonce } = relay
      const attempts = this.#ledger.attempts(nonce)
      const [last] = attempts
      if (last === undefined) continue
      const { refusal, message } = refusals.get(nonce) ?? { refusal: null, message: '' }
      const isTaken = attempts.some(({ accepted }) => accepted)
      const isGivenUp = refusal !== null && this.#refusals.areBelieved(nonce, isTaken, nowMs)
      const state = { attempts, isFirst: index === 0, refusal, isGivenUp }
      const replacement = replacementOf(state, reading, this.#feeCapOf(relay), now)
      if (replacement === null) continue
      const { fees, noop } = replacement
      if (noop && !last.noop)
        this.#ledger.markNoop(relay, shorten(`the chain refuses it: ${message}`), Math.floor(nowMs / 1000))
      // With another price it is given as long again.
      else if (isGivenUp) this.#refusals.clear(nonce)
      const signedAtMs = Math.max(nowMs, last.signedAtMs + 1)
      replacements.push([relay, await this.#sign({ ...relay, noop }, fees, signedAtMs)])
    }
    await this.#send(replacements, nowMs, waiting[0] ?? null)
  }

  async #sign(relay: SubmittedRelay, fees: Fees, signedAtMs: number): Promise<Attempt> {
    const attempt = await this.#signer.sign(relay, fees, signedAtMs)
    this.#ledger.addAttempt(attempt)
    this.#ledger.change(relay, unmined, { txHash: attempt.hash }, Math.floor(signedAtMs / 1000))
    return { ...attempt, accepted: false }
  }

  /** Sends stored transactions, and notes what the node says to each; `first` is what others may wait for. */
  async #send(
    submissions: readonly Submission[],
    nowMs: number,
    first: SubmittedRelay | null,
  ): Promise<Map<number, Refused>> {
    const refusals = new Map<number, Refused>()
    if (submissions.length === 0) return refusals
    const answers = await this.#chain.send(submissions.map(([, attempt]) => attempt))
    for (const [index, [relay, attempt]] of submissions.entries()) {
      const error = answers[index] ?? null
      const refusal = error && readSendRefusal(error.message)
      if (error && refusal !== null) refusals.set(relay.nonce, { refusal, message: error.message })
      if (refusal === null || refusal === 'already_known') {
        this.#sentAtMs.set(attempt.hash, nowMs)
        this.#ledger.markAccepted(attempt.hash)
        this.#ledger.change(relay, ['queued'], { status: 'sent' }, Math.floor(nowMs / 1000))
      }
      this.#refusals.note(relay.nonce, refusal, relay.nonce === first?.nonce, nowMs)
    }
    return refusals
  }

  #feeCapOf({ gas, noop }: SubmittedRelay): bigint {
    return feeCapFor(noop ? transferGas : gas, this.#config)
  }

  /** An action that already has its nonce must be sent, so it is priced at the cap when the market is above it. */
  #initialFees(relay: SubmittedRelay, reading: ChainReading): Fees {
    const capWei = this.#feeCapOf(relay)
    const tipWei = reading.tipWei < capWei ? reading.tipWei : capWei
    return initialFees(reading, capWei) ?? { maxFeeWei: capWei, tipWei }
  }
}

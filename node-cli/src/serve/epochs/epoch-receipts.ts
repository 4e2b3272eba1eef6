import { setTimeout as sleep } from 'node:timers/promises'
import { type Attestation, paramsOfEpoch, quorum } from '../../../../protocol/committees/index.ts'
import {
  attemptStart,
  type EpochReceipt,
  type EpochReceiptBody,
  type EpochVote,
  hashEpochReceipt,
} from '../../../../protocol/earnings/index.ts'
import { epochRoundId } from '../../../../protocol/identity/index.ts'
import type { ProjectRules as Rules } from '../../../../protocol/manifest/index.ts'
import { generationOf, type KnownValidators, requireMembership } from '../generations/membership.ts'
import type { HubSources } from '../hub/sources/index.ts'
import { Once } from '../once.ts'
import type { Uses } from '../part.ts'
import type { ProjectEpoch } from '../store/epochs.ts'
import type { CatchUp } from '../validator/catch-up.ts'
import { refusal } from '../validator/refusal.ts'
import { type Difference, receiptDifference } from './difference.ts'
import type { OpenRounds } from './open-rounds.ts'

export interface OwnReceipt {
  readonly body: EpochReceiptBody
  readonly receiptHash: string
}

/** A receipt that a leader wants attested. */
export interface Proposal extends OwnReceipt {
  readonly attempt: number
}

/** Thrown for a proposal that the own records do not come to. */
export class ReceiptDiffers extends Error {
  override readonly name = 'ReceiptDiffers'
  readonly difference: readonly Difference[]

  constructor(difference: readonly Difference[]) {
    super('The final records of this node give another receipt.')
    this.difference = difference
  }
}

/** Sets whose rules are kept at hand: reading one of 65,536 entries takes a second. */
const rulesMax = 256
/** A leader that asks waits no longer; what is fetched later helps the next attempt. */
const judgeFetchMs = 6_000
const fetchMs = 10_000
const fetchedMax = 1_000
/** A peer that proposes nonsense has nobody ask all others again and again. */
const fetchPauseMs = 15_000

export type EpochReceiptsParts = KnownValidators &
  Uses<
    'background' | 'clock' | 'identity' | 'log' | 'params' | 'paramsSchedule' | 'profile' | 'seed',
    'file' | 'rounds' | 'sets' | 'votes'
  >

/** Computes what epochs pay from the own final records, and attests what others compute alike. */
export class EpochReceipts {
  readonly #parts: EpochReceiptsParts
  readonly #hub: HubSources
  readonly #catchUp: CatchUp
  readonly #openRounds: OpenRounds
  readonly #fetches = new Once<void>()
  readonly #fetchedAt = new Map<string, number>()
  readonly #rulesOfSet = new Map<string, Rules>()

  constructor(parts: EpochReceiptsParts, hub: HubSources, catchUp: CatchUp, openRounds: OpenRounds) {
    this.#parts = parts
    this.#hub = hub
    this.#catchUp = catchUp
    this.#openRounds = openRounds
  }

  /**
   * The rules that an epoch ran under: those of the set that its records name. Null without records.
   *
   * @throws {@link Refusal}, {@link NotYet}
   */
  async rules({ projectId, epoch }: ProjectEpoch): Promise<Rules | null> {
    const { store, background, params } = this.#parts
    const [first] = store.rounds.finalPage({ projectId, epoch, after: 0, limit: 1 })
    const setHash = first?.final?.set_hash
    if (setHash === undefined) return null
    const known = this.#rulesOfSet.get(setHash)
    if (known !== undefined) return known
    await this.#hub.storeSet({ projectId, epoch, setHash })
    const read = await background.run('readSnapshot', store.sets.snapshot(setHash)!, params())
    if (read.status === 'invalid')
      throw refusal('set_hash', 'must be that of a snapshot.', 'invalid_snapshot')
    const rules = await this.#hub.rules(projectId, read.header.consensus_hash)
    if (this.#rulesOfSet.size >= rulesMax) this.#rulesOfSet.clear()
    this.#rulesOfSet.set(setHash, rules)
    return rules
  }

  /** Null when the records of this node come to nothing. @throws {@link Refusal}, {@link NotYet} */
  async own(epoch: ProjectEpoch): Promise<OwnReceipt | null> {
    const { store, profile, paramsSchedule, background } = this.#parts
    const consensus = await this.rules(epoch)
    if (consensus === null) return null
    const { gas_per_unit } = paramsOfEpoch(paramsSchedule, epoch.epoch, consensus.work.epoch_secs)
    const context = { file: store.file, profile, consensus, gasPerUnit: gas_per_unit, ...epoch }
    const built = await background.runReading(store.rounds.finalBytes(epoch), 'buildReceipt', context)
    if (built.status === 'impossible') throw refusal('compute_units', built.reason)
    return built.status === 'nothing' ? null : { body: built.body, receiptHash: built.receiptHash }
  }

  /** Fetches an epoch's final records that any peer has and this node lacks. After `waitMs` it returns, and the fetch goes on. */
  async complete({ projectId, epoch }: ProjectEpoch, waitMs = fetchMs): Promise<void> {
    const name = `${projectId}:${epoch}`
    const fetchedAt = this.#fetchedAt.get(name) ?? Number.NEGATIVE_INFINITY
    if (performance.now() - fetchedAt < fetchPauseMs) return
    const fetching = this.#fetches.run(name, async () => {
      await this.#catchUp.completeEpoch(projectId, epoch)
      if (this.#fetchedAt.size >= fetchedMax) this.#fetchedAt.clear()
      this.#fetchedAt.set(name, performance.now())
    })
    await Promise.race([fetching, sleep(waitMs, undefined, { ref: false })])
  }

  /**
   * Attests a proposal that equals the receipt of the node's own records. If it differs, the node fetches missing records first.
   *
   * @throws {@link RoundsOpen} while a round of the epoch may still become final; {@link ReceiptDiffers}, {@link Refusal}, {@link NotYet}, {@link VoteWithheld}
   */
  async judge({ body, receiptHash, attempt }: Proposal): Promise<Attestation> {
    const epoch = { projectId: body.project_id, epoch: body.round }
    if (hashEpochReceipt(body) !== receiptHash)
      throw refusal('receipt_hash', 'must be the hash of the other members.')
    const rules = await this.rules(epoch)
    if (rules !== null) await this.#openRounds.requireNone(epoch, rules)
    let own = await this.own(epoch)
    if (own?.receiptHash !== receiptHash) {
      await this.complete(epoch, judgeFetchMs)
      own = await this.own(epoch)
    }
    if (own === null) throw new ReceiptDiffers([{ path: 'receipt_hash', proposed: receiptHash, own: null }])
    if (own.receiptHash !== receiptHash) throw new ReceiptDiffers(receiptDifference(body, own.body))
    return this.attest(own, attempt)
  }

  /**
   * Attests the own receipt: one for each attempt, for ever.
   *
   * @throws {@link Refusal} for an attempt that lies ahead, or in which this node attested another receipt;
   * {@link VoteWithheld}.
   */
  async attest({ body, receiptHash }: OwnReceipt, attempt: number): Promise<Attestation> {
    const { store, identity, clock, paramsSchedule, background, profile, seed, log } = this.#parts
    const roundId = epochRoundId(body.project_id, body.round, attempt)
    const params = paramsOfEpoch(paramsSchedule, body.round, body.epoch_secs)
    const issuedAt = attemptStart(body.round, body.epoch_secs, attempt, params)
    if (issuedAt > clock.now() + params.max_skew)
      throw refusal(
        'attempt',
        `must have begun; it begins at ${issuedAt}, and the time of this node is ${clock.now()}.`,
      )
    const known = store.votes.find(identity.publicKey, 'epoch', roundId)
    if (known !== null) return attestationOf(known.vote, receiptHash)
    await requireMembership(this.#parts, { epoch: body.round, epochSecs: body.epoch_secs })
    store.votes.checkAllowed(issuedAt)
    const vote = await background.run('makeEpochVote', profile, seed, body, attempt)
    const given = store.votes.give({ vote, issuedAt, createdAt: clock.now() })
    log.info('receipt of an epoch attested', { round_id: roundId, receipt_hash: receiptHash })
    return attestationOf(given.vote, receiptHash)
  }

  /** Keys of the validators of a receipt's epoch. @throws {@link NotYet} */
  validators = ({ round, epoch_secs }: Pick<EpochReceiptBody, 'round' | 'epoch_secs'>): readonly string[] =>
    generationOf(this.#parts, { epoch: round, epochSecs: epoch_secs }).keys

  /** Whether a quorum of the validators of its epoch attested a receipt. @throws {@link NotYet} */
  async isAttested(receipt: EpochReceipt): Promise<boolean> {
    const { background, profile } = this.#parts
    const validators = this.validators(receipt)
    const attested = await background.run('countAttested', profile, receipt, validators)
    return attested >= quorum(validators.length)
  }
}

/** A vote's first signature is over the receipt alone, as that of an attestation. @throws {@link Refusal} */
function attestationOf(text: string, receiptHash: string): Attestation {
  const { receipt_hash, node_id, public_key, signature } = JSON.parse(text) as EpochVote
  if (receipt_hash !== receiptHash)
    throw refusal('attempt', `is one in which this node attested ${receipt_hash}.`, 'conflict')
  return { node_id, public_key, signature }
}

import {
  findGenerationProblem,
  generationKeys,
  generationOfEpoch,
  parseSignedGeneration,
  quorum,
  type SignedGeneration,
} from '../../protocol/committees/index.ts'
import { defaultNetworkParams as params } from '../../protocol/identity/index.ts'
import { ed25519PublicKey } from '../../protocol/signatures/index.ts'
import { Difference } from '../harness/difference.ts'
import { delay, until } from '../harness/time.ts'
import { requireStatus } from '../network/caller.ts'
import type { Validator } from '../network/validator-server.ts'
import { firstValidators, type RoundsNetwork } from './network.ts'
import type { ValidatorChange } from './plan.ts'

/** A generation as nodes verify it, and when the hub had its quorum. */
export interface KnownGeneration extends SignedGeneration {
  readonly wholeAt: number
}

/** Below it one validator that lies or is silent leaves no quorum. */
const least = 4
const most = 7
/** A round that was being written when a generation became whole counts by the one before. */
const writtenWithinSecs = 120
const pendingMs = 500
/** Time passes in such steps while a generation waits for its signatures, since the hub tries again after ever longer pauses. */
const pendingStepSecs = 60
const coordinator = ed25519PublicKey(`0x${'c0'.repeat(32)}`)

/** The validators of a network whose operator has some join and others leave. */
export class ValidatorGroup {
  readonly #network: RoundsNetwork
  /** Validators of the last generation, by number. */
  #last = Array.from({ length: firstValidators }, (_, at) => at)
  #joined = firstValidators
  #retired = new Set<number>()
  /** In their order, from generation 0 on. */
  chain: readonly KnownGeneration[] = []

  constructor(network: RoundsNetwork) {
    this.#network = network
  }

  /** The validator at a share of those of the last generation. */
  at(share: number): number {
    return this.#last[Math.floor(share * this.#last.length)] as number
  }

  /** Makes the next generation, which part of the validators sign late. */
  async change({ kind, which, withheldMs }: ValidatorChange): Promise<void> {
    const { validators, faults, hub, operator, register } = this.#network
    const wanted = this.#last.length >= most ? 'leaves' : this.#last.length <= least ? 'joins' : kind
    const made = kind === 'ended' || kind === 'replaced' ? kind : wanted
    const leaving = made === 'joins' ? [] : [this.at(which)]
    const joining = made === 'leaves' ? [] : [this.#joined]
    if (this.#joined + joining.length > validators.nodes.length) return
    this.#joined += joining.length
    for (const index of joining) {
      const { seed, url } = this.#node(index)
      await register(seed, 'validator', url)
    }
    faults.note(`validator_${made}`)
    if (withheldMs > 0) validators.withhold(this.#last.filter((_, at) => at % 2 === 0))
    const idsOf = (indexes: readonly number[]) => indexes.map((index) => this.#node(index).nodeId)
    const reply = await hub.call({
      method: 'POST',
      path: '/admin/v1/validators/generations',
      token: operator.token,
      json: { approve: idsOf(joining), revoke: idsOf(leaving), emergency: made === 'ended' },
    })
    // A hub that was killed before it answered has made it.
    requireStatus(`a validator ${made}`, reply, 202, 'conflict_if_repeated')
    this.#last = [...this.#last.filter((index) => !leaving.includes(index)), ...joining]
    if (withheldMs === 0) return
    await delay(withheldMs)
    validators.withhold([])
  }

  /** Returns once no generation waits for signatures, and reads the chain of generations as a node does. */
  async settle(): Promise<void> {
    const { hub, operator, pass } = this.#network
    const path = '/admin/v1/validators/pending'
    let asked = 0
    await until(
      'every generation is whole',
      async () => {
        const { pending } = await hub.expect<{ pending: object | null }>(200, { path, token: operator.token })
        asked += 1
        if (pending !== null && asked % 6 === 0) await pass(pendingStepSecs)
        return pending === null || JSON.stringify(pending)
      },
      { pollMs: pendingMs },
    )
    // Answers of this list are kept for a while.
    const keysOf = ({ document }: KnownGeneration) => generationKeys(document).join()
    const wanted = this.#last.map((index) => this.#node(index).publicKey).sort()
    await until(
      'the last generation is what the operator wanted',
      async () => {
        this.chain = await this.#readChain()
        const last = keysOf(this.chain.at(-1) as KnownGeneration)
        return last === wanted.join() || `${last}, and not ${wanted}`
      },
      { pollMs: pendingMs, limitMs: 120_000 },
    )
  }

  async #readChain(): Promise<KnownGeneration[]> {
    const { hub, profile, rows } = this.#network
    const path = '/v1/validators/generations?limit=100'
    const { items } = await hub.expect<{ items: unknown[] }>(200, { path })
    const whole = await rows<{ generation: number; whole_at: number }>(
      'SELECT generation, whole_at FROM validator_generations',
    )
    const chain = items.map((item) => parseSignedGeneration(profile, item)).reverse()
    for (const [at, one] of chain.entries()) {
      const problem = findGenerationProblem(profile, chain[at - 1]?.document ?? null, one, coordinator)
      if (problem !== null) throw new Difference(`generation ${at} is refused by nodes: ${problem}`)
    }
    return chain.map((one) => {
      const { generation } = one.document
      return { ...one, wholeAt: whole.find((row) => row.generation === generation)?.whole_at ?? 0 }
    })
  }

  /** The generation of an epoch, as it was known at a time. */
  ofEpoch(epoch: number, epochSecs: number, knownAt = Number.POSITIVE_INFINITY): KnownGeneration {
    const known = this.chain
      .filter(({ wholeAt }) => wholeAt <= knownAt)
      .map((one) => ({ ...one.document, one }))
    const found = generationOfEpoch(known, epoch, epochSecs, params)
    if (found === null) throw new Difference(`no generation counts for the epoch ${epoch}`)
    return found.one
  }

  signersOf(epoch: number, epochSecs: number): Validator[] {
    const keys = generationKeys(this.ofEpoch(epoch, epochSecs).document)
    return this.#network.validators.nodes.filter(({ publicKey }) => keys.includes(publicKey))
  }

  /** A final record has the votes of a quorum of those that counted for its epoch when it became final. */
  requireQuorum(
    roundId: string,
    { epoch, epochSecs, finalizedAt }: { epoch: number; epochSecs: number; finalizedAt: number },
    voters: readonly string[],
  ): void {
    const counting = [0, writtenWithinSecs].map((secs) =>
      generationKeys(this.ofEpoch(epoch, epochSecs, finalizedAt - secs).document),
    )
    const isFinal = (keys: readonly string[]) =>
      keys.filter((key) => voters.includes(key)).length >= quorum(keys.length)
    if (!counting.some(isFinal))
      throw new Difference(
        `${roundId} is final by ${voters.join()}, and these count: ${JSON.stringify(counting)}`,
      )
  }

  /** Ends those for good that are validators neither of an epoch from this one on nor of the last generation. */
  retire(epoch: number, epochSecs: number): void {
    const { validators, faults } = this.#network
    const from = this.chain.indexOf(this.ofEpoch(epoch, epochSecs))
    const needed = new Set(this.chain.slice(from).flatMap(({ document }) => generationKeys(document)))
    for (const [index, { publicKey }] of validators.nodes.slice(0, this.#joined).entries()) {
      if (needed.has(publicKey) || this.#retired.has(index)) continue
      this.#retired.add(index)
      validators.retire(index)
      faults.note('validator_gone')
    }
  }

  #node(index: number): Validator {
    return this.#network.validators.nodes[index] as Validator
  }
}

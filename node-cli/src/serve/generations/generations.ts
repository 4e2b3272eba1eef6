import {
  findGenerationProblem,
  type GenerationProblem,
  generationAt,
  generationKeys,
  generationOfEpoch,
  generationText,
  hashGeneration,
  isAttested,
  type SignedGeneration,
  type ValidatorGeneration,
} from '../../../../protocol/committees/index.ts'
import type { FixedParams, Profile } from '../../../../protocol/identity/index.ts'
import { verifyNatively } from '../../node-verifier.ts'
import type { GenerationStore } from '../store/generations.ts'

/** A generation of the chain, as those ask for it that count. */
export interface Generation {
  readonly generation: number
  /** Unix seconds. */
  readonly effective_at: number
  readonly hash: string
  /** Public keys, ascending. */
  readonly keys: readonly string[]
}

/** How long a validator that left is still asked and answered, in seconds: votes and sets are kept no longer. */
const answersSeconds = 30 * 86_400

/** The chain of validator generations that this node follows. Nothing that it has taken once is ever replaced. */
export class Generations {
  readonly #profile: Profile
  readonly #params: () => FixedParams
  readonly #store: GenerationStore
  readonly #network: string
  /** Every generation that is known, ascending. */
  #chain: readonly Generation[] = []
  #keys: readonly string[] = []
  #newest: ValidatorGeneration | null = null
  #coordinator: string | null = null

  constructor(profile: Profile, params: () => FixedParams, store: GenerationStore) {
    this.#profile = profile
    this.#params = params
    this.#store = store
    this.#network = `${profile.network}:${profile.chain_id}`
    for (const { document, coordinator } of store.chain(this.#network)) this.#append(document, coordinator)
  }

  get chain(): readonly Generation[] {
    return this.#chain
  }

  get newest(): Generation | null {
    return this.#chain.at(-1) ?? null
  }

  get newestDocument(): ValidatorGeneration | null {
    return this.#newest
  }

  /** The key that must sign every generation; null before the first one. */
  get coordinator(): string | null {
    return this.#coordinator
  }

  /** The name of the network and its chain, under which generations are stored. */
  get network(): string {
    return this.#network
  }

  numbered(generation: number): Generation | null {
    return this.#chain.find((one) => one.generation === generation) ?? null
  }

  /** The generation in force at a time; null if none is known. */
  at(time: number): Generation | null {
    return generationAt(this.#chain, time)
  }

  /** The generation whose validators count for an epoch; null if none is known. */
  ofEpoch(epoch: number, epochSecs: number): Generation | null {
    return generationOfEpoch(this.#chain, epoch, epochSecs, this.#params())
  }

  /** The generation in force, and those that come after it. */
  coming(now: number): readonly Generation[] {
    return this.#since(now)
  }

  /** The generations that may still matter: an epoch of theirs may be open. */
  live(now: number): readonly Generation[] {
    return this.#since(now - answersSeconds)
  }

  get keys(): readonly string[] {
    return this.#keys
  }

  /** Takes the next generation, if it extends the chain. @returns Why it does not. */
  extend(signed: SignedGeneration): GenerationProblem | null {
    const coordinator = this.#coordinator
    if (coordinator === null) throw new Error('the chain has not begun')
    const problem = findGenerationProblem(this.#profile, this.#newest, signed, coordinator, verifyNatively)
    if (problem === null) this.#keep(signed)
    return problem
  }

  /**
   * Begins the chain: with generation 0, or with one whose hash this node was told.
   *
   * @param coordinator The key of the coordinator, which the chain is held to from now on.
   */
  begin(signed: SignedGeneration, coordinator: string): GenerationProblem | null {
    const text = generationText(this.#profile, hashGeneration(this.#profile, signed.document))
    if (!isAttested(this.#profile, text, [signed.coordinator], [coordinator], verifyNatively))
      return 'bad_coordinator_signature'
    this.#keep(signed)
    return null
  }

  #keep(signed: SignedGeneration): void {
    const hash = hashGeneration(this.#profile, signed.document)
    this.#store.extend(this.#network, { ...signed, hash })
    this.#append(signed.document, signed.coordinator)
  }

  #append(document: ValidatorGeneration, { public_key }: SignedGeneration['coordinator']): void {
    const { generation, effective_at } = document
    const hash = hashGeneration(this.#profile, document)
    this.#coordinator ??= public_key
    this.#newest = document
    const keys = generationKeys(document)
    this.#chain = [...this.#chain, { generation, effective_at, hash, keys }]
    this.#keys = [...new Set([...this.#keys, ...keys])]
  }

  /** The generations in force at `time` or later: the others were replaced before it. */
  #since(time: number): readonly Generation[] {
    return this.#chain.filter(
      ({ generation, effective_at }) =>
        generationAt(this.#chain, Math.max(time, effective_at))?.generation === generation,
    )
  }
}

import type { Block } from '../../protocol/committees/index.ts'
import type { KeptRound } from './kept-round.ts'
import { orElse } from './or-else.ts'
import { agreedAtOf, type Round } from './round.ts'
import * as transitions from './transitions.ts'
import type { RoundConfig } from './types.ts'

/** How a round comes to its audit block: its project says that it is there, or the round looks for it itself. */
export class AuditBlockSearch<View> {
  /** Whether it is looked for here too, and not by the project alone. */
  looksHere = false
  readonly #kept: KeptRound
  readonly #config: Pick<RoundConfig<View>, 'auditBlock' | 'awaitBlock' | 'now'>
  #isAwaited = false

  constructor(kept: KeptRound, config: Pick<RoundConfig<View>, 'auditBlock' | 'awaitBlock' | 'now'>) {
    this.#kept = kept
    this.#config = config
  }

  /** Whether the project will say when it is there. */
  get isAwaited(): boolean {
    return this.#isAwaited
  }

  /** It is looked for here only where the project did not say it in time, or cannot be asked, as one of an earlier build. @returns Whether it was found. */
  async await(round: Round): Promise<boolean> {
    const { roundId } = round.terms
    const unseen = orElse(false, `the audit block of ${roundId} cannot be looked for`)
    if (this.looksHere && (await this.find().catch(unseen))) return true
    this.looksHere = true
    const agreedAt = agreedAtOf(round)
    if (agreedAt === null) return false
    const unasked = orElse(false, `the project of ${roundId} cannot be asked for its audit block`)
    const asked = this.#config.awaitBlock(round, agreedAt).then(() => true)
    this.#isAwaited = await asked.catch(unasked)
    return false
  }

  /** @param seen - A block that may be it; without it, the chain is asked. */
  async find(seen: Block | null = null): Promise<boolean> {
    const { round } = this.#kept
    const agreedAt = round && agreedAtOf(round)
    if (round === null || agreedAt === null || (seen !== null && seen.timestamp <= agreedAt)) return false
    const found = await this.#config.auditBlock(round, agreedAt, seen)
    if (found === null) return false
    const now = await this.#config.now()
    // Stored with what validators say of it; until then it would be found again.
    this.#kept.note((one) => transitions.auditBlockFound(one, found.block, found.isAudited, now))
    return true
  }
}

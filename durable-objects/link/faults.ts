import { faultyWindowSecs, invalidVotesMax } from '../../protocol/link/index.ts'
import type { KeptValues } from './kept-values.ts'
import type { NodeLinkConfig, Standing } from './types.ts'

/** Reasons to give a device no work: its invalid votes, and its standing in the hub's records. */
export class Faults {
  readonly #kv: KeptValues
  readonly #config: Pick<NodeLinkConfig, 'standing'>

  constructor(kv: KeptValues, config: Pick<NodeLinkConfig, 'standing'>) {
    this.#kv = kv
    this.#config = config
  }

  noteInvalidVote(): void {
    this.#kv.put('invalid_votes', [...this.#invalidVotes(), Date.now()].slice(-invalidVotesMax))
  }

  /** When its votes make it faulty no longer; null while they do not. */
  get voteFaultyUntilMs(): number | null {
    const [first, ...others] = this.#invalidVotes()
    const isFaulty = first !== undefined && others.length + 1 >= invalidVotesMax
    return isFaulty ? first + faultyWindowSecs * 1000 : null
  }

  get mayWork(): boolean {
    const { isBanned = false, isFaulty = false } = this.#standing ?? {}
    return !isBanned && !isFaulty && this.voteFaultyUntilMs === null
  }

  /** The records said so just now. */
  noteValidator(): void {
    if (this.isValidator) return
    const admitted = { isAdmitted: true, isBanned: false, isFaulty: false }
    this.#kv.put('standing', { ...admitted, ...this.#standing, isValidator: true })
  }

  get isValidator(): boolean {
    return this.#standing?.isValidator ?? false
  }

  /** Reads the hub's records. @returns What they say of the device; null if they cannot be read. */
  async read(nodeKey: string): Promise<Standing | null> {
    try {
      const standing = await this.#config.standing(nodeKey)
      this.#kv.put('standing', standing)
      return standing
    } catch (error) {
      console.error(`the standing of ${nodeKey} could not be read`, error)
      return null
    }
  }

  get #standing(): Standing | undefined {
    return this.#kv.get('standing')
  }

  /** Times of the invalid votes that still count, in milliseconds. */
  #invalidVotes(): number[] {
    const since = Date.now() - faultyWindowSecs * 1000
    return (this.#kv.get<number[]>('invalid_votes') ?? []).filter((at) => at > since)
  }
}

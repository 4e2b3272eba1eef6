import type { CommitteeMember } from '../../protocol/committees/index.ts'
import type { DirectRound } from '../../protocol/identity/index.ts'
import type {
  ExecutionVote,
  FinalityRecord,
  FinalityVote,
  Task,
  TaskVote,
} from '../../protocol/rounds/index.ts'
import { inTime } from '../deadline.ts'
import { unavailable } from '../errors.ts'

/** Everything of a round that is over, as its file has it. */
export interface RoundFile {
  round_id: string
  task: Task
  /** Who was drawn, in draw order; empty for a fallback. */
  draw: readonly CommitteeMember[]
  /** As validators were given them. */
  votes: readonly TaskVote[]
  /** Votes that came after the round was closed, of members that had voted otherwise. */
  evidence: readonly TaskVote[]
  finality: FinalityRecord | null
  finality_votes: readonly FinalityVote[]
}

/** Everything of a direct round. */
export interface DirectRoundFile {
  round_id: string
  round: DirectRound
  exec_votes: readonly ExecutionVote[]
}

const answerMsMax = 10_000

const payloadKey = (hash: string): string => `payloads/${hash}`
const roundKey = (roundId: string): string => `rounds/${roundId}`

/** Files of rounds: what went in and came out, under its hash, and votes with finality, under the round's id. */
export class RoundFiles {
  readonly #bucket: R2Bucket
  constructor(bucket: R2Bucket) {
    this.#bucket = bucket
  }

  /** Keeps bytes under their hash. The same again is kept for longer. */
  async putPayload(hash: string, bytes: Uint8Array | string): Promise<void> {
    await this.#put(payloadKey(hash), bytes)
  }

  /** Null once they are no longer kept. */
  async payload(hash: string): Promise<Uint8Array | null> {
    return this.#get(payloadKey(hash))
  }

  async putRound(file: RoundFile): Promise<void> {
    await this.#put(roundKey(file.round_id), JSON.stringify(file))
  }

  /** @returns Its bytes. */
  async putDirectRound(file: DirectRoundFile): Promise<number> {
    const text = JSON.stringify(file)
    await this.#put(roundKey(file.round_id), text)
    return text.length
  }

  async directRound(roundId: string): Promise<DirectRoundFile | null> {
    const bytes = await this.#get(roundKey(roundId))
    return bytes && (JSON.parse(new TextDecoder().decode(bytes)) as DirectRoundFile)
  }

  async round(roundId: string): Promise<RoundFile | null> {
    const bytes = await this.#get(roundKey(roundId))
    return bytes && (JSON.parse(new TextDecoder().decode(bytes)) as RoundFile)
  }

  /** At most 1,000 at once. */
  async removeRounds(roundIds: readonly string[]): Promise<void> {
    try {
      await inTime(this.#bucket.delete(roundIds.map(roundKey)), answerMsMax)
    } catch (error) {
      throw unavailable('The storage of rounds', error)
    }
  }

  async #put(key: string, value: Uint8Array | string): Promise<void> {
    try {
      await inTime(this.#bucket.put(key, value), answerMsMax)
    } catch (error) {
      throw unavailable('The storage of rounds', error)
    }
  }

  async #get(key: string): Promise<Uint8Array | null> {
    try {
      const object = await inTime(this.#bucket.get(key), answerMsMax)
      return object && new Uint8Array(await inTime(object.arrayBuffer(), answerMsMax))
    } catch (error) {
      throw unavailable('The storage of rounds', error)
    }
  }
}

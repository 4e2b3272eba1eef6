import type { CommitteeMember } from '../../protocol/committees/index.ts'
import type { DirectRound } from '../../protocol/identity/index.ts'
import type {
  ExecutionVote,
  FinalityRecord,
  FinalityVote,
  Task,
  TaskVote,
} from '../../protocol/rounds/index.ts'
import { ApiError } from '../errors.ts'
import { Files } from './files.ts'
import type { PublishedRound } from './rounds.ts'

/** The form of records that this version of the hub writes; it reads earlier ones too. */
const recordForm = 1

/** Everything of a round that is over, as its record has it: what happened is true as it stands here, and everything else follows from it. */
export interface RoundFile {
  v: typeof recordForm
  round_id: string
  task: Task
  /** The drawn members, in draw order; empty for a fallback. */
  draw: readonly CommitteeMember[]
  /** As validators were given them. */
  votes: readonly TaskVote[]
  /** Votes that came after the round was closed, of members that had voted otherwise. */
  evidence: readonly TaskVote[]
  finality: FinalityRecord | null
  finality_votes: readonly FinalityVote[]
  /** As lists show it. */
  published: PublishedRound
  /** Network time. */
  ended_at: number
  /** Whether it is final too late to be paid. */
  is_unpaid: boolean
  /** Gas of one unit in its epoch. Records of earlier versions have none: it was that of every network. */
  gas_per_unit?: number
}

export interface DirectRoundFile {
  round_id: string
  round: DirectRound
  exec_votes: readonly ExecutionVote[]
}

/** Files of rounds: what went in and came out, under its hash, and votes with finality, under the round's id. */
export class RoundFiles {
  readonly #payloads: Files
  readonly #rounds: Files
  constructor(bucket: R2Bucket) {
    this.#payloads = new Files(bucket, 'payloads', 'The storage of rounds')
    this.#rounds = new Files(bucket, 'rounds', 'The storage of rounds')
  }

  /** Keeps bytes under their hash. The same again is kept for longer. */
  async putPayload(hash: string, bytes: Uint8Array | string): Promise<void> {
    await this.#payloads.put(hash, bytes)
  }

  /** Null once they are no longer kept. */
  async payload(hash: string): Promise<Uint8Array | null> {
    return this.#payloads.find(hash)
  }

  /** Stores the record of a round, once: of two that differ the first is what happened. @returns What is stored. */
  async record(file: RoundFile): Promise<RoundFile> {
    const isNew = await this.#rounds.putNew(file.round_id, JSON.stringify(file))
    // A record of an earlier form lacks what is new in this one.
    return isNew ? file : { ...file, ...(await this.round(file.round_id)) }
  }

  /** @returns Its bytes. */
  async putDirectRound(file: DirectRoundFile): Promise<number> {
    const text = JSON.stringify(file)
    await this.#rounds.put(file.round_id, text)
    return text.length
  }

  async directRound(roundId: string): Promise<DirectRoundFile | null> {
    return this.#find<DirectRoundFile>(roundId)
  }

  /** @throws Where a later version of the hub, before it was rolled back, wrote the record in a form that this one would misread. */
  async round(roundId: string): Promise<RoundFile | null> {
    const file = await this.#find<RoundFile>(roundId)
    if (file !== null && file.v > recordForm)
      throw new ApiError(
        'unavailable',
        `A later version of the hub wrote the record of round ${roundId}, in form ${file.v}. Deploy a version that reads it; this one reads forms up to ${recordForm}.`,
      )
    return file
  }

  async listRounds(options: R2ListOptions): Promise<R2Objects> {
    return this.#rounds.list(options)
  }

  async hasRound(roundId: string): Promise<boolean> {
    return this.#rounds.has(roundId)
  }

  /** At most 1,000 at once. */
  async removeRounds(roundIds: readonly string[]): Promise<void> {
    await this.#rounds.remove(roundIds)
  }

  async #find<T>(roundId: string): Promise<T | null> {
    const bytes = await this.#rounds.find(roundId)
    return bytes && (JSON.parse(new TextDecoder().decode(bytes)) as T)
  }
}

import type { JsonObject } from '../../../../protocol/encoding/index.ts'
import type { ErrorCode } from '../../../../protocol/errors.ts'
import {
  Batch,
  type DecideFrame,
  type FinalityFrame,
  frameRoundsMax,
  type RoundToDecide,
  writeBatch,
} from '../../../../protocol/link/index.ts'
import { ApiError } from '../http/api-error.ts'
import type { WorkFrame } from '../miner/link.ts'
import type { NodeParts } from '../part.ts'
import { codeOf, orFault } from '../routes/faults.ts'
import { readTaskRound, taskRoundMembers } from './task-round-body.ts'
import type { Validator } from './validator.ts'

/** An answer waits this long for others, to share a frame with them. */
const collectMs = 5
/** Rounds that are decided, and rounds whose votes are taken, at once. */
const roundsMax = 1_000
const frameMembersBytes = 64

/** The members of a round in a frame that this build reads. A hub that is newer than the node may send more. */
const bodyOf = (round: object): JsonObject =>
  Object.fromEntries(Object.entries(round).filter(([key]) => taskRoundMembers.includes(key)))

/** Takes rounds from the link, and sends votes on their finality. It stores nothing: the hub asks again if a frame is lost. */
export class RoundDesk {
  readonly #parts: Pick<NodeParts, 'log' | 'params'>
  readonly #validator: Pick<Validator, 'decide' | 'takeFinalityVotes'>
  readonly #answers: Batch
  #deciding = 0
  #taking = 0

  /** @param send - Sends a frame, or loses it while there is no connection. */
  constructor(
    parts: Pick<NodeParts, 'log' | 'params'>,
    validator: Pick<Validator, 'decide' | 'takeFinalityVotes'>,
    send: (text: string) => void,
  ) {
    this.#parts = parts
    this.#validator = validator
    this.#answers = new Batch(frameRoundsMax, collectMs, (texts) => send(writeBatch('decided', texts)))
  }

  hear(frame: WorkFrame): void {
    if (frame.type === 'decide') this.#decideAll(frame)
    if (frame.type === 'finality') this.#takeAll(frame)
    if (frame.type === 'error')
      this.#parts.log.warn('the hub refuses a frame', { code: frame.code, reason: frame.message })
  }

  #decideAll({ rounds }: DecideFrame): void {
    for (const round of rounds) {
      if (this.#deciding >= roundsMax) this.#refuse(round, 'unavailable')
      else void this.#decide(round)
    }
  }

  async #decide(round: RoundToDecide): Promise<void> {
    const { round_id: roundId } = round
    this.#deciding += 1
    try {
      const params = this.#parts.params()
      const asked = readTaskRound(bodyOf(round), params)
      const { vote, answer } = await orFault(() => this.#validator.decide(asked))
      const text = `{"round_id":"${roundId}","vote":${vote},"run":${answer}}`
      if (Buffer.byteLength(text) + frameMembersBytes > params.relay_max_frame_bytes)
        this.#refuse(round, 'too_large')
      else this.#answers.add(text)
    } catch (error) {
      const { log } = this.#parts
      this.#refuse(round, codeOf(error, log, 'a round cannot be decided', { round_id: roundId }))
    } finally {
      this.#deciding -= 1
    }
  }

  #refuse({ round_id }: RoundToDecide, code: ErrorCode): void {
    this.#answers.add(JSON.stringify({ round_id, code }))
  }

  /** Round by round: what this node cannot tell of one yet keeps it from no other, and it asks its peers for it later. */
  #takeAll({ votes }: FinalityFrame): void {
    for (const [roundId, ofRound] of Map.groupBy(votes, (vote) => String(vote.round_id)))
      if (this.#taking < roundsMax) void this.#take(roundId, ofRound)
  }

  async #take(roundId: string, votes: readonly unknown[]): Promise<void> {
    this.#taking += 1
    try {
      await orFault(() => this.#validator.takeFinalityVotes(votes))
    } catch (error) {
      const level = error instanceof ApiError ? 'debug' : 'error'
      this.#parts.log[level]('finality votes not accepted', { round_id: roundId, reason: String(error) })
    } finally {
      this.#taking -= 1
    }
  }
}

import { encodeCanonicalJson, utf8 } from '../../../../protocol/encoding/index.ts'
import {
  type AttestFrame,
  Batch,
  frameSetsMax,
  type SetAnswer,
  type SetToAttest,
  writeBatch,
} from '../../../../protocol/link/index.ts'
import type { NodeParts } from '../part.ts'
import { codeOf, orFault } from '../routes/faults.ts'
import type { Validator } from './validator.ts'

/** An answer waits this long for others, to share a frame with them. */
const collectMs = 20
/** Sets that are looked at at once. */
const setsMax = 1_000

/** Takes sets from the link, and sends attestations. It stores nothing: the hub asks again if a frame is lost. */
export class SetDesk {
  readonly #log: NodeParts['log']
  readonly #validator: Pick<Validator, 'attestSet'>
  readonly #answers: Batch
  #looking = 0

  /** @param send - Sends a frame, or loses it while there is no connection. */
  constructor(log: NodeParts['log'], validator: Pick<Validator, 'attestSet'>, send: (text: string) => void) {
    this.#log = log
    this.#validator = validator
    this.#answers = new Batch(frameSetsMax, collectMs, (texts) => send(writeBatch('attested', texts)))
  }

  attestAll({ sets }: AttestFrame): void {
    for (const set of sets) void this.#attest(set)
  }

  async #attest(set: SetToAttest): Promise<void> {
    const { project_id, epoch } = set
    const answer = (given: Pick<SetAnswer, 'attestation' | 'code'>) =>
      this.#answers.add(JSON.stringify({ project_id, epoch, ...given }))
    if (this.#looking >= setsMax) return answer({ code: 'unavailable' })
    this.#looking += 1
    try {
      // The same bytes as are hashed.
      const bytes = utf8(encodeCanonicalJson(set))
      answer({ attestation: await orFault(() => this.#validator.attestSet(bytes)) })
    } catch (error) {
      answer({ code: codeOf(error, this.#log, 'a set cannot be attested', { project_id, epoch }) })
    } finally {
      this.#looking -= 1
    }
  }
}

/** From when a version of a project has epochs of a length. */
export interface EpochLength {
  readonly version: number
  /** Null for the first version, which holds from the beginning. */
  readonly effectiveAt: number | null
  readonly epochSecs: number
}

/** The number and the length of an epoch. */
export interface TimedEpoch {
  readonly epoch: number
  readonly epochSecs: number
}

/** The lengths that the epochs of a project had, and have. */
export class EpochLengths {
  /** The newest version first. */
  readonly #lengths: readonly EpochLength[]

  /** @param lengths - Of versions that changed the consensus. */
  constructor(lengths: readonly EpochLength[]) {
    this.#lengths = lengths.toSorted((a, b) => b.version - a.version)
  }

  /** The epoch that a time lies in; null if no version holds. */
  at(time: number): TimedEpoch | null {
    const found = this.#lengths.find(({ effectiveAt }) => (effectiveAt ?? 0) <= time)
    return found ? { epoch: Math.floor(time / found.epochSecs), epochSecs: found.epochSecs } : null
  }

  /** The newest epoch with this number that has begun; null if no such epoch has. */
  numbered(epoch: number, now: number): TimedEpoch | null {
    for (const { epochSecs } of this.#lengths) {
      const startsAt = epoch * epochSecs
      if (startsAt <= now && this.at(startsAt)?.epochSecs === epochSecs) return { epoch, epochSecs }
    }
    return null
  }

  /** The epoch that ended when this one began; null if no version holds. */
  before({ epoch, epochSecs }: TimedEpoch): TimedEpoch | null {
    return this.at(epoch * epochSecs - 1)
  }
}

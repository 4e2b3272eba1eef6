/** How long a size that was refused counts as too large: limits change, and so does what a request asks for. */
const refusedMs = 10 * 60_000

export interface SizeLimits {
  first: number
  max: number
  /** The size to try after a full request of this one. */
  grown: (size: number) => number
}

/** How much one node takes in a request, calls or blocks, as far as its refusals say. */
export class RequestSize {
  readonly #limits: SizeLimits
  #most: number
  #refused = Number.POSITIVE_INFINITY
  #refusedAtMs = 0

  constructor(limits: SizeLimits) {
    this.#limits = limits
    this.#most = limits.first
  }

  /** As much may go into one request. */
  get most(): number {
    return this.#most
  }

  noteRefused(size: number): void {
    this.#refused = Math.min(this.#refused, size)
    this.#refusedAtMs = Date.now()
    this.#most = Math.max(1, Math.min(this.#most, size >> 1))
  }

  /** A full request that was taken makes the next one larger, as long as that size was not refused. */
  noteTaken(size: number): void {
    if (Date.now() - this.#refusedAtMs >= refusedMs) this.#refused = Number.POSITIVE_INFINITY
    const next = Math.min(this.#limits.max, this.#limits.grown(this.#most))
    if (size >= this.#most && next < this.#refused) this.#most = next
  }
}

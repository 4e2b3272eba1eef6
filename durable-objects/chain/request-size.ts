/** How long a size that was refused counts as too large: limits change, and so does what a request asks for. */
const refusedMs = 10 * 60_000

/** Stores the request sizes that nodes were found to take, for example in the storage of an object. */
export interface RpcMemory {
  get<T>(key: string): T | undefined
  put(key: string, value: unknown): void
}

interface Learned {
  most: number
  /** Null for none. */
  refused: number | null
  refusedAtMs: number
}

export interface SizeLimits {
  first: number
  max: number
  /** The size to try after a full request of this one. */
  grown: (size: number) => number
}

/** How much one node takes in a request, calls or blocks, as far as its refusals say. */
export class RequestSize {
  readonly #limits: SizeLimits
  readonly #note: (learned: Learned) => void
  #learned: Learned

  /** @param kept - Memory and key of the learned size, so that it is not learned again. */
  constructor(limits: SizeLimits, kept?: { memory: RpcMemory; key: string }) {
    this.#limits = limits
    this.#learned = kept?.memory.get<Learned>(kept.key) ?? {
      most: limits.first,
      refused: null,
      refusedAtMs: 0,
    }
    this.#note = (learned) => kept?.memory.put(kept.key, learned)
  }

  /** As much may go into one request. */
  get most(): number {
    return this.#learned.most
  }

  noteRefused(size: number): void {
    const { most, refused } = this.#learned
    this.#learn({
      most: Math.max(1, Math.min(most, size >> 1)),
      refused: Math.min(refused ?? size, size),
      refusedAtMs: Date.now(),
    })
  }

  /** A full request that was taken makes the next one larger, as long as that size was not refused. */
  noteTaken(size: number): void {
    const { most, refused, refusedAtMs } = this.#learned
    const next = Math.min(this.#limits.max, this.#limits.grown(most))
    const isRefused = refused !== null && next >= refused && isRecent(refusedAtMs)
    if (size >= most && next > most && !isRefused)
      this.#learn({ ...this.#learned, most: next, ...(!isRecent(refusedAtMs) && { refused: null }) })
  }

  #learn(learned: Learned): void {
    this.#learned = learned
    this.#note(learned)
  }
}

const isRecent = (atMs: number): boolean => Date.now() - atMs < refusedMs

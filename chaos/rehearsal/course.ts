import type { Figures } from '../harness/figures.ts'
import type { NetworkChain } from '../network/node-network.ts'

/** Controls the blocks, faults and reorganisations of a chain. */
export interface Course {
  /** Blocks come for as long as somebody waits for something on the chain. */
  readonly during: <T>(work: Promise<T>) => Promise<T>
  /** Returns once every provider has the newest block, and the hub has read it: until another comes, no time leaps. */
  readonly catchUp: () => Promise<void>
  /** From here on its providers fail now and then. */
  readonly begin: () => void
  /** Removes the last `depth` blocks with their transactions. */
  readonly reorganise: (depth: number) => Promise<void>
  /** Passes this many slots in which nobody does anything. */
  readonly rest: (slots: number) => Promise<void>
  readonly holdFinality: (holds: boolean) => void
  readonly figures: () => Figures
}

export type RehearsalChain = NetworkChain & Course

/** A chain of this machine makes blocks by itself, and does nothing to anybody. */
export const plainCourse: Course = {
  during: (work) => work,
  async catchUp() {},
  begin() {},
  async reorganise() {},
  async rest() {},
  holdFinality() {},
  figures: () => ({}),
}

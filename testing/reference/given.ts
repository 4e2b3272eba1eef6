import type { OwnValues } from '../../scripts/site/samples.ts'
import type { Stage } from './stage.ts'

/** The values that a reader has for a sample besides the hub: records of its own, credentials, a file. */
export interface Given extends OwnValues {
  /** Token of a session. */
  readonly token?: string
  /** Seed of the node that signs. */
  readonly key?: string
  /** Content of the file that the sample sends. */
  readonly file?: Uint8Array
  /** The error that answers it where it was done already, or a hub in use never does it. */
  readonly refused?: string
  /** The text that a sample prints before it is ended, if it would otherwise run for ever. */
  readonly prints?: string
}

export interface Shown {
  /** The body that the reference shows. */
  readonly example: unknown
  readonly exampleOf: (operationId: string) => unknown
  /** Which of the languages is run: 0 or 1. */
  readonly turn: number
}

/** The values for the samples, by operation, made for each run. */
export type Givens = Readonly<Record<string, (stage: Stage, shown: Shown) => Given | Promise<Given>>>

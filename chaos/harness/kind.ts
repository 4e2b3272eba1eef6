import type { Figures } from './figures.ts'

export interface KindEntry {
  /** The rule that a run checks, in one line. */
  readonly about: string
  /** The unit of the first argument. */
  readonly counted: 'scenarios' | 'points' | 'minutes' | 'epochs' | 'tasks' | 'links' | 'projects'
  /** The first argument when it is left out. */
  readonly count: number
  readonly example: string
  /** Options of this kind alone, with their defaults: whole numbers. */
  readonly options?: Readonly<Record<string, number>>
  readonly load: () => Promise<Kind>
}

export type Kind = ScenarioKind | LongKind

/** Many scenarios, one for each seed, on one network after the other. */
export interface ScenarioKind {
  /** Scenarios that run at once; together they are a turn. */
  readonly atOnce: number
  /** Scenarios of one network. Checks become slow on a network with a long history, so the next ones get a new network. */
  readonly perNetwork: number
  /** Networks at once, each in a process of its own. */
  readonly networksAtOnce: number
  readonly start: (options: NetworkOptions) => Promise<ScenarioNetwork>
}

export interface NetworkOptions {
  readonly seeds: readonly number[]
  readonly say: (text: string) => void
}

/** A network that runs scenarios, turn by turn. */
export interface ScenarioNetwork {
  /**
   * Runs one scenario for each seed at the same time, and compares the outcome with their plans.
   *
   * @param turn - From 0 on.
   * @returns The figures of the network so far.
   * @throws A `Difference` for the first thing that is not as planned.
   */
  readonly runTurn: (seeds: readonly number[], turn: number) => Promise<Figures>
  /** After the last turn: checks what can only be said of a network that is at its end. @returns All of its figures. */
  readonly finish: () => Promise<Figures>
  readonly stop: () => Promise<void>
}

export interface LongKind {
  readonly run: (options: LongRunOptions) => Promise<object>
}

export interface LongRunOptions {
  /** For logs and stored data; it is kept when there are differences. */
  readonly folder: string
  /** Minutes, epochs or tasks. */
  readonly length: number
  readonly seed: number
  readonly options: Readonly<Record<string, number>>
  readonly say: (text: string) => void
  /** Notes a difference. The run goes on, so that its end shows the consequences. */
  readonly problem: (text: string) => void
}

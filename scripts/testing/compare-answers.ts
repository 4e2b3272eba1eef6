/** What the tests of one run have seen. */
export interface SeenAnswers {
  /** Tests that did not run, and so have seen nothing. */
  readonly skipped: number
  /** The names of answers. */
  readonly seen: readonly string[]
}

export interface Comparison {
  /** Declared, not excused, and seen in no test. */
  unseen: string[]
  /** Excused without need: seen, or not declared. */
  needless: string[]
}

/** What of the answers that are declared no test has seen; `excused` has the reason of each that none can. */
export function compareAnswers(
  declared: readonly string[],
  seen: ReadonlySet<string>,
  excused: Readonly<Record<string, string>>,
): Comparison {
  return {
    unseen: declared.filter((name) => !seen.has(name) && !Object.hasOwn(excused, name)),
    needless: Object.keys(excused).filter((name) => seen.has(name) || !declared.includes(name)),
  }
}

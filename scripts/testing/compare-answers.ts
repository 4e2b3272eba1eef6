/** The answers that the tests of one run have seen. */
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

/** Finds declared answers that no test has seen; `excused` has the reason for each answer that no test can see. */
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

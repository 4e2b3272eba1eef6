import {
  charactersIn,
  isIntegerIn,
  isLineOf,
  isPlainTextOf,
  isTextOf,
  type Range,
  shownIn,
} from './bounds.ts'
import { joinPath } from './canonical-encoder.ts'
import { isObject } from './formats.ts'
import type { ProblemList } from './problem.ts'
import { briefWords, type ProblemWords } from './problem-words.ts'

/**
 * Checks the members of one object of a document and collects what is wrong. An object that is absent, or no object, has
 * been reported once; below it nothing is checked, so every method of its checker answers as for an absent member.
 */
export class MemberChecker {
  readonly #problems: ProblemList
  readonly #members: Record<string, unknown> | undefined
  readonly #path: string
  readonly #words: ProblemWords
  readonly #isComplete: boolean = false

  /**
   * Reports unknown and missing keys of the object.
   * @param problems The list that problems are added to; shared by all checkers of a document.
   * @param required Keys that may not be absent; all of them when left out.
   * @param words The wording of problems, also for the objects inside.
   */
  constructor(
    problems: ProblemList,
    members: Record<string, unknown> | undefined,
    path: string,
    keys: readonly string[],
    required: readonly string[] = keys,
    words: ProblemWords = briefWords,
  ) {
    this.#problems = problems
    this.#words = words
    this.#members = members
    this.#path = path
    if (members === undefined) return
    const unknown = Object.keys(members).filter((key) => !keys.includes(key))
    const missing = required.filter((key) => !this.has(key))
    for (const key of missing) this.report(key, 'missing', words.missing)
    for (const key of unknown) this.report(key, 'unknown_key', words.unknown(keys))
    this.#isComplete = unknown.length === 0 && missing.length === 0
  }

  /** Whether the member is there. */
  has(key: string): boolean {
    return (
      this.#members !== undefined && Object.hasOwn(this.#members, key) && this.#members[key] !== undefined
    )
  }

  /** Whether the object has exactly the keys that its checker was made for. */
  get isComplete(): boolean {
    return this.#isComplete
  }

  /** The member as it is, undefined when it is absent. */
  value(key: string): unknown {
    return this.has(key) ? this.#members?.[key] : undefined
  }

  /** Reports a problem at a member; null is the object itself. */
  report(key: string | null, code: string, message: string): void {
    this.#problems.add({ path: key === null ? this.#path : joinPath(this.#path, key), code, message })
  }

  /**
   * Checks a member, if it is present.
   * @param message The rule in words.
   * @returns The member when it keeps the rule, undefined when it is absent or breaks it.
   */
  check<Value>(
    key: string,
    keeps: (value: unknown) => value is Value,
    message: string,
    code?: string,
  ): Value | undefined
  check(key: string, keeps: (value: unknown) => boolean, message: string, code?: string): unknown
  check(key: string, keeps: (value: unknown) => boolean, message: string, code = 'invalid_value'): unknown {
    if (!this.has(key)) return undefined
    const value = this.value(key)
    if (keeps(value)) return value
    this.report(key, code, this.#words.wrong(value, message))
    return undefined
  }

  /** An integer in a range. @param note what the range follows from, after a comma. */
  integer(key: string, range: Range, note = ''): number | undefined {
    return this.check(key, isIntegerIn(range), `An integer from ${range.min} to ${range.max}${note}.`)
  }

  /** Several integers, each in the range that the table has for it. */
  integers(ranges: Readonly<Record<string, Range>>): void {
    for (const [key, range] of Object.entries(ranges)) this.integer(key, range)
  }

  /** A text whose length in characters is in a range. */
  text(key: string, range: Range): void {
    this.check(key, isTextOf(range), `A text of ${charactersIn(range)}.`)
  }

  /** A text that others read, of one line, which hides no characters. */
  line(key: string, range: Range): void {
    this.check(key, isLineOf(range), `A line of ${charactersIn(range)}, ${shownIn(range)}.`)
  }

  /** A text that others read, of one line or more, which hides no characters. */
  plainText(key: string, range: Range): void {
    this.check(key, isPlainTextOf(range), `A text of ${charactersIn(range)}, ${shownIn(range)}.`)
  }

  /** A member that has only one value so far. */
  constant(key: string, expected: string | number | null, code = 'invalid_value'): void {
    this.check(key, (value) => value === expected, `Exactly ${JSON.stringify(expected)}.`, code)
  }

  /** A list of at most `max` items; each that breaks its rule is reported at its own path. */
  list(key: string, max: number, keeps: (item: unknown) => boolean, message: string): void {
    for (const [i, item] of this.#items(key, max).entries())
      if (!keeps(item)) this.report(joinPath(key, i), 'invalid_value', this.#words.wrong(item, message))
  }

  /** A member that is an object with these keys. */
  object(key: string, keys: readonly string[], required: readonly string[] = keys): MemberChecker {
    const members = this.check(key, isObject, 'An object.')
    return new MemberChecker(this.#problems, members, joinPath(this.#path, key), keys, required, this.#words)
  }

  /** A list of at most `max` objects with these keys, each of which may be absent; a checker for each object. */
  objects(key: string, max: number, keys: readonly string[]): MemberChecker[] {
    return this.#items(key, max).map((item, i) => {
      const path = joinPath(key, i)
      if (!isObject(item)) this.report(path, 'invalid_value', this.#words.wrong(item, 'An object.'))
      const members = isObject(item) ? item : undefined
      return new MemberChecker(this.#problems, members, joinPath(this.#path, path), keys, [], this.#words)
    })
  }

  #items(key: string, max: number): readonly unknown[] {
    const isList = (value: unknown): value is unknown[] => Array.isArray(value) && value.length <= max
    return this.check(key, isList, `A list of at most ${max} items.`) ?? []
  }
}

import { isIntegerFrom } from './bounds.ts'
import { joinPath } from './canonical-encoder.ts'
import { isObject } from './formats.ts'
import type { Problem } from './problem.ts'

/**
 * Checks the members of one object of a document and collects what is wrong. An object that is absent, or no object, has
 * been reported once; below it nothing is checked, so every method of its checker answers as for an absent member.
 */
export class MemberChecker {
  readonly #problems: Problem[]
  readonly #members: Record<string, unknown> | undefined
  readonly #path: string
  readonly #isComplete: boolean = false

  /**
   * Reports unknown and missing keys of the object.
   * @param problems Where problems go; shared by all checkers of a document.
   * @param required Keys that may not be absent; all of them when left out.
   */
  constructor(
    problems: Problem[],
    members: Record<string, unknown> | undefined,
    path: string,
    keys: readonly string[],
    required: readonly string[] = keys,
  ) {
    this.#problems = problems
    this.#members = members
    this.#path = path
    if (members === undefined) return
    const before = problems.length
    for (const key of Object.keys(members))
      if (!keys.includes(key)) this.report(key, 'unknown_key', 'This member is not known here.')
    for (const key of required) if (!this.has(key)) this.report(key, 'missing', 'This member is required.')
    this.#isComplete = problems.length === before
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
    this.#problems.push({ path: key === null ? this.#path : joinPath(this.#path, key), code, message })
  }

  /**
   * Holds a present member against its rule.
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
    this.report(key, code, message)
    return undefined
  }

  /** An integer from `min` to `max`. */
  integer(key: string, min: number, max: number): number | undefined {
    return this.check(key, isIntegerFrom(min, max), `An integer from ${min} to ${max}.`)
  }

  /** A member that has only one value so far. */
  constant(key: string, expected: string | number | null, code = 'invalid_value'): void {
    this.check(key, (value) => value === expected, `Must be ${JSON.stringify(expected)}.`, code)
  }

  /** A member that is an object with these keys. */
  object(key: string, keys: readonly string[]): MemberChecker {
    const members = this.check(key, isObject, 'An object.')
    return new MemberChecker(this.#problems, members, joinPath(this.#path, key), keys)
  }
}

import { isObject } from '../../../../protocol/encoding/index.ts'
import { invalidAnswer } from './hub-error.ts'

type Rule<T> = (value: unknown) => value is T

/** Reads the members of an object of an answer. Members that it does not ask for are those of a newer hub. */
export class Members {
  readonly #value: Record<string, unknown>
  readonly #path: string

  /** @throws {@link HubError} for what is no object. */
  constructor(value: unknown, path = '') {
    if (!isObject(value)) throw invalidAnswer(`${path || 'an answer of the hub'} is no object`)
    this.#value = value
    this.#path = path
  }

  /** @throws {@link HubError} for a member that breaks its rule. */
  get<T>(key: string, keeps: Rule<T>, expected: string): T {
    const value = this.#value[key]
    if (keeps(value)) return value
    throw invalidAnswer(`the hub answered without ${this.#pathOf(key)}, which is ${expected}`)
  }

  /** The same, null where the member is null or absent. */
  optional<T>(key: string, keeps: Rule<T>, expected: string): T | null {
    return (this.#value[key] ?? null) === null ? null : this.get(key, keeps, expected)
  }

  text(key: string): string {
    return this.get(key, isText, 'a text')
  }

  object(key: string): Members {
    return new Members(this.#value[key], this.#pathOf(key))
  }

  /** Where the next page of a list begins; null after the last one. */
  cursor(): string | null {
    return this.optional('next_cursor', isText, 'a cursor')
  }

  /** The items of a list, each an object. */
  objects(key: string, itemsMax: number): Members[] {
    const isList = (value: unknown): value is unknown[] => Array.isArray(value) && value.length <= itemsMax
    const items = this.get(key, isList, `a list of at most ${itemsMax} items`)
    return items.map((item, index) => new Members(item, `${this.#pathOf(key)}.${index}`))
  }

  #pathOf(key: string): string {
    return this.#path === '' ? key : `${this.#path}.${key}`
  }
}

const isText = (value: unknown): value is string => typeof value === 'string'

/** A rule for one of several texts. */
export const oneOf =
  <const T extends string>(words: readonly T[]): Rule<T> =>
  (value): value is T =>
    (words as readonly unknown[]).includes(value)

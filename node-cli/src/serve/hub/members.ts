import { isObject } from '../../../../protocol/encoding/index.ts'
import type { AnswerReader } from './hub-client.ts'
import { invalidAnswer } from './hub-error.ts'

type Rule<T> = (value: unknown) => value is T

/** Reads the members of an object of an answer. Members that it does not ask for are those of a newer hub. */
export class Members {
  readonly #value: Record<string, unknown>
  readonly #path: string

  constructor(value: unknown, path = '') {
    if (!isObject(value)) throw invalidAnswer(`${path || 'an answer of the hub'} is not an object`)
    this.#value = value
    this.#path = path
  }

  /** @throws {@link HubError} for a member that breaks its rule. */
  get<T>(key: string, keeps: Rule<T>, expected: string): T {
    const value = this.#value[key]
    if (keeps(value)) return value
    throw invalidAnswer(`the hub answered without ${this.#pathOf(key)}, which must be ${expected}`)
  }

  /** The same, null if the member is null or absent. */
  optional<T>(key: string, keeps: Rule<T>, expected: string): T | null {
    return (this.#value[key] ?? null) === null ? null : this.get(key, keeps, expected)
  }

  /** False if the member is absent, as at hubs of an older version. */
  isTrue(key: string): boolean {
    return this.#value[key] === true
  }

  text(key: string): string {
    return this.get(key, isText, 'a text')
  }

  object(key: string): Members {
    return new Members(this.#value[key], this.#pathOf(key))
  }

  /** The cursor of the next page of a list; null after the last one. */
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

/**
 * The items of a list, page by page, until nobody asks for more.
 *
 * @param target Path, with `?` where there are parameters.
 * @param ask Gets the JSON of a target, and gives what its reader makes of it.
 */
export async function* readPages<T>(
  target: string,
  { itemsMax, pagesMax }: { itemsMax: number; pagesMax: number },
  readItem: (item: Members) => T,
  ask: (target: string, read: AnswerReader<Page<T>>) => Promise<Page<T>>,
): AsyncGenerator<readonly T[]> {
  const first = `${target}${target.includes('?') ? '&' : '?'}limit=${itemsMax}`
  let cursor: string | null = null
  for (let page = 0; page < pagesMax; page++) {
    const after: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const { items, next }: Page<T> = await ask(first + after, (answer) => {
      const members = new Members(answer)
      return { items: members.objects('items', itemsMax).map(readItem), next: members.cursor() }
    })
    yield items
    if (next === null) return
    cursor = next
  }
}

interface Page<T> {
  readonly items: readonly T[]
  readonly next: string | null
}

const isText = (value: unknown): value is string => typeof value === 'string'

export const oneOf =
  <const T extends string>(words: readonly T[]): Rule<T> =>
  (value): value is T =>
    (words as readonly unknown[]).includes(value)

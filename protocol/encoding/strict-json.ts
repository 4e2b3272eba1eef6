import {
  CanonicalJsonError,
  dottedPath,
  type JsonObject,
  type JsonValue,
  type PathPart,
  type ReaderErrorCode,
} from './canonical-encoder.ts'

/** A value that is readable JSON but has no canonical form. */
export interface UnencodableValue {
  readonly code: 'float' | 'unsafe_integer' | 'invalid_string'
  readonly path: string
}

/** Options of {@link parseStrictJson}. */
export interface StrictJsonOptions {
  /**
   * Most values in the document, containers included; any number when left out. A value takes some twenty times the
   * memory of its shortest text, so callers that read untrusted documents of many megabytes set it.
   */
  readonly maxValues?: number
  /**
   * Called for every value without canonical form, with the JavaScript value it is read as and the steps to it, which are
   * good during the call; reading then goes on. Submitted manifests need it, because there such values are problems beside
   * the others. Left out, the first one is thrown.
   */
  readonly onUnencodable?: (
    code: UnencodableValue['code'],
    readAs: number | string,
    path: readonly PathPart[],
  ) => void
}

/**
 * Reads a signed JSON document strictly: standard grammar, no duplicate keys, no number or string that canonical JSON
 * cannot carry. Keys keep the order of the text. `__proto__` is an ordinary key.
 *
 * Runs of ordinary characters are found by one regular expression and copied whole, so a document that is mostly one
 * string of many megabytes costs about as much as a search through it.
 *
 * @param input Text, or UTF-8 bytes; a byte order mark is refused in both.
 * @throws {@link CanonicalJsonError} with one of {@link ReaderErrorCode} and the dotted path, and nothing else.
 */
export function parseStrictJson(input: string | Uint8Array, options: StrictJsonOptions = {}): JsonValue {
  const text = typeof input === 'string' ? input : decodeUtf8(input)
  return readWritten(text, options) ?? new Reader(text, options).document()
}

/** Texts are read by the runtime up to this length: it makes all values of a text before they can be counted. */
const readByRuntimeMax = 524_288

/**
 * Reads a text that is as the runtime writes its value, as most are, several times as fast. Such a text has no key twice, no blanks and
 * one spelling of each number and text, so little is left to be checked.
 * @returns null also where it is for the reader to say what is wrong.
 */
function readWritten(text: string, { maxValues = Number.POSITIVE_INFINITY }: StrictJsonOptions): JsonValue {
  if (text.length > readByRuntimeMax) return null
  try {
    const value = JSON.parse(text) as JsonValue
    return countEncodable(value, 0) <= maxValues && JSON.stringify(value) === text ? value : null
  } catch {
    return null
  }
}

/** How many values there are; no number where one of them has no canonical form, or lies too deep. */
function countEncodable(value: JsonValue, depth: number): number {
  switch (typeof value) {
    case 'string':
      return value.isWellFormed() ? 1 : Number.NaN
    case 'number':
      return Number.isSafeInteger(value) ? 1 : Number.NaN
    case 'object': {
      if (value === null) return 1
      if (depth === depthMax) return Number.NaN
      let values = 1
      if (Array.isArray(value)) for (const item of value) values += countEncodable(item, depth + 1)
      else
        for (const key of Object.keys(value))
          values += key.isWellFormed() ? countEncodable((value as JsonObject)[key]!, depth + 1) : Number.NaN
      return values
    }
  }
  return 1
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    // ignoreBOM keeps the mark in the text, where the grammar refuses it.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new CanonicalJsonError('invalid_json', '')
  }
}

const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

/** Deepest nesting of arrays and objects. */
const depthMax = 64

class Reader {
  readonly #text: string
  #valuesLeft: number
  readonly #onUnencodable: StrictJsonOptions['onUnencodable']
  readonly #path: PathPart[] = []
  #position = 0

  constructor(text: string, options: StrictJsonOptions) {
    this.#text = text
    this.#valuesLeft = options.maxValues ?? Number.POSITIVE_INFINITY
    this.#onUnencodable = options.onUnencodable
  }

  document(): JsonValue {
    const value = this.#value(0)
    this.#skipBlanks()
    if (this.#position < this.#text.length) this.#fail('invalid_json')
    return value
  }

  #value(depth: number): JsonValue {
    this.#valuesLeft -= 1
    if (this.#valuesLeft < 0) this.#fail('too_many_values')
    this.#skipBlanks()
    switch (this.#text[this.#position]) {
      case '{':
        return this.#object(depth + 1)
      case '[':
        return this.#array(depth + 1)
      case '"': {
        const text = this.#string()
        this.#requireWellFormed(text)
        return text
      }
      case 't':
        return this.#word('true', true)
      case 'f':
        return this.#word('false', false)
      case 'n':
        return this.#word('null', null)
      default:
        return this.#number()
    }
  }

  #object(depth: number): JsonObject {
    if (depth > depthMax) this.#fail('invalid_json')
    const object: Record<string, JsonValue> = {}
    this.#position++
    this.#skipBlanks()
    if (this.#take('}')) return object
    for (;;) {
      this.#skipBlanks()
      if (this.#text[this.#position] !== '"') this.#fail('invalid_json')
      const key = this.#string()
      this.#path.push(key)
      this.#requireWellFormed(key)
      if (Object.hasOwn(object, key)) this.#fail('duplicate_key')
      this.#skipBlanks()
      if (!this.#take(':')) this.#fail('invalid_json')
      const value = this.#value(depth)
      // Plain assignment to __proto__ would set the prototype and lose the member.
      if (key === '__proto__')
        Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
      else object[key] = value
      this.#path.pop()
      this.#skipBlanks()
      if (this.#take('}')) return object
      if (!this.#take(',')) this.#fail('invalid_json')
    }
  }

  #array(depth: number): readonly JsonValue[] {
    if (depth > depthMax) this.#fail('invalid_json')
    const array: JsonValue[] = []
    this.#position++
    this.#skipBlanks()
    if (this.#take(']')) return array
    for (;;) {
      this.#path.push(array.length)
      array.push(this.#value(depth))
      this.#path.pop()
      this.#skipBlanks()
      if (this.#take(']')) return array
      if (!this.#take(',')) this.#fail('invalid_json')
    }
  }

  #string(): string {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters a string may not hold raw.
    const stop = /["\\\u0000-\u001f]/g
    let text = ''
    this.#position++
    for (;;) {
      stop.lastIndex = this.#position
      if (!stop.test(this.#text)) this.#fail('invalid_json')
      const end = stop.lastIndex - 1
      text += this.#text.slice(this.#position, end)
      this.#position = end + 1
      if (this.#text[end] === '"') return text
      if (this.#text[end] !== '\\') this.#fail('invalid_json')
      text += this.#escape()
    }
  }

  #escape(): string {
    const letter = this.#text[this.#position] ?? ''
    if (letter === 'u') {
      const unit = this.#text.slice(this.#position + 1, this.#position + 5)
      if (!/^[0-9a-fA-F]{4}$/.test(unit)) this.#fail('invalid_json')
      this.#position += 5
      return String.fromCharCode(Number.parseInt(unit, 16))
    }
    if (!Object.hasOwn(escapes, letter)) this.#fail('invalid_json')
    this.#position++
    return escapes[letter]!
  }

  #number(): number {
    const grammar = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y
    grammar.lastIndex = this.#position
    const match = grammar.exec(this.#text)
    if (match === null) return this.#fail('invalid_json')
    this.#position = grammar.lastIndex
    // The next character tells a malformed number (01, 1., 1e) from a well-formed one that has no canonical form.
    if (/[0-9.eE+-]/.test(this.#text[this.#position] ?? '')) this.#fail('invalid_json')
    const value = Number(match[0])
    if (match[1] !== undefined || match[2] !== undefined || Object.is(value, -0))
      this.#unencodable('float', value)
    else if (!Number.isSafeInteger(value)) this.#unencodable('unsafe_integer', value)
    return value
  }

  #word<Value extends JsonValue>(word: string, value: Value): Value {
    if (!this.#text.startsWith(word, this.#position)) this.#fail('invalid_json')
    this.#position += word.length
    return value
  }

  #requireWellFormed(text: string): void {
    if (!text.isWellFormed()) this.#unencodable('invalid_string', text)
  }

  #skipBlanks(): void {
    for (;;) {
      const unit = this.#text.charCodeAt(this.#position)
      if (unit !== 0x20 && unit !== 0x09 && unit !== 0x0a && unit !== 0x0d) return
      this.#position++
    }
  }

  #take(character: string): boolean {
    if (this.#text[this.#position] !== character) return false
    this.#position++
    return true
  }

  #unencodable(code: UnencodableValue['code'], readAs: number | string): void {
    if (this.#onUnencodable === undefined) this.#fail(code)
    else this.#onUnencodable(code, readAs, this.#path)
  }

  #fail(code: ReaderErrorCode): never {
    throw new CanonicalJsonError(code, dottedPath(this.#path))
  }
}

import { base64ToBytes } from '../../protocol/encoding/index.ts'
import { GrowingBytes } from './growing-bytes.ts'

/** An escape of JSON that may stand for a character of base64; encoders write `/` and `+` that way. */
const escapes = /\\(?:u([0-9a-fA-F]{4})|\/)/g
const brokenEscape = /\\(?:u[0-9a-fA-F]{0,3})?$/

/** Decodes base64 inside a JSON string piece by piece, in its one spelling: the standard alphabet with padding. */
export class Base64Decoder {
  readonly #bytes: GrowingBytes
  #escape = ''
  #group = ''
  #isPadded = false
  #isBroken = false

  /** @param expected How many bytes there are at most. */
  constructor(expected: number) {
    this.#bytes = new GrowingBytes(expected)
  }

  get length(): number {
    return this.#bytes.length
  }

  write(piece: string): void {
    if (this.#isBroken || piece === '') return
    const given = this.#escape + piece
    this.#escape = brokenEscape.exec(given)?.[0] ?? ''
    const text = this.#group + unescaped(given.slice(0, given.length - this.#escape.length))
    const whole = text.length - (text.length % 4)
    this.#group = text.slice(whole)
    if (text === '') return
    const bytes = this.#isPadded ? null : base64ToBytes(text.slice(0, whole))
    this.#isPadded = whole > 0 && text[whole - 1] === '='
    if (bytes === null) this.#isBroken = true
    else this.#bytes.append(bytes)
  }

  end(): Uint8Array | null {
    return this.#isBroken || this.#group !== '' || this.#escape !== '' ? null : this.#bytes.bytes()
  }
}

const unescaped = (text: string): string =>
  text.includes('\\')
    ? text.replace(escapes, (_, unit?: string) =>
        unit === undefined ? '/' : String.fromCharCode(Number.parseInt(unit, 16)),
      )
    : text

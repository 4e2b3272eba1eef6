import { Buffer } from 'node:buffer'
import { sha256 } from '@noble/hashes/sha2'
import type { HubContext } from '../context.ts'
import { ApiError } from '../errors.ts'
import { Base64Decoder } from './base64-decoder.ts'
import { bodyChunks, declaredLength } from './body.ts'

/** The largest rest of a body, beside the long member. */
const restBytesMax = 64 * 1024

interface Limits {
  /** The longest body. */
  bodyBytesMax: number
  /** The most bytes that the member decodes to. */
  bytesMax: number
}

/**
 * Reads a JSON object with one long member in base64, decoded while it arrives: neither body nor text is ever held whole.
 * @returns `json`, the body with an empty string for the member; `bytes`, null for no base64, undefined if no string is there.
 * @throws {@link ApiError} 413 `too_large`, 400 `bad_request` for a body that breaks off.
 */
export async function readBase64Body(
  c: HubContext,
  member: string,
  { bodyBytesMax, bytesMax }: Limits,
): Promise<{ json: Uint8Array; bytes: Uint8Array | null | undefined }> {
  const length = Math.min(declaredLength(c) ?? bodyBytesMax, bodyBytesMax)
  const reader = new MemberReader(member, new Base64Decoder(Math.min(bytesMax, Math.ceil((length / 4) * 3))))
  // The body is not kept, so it is hashed here: the hash tells a request from another with the same Idempotency-Key.
  const hash = c.req.header('idempotency-key') === undefined ? null : sha256.create()
  for await (const chunk of bodyChunks(c, bodyBytesMax)) {
    hash?.update(chunk)
    reader.read(chunk)
    if (reader.decodedLength > bytesMax)
      throw new ApiError('too_large', `The content of ${member} is larger than ${bytesMax} bytes.`)
    if (reader.restLength > restBytesMax)
      throw new ApiError('too_large', `The body holds more than ${restBytesMax} bytes beside ${member}.`)
  }
  if (hash !== null) c.var.bodyHash = hash.digest()
  return reader.end()
}

const quote = 0x22
const backslash = 0x5c

/** Takes one member's string out of the outermost object of a JSON text. It knows strings and depth alone: the rest is parsed after it. */
class MemberReader {
  readonly #member: string
  readonly #decoder: Base64Decoder
  readonly #rest: Uint8Array[] = []
  #restLength = 0
  #wasFound = false
  #state: 'outside' | 'string' | 'member' = 'outside'
  #isEscaped = false
  #depth = 0
  /** The last string outside the member, as it is written; the beginning of a long one. */
  #string = ''
  #isNext = false

  constructor(member: string, decoder: Base64Decoder) {
    this.#member = member
    this.#decoder = decoder
  }

  get decodedLength(): number {
    return this.#decoder.length
  }

  get restLength(): number {
    return this.#restLength
  }

  read(chunk: Uint8Array): void {
    let from = 0
    for (let at = 0; at < chunk.length; at++) {
      if (this.#state === 'member') {
        const end = chunk.indexOf(quote, at)
        const piece = chunk.subarray(at, end === -1 ? chunk.length : end)
        this.#decoder.write(Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString('latin1'))
        from = at = end === -1 ? chunk.length : end
        if (end !== -1) this.#state = 'outside'
      } else if (this.#step(chunk[at]!)) this.#keep(chunk.subarray(from, at + 1))
    }
    if (from < chunk.length && this.#state !== 'member') this.#keep(chunk.subarray(from))
  }

  end(): { json: Uint8Array; bytes: Uint8Array | null | undefined } {
    const json = Buffer.concat(this.#rest, this.#restLength)
    return { json, bytes: this.#wasFound ? this.#decoder.end() : undefined }
  }

  /** @returns Whether the member's string begins after this byte. */
  #step(byte: number): boolean {
    if (this.#state === 'string') {
      if (!this.#isEscaped && byte === quote) this.#state = 'outside'
      else if (this.#string.length <= this.#member.length) this.#string += String.fromCharCode(byte)
      this.#isEscaped = !this.#isEscaped && byte === backslash
      return false
    }
    const isNext = this.#isNext
    switch (String.fromCharCode(byte)) {
      case ' ':
      case '\t':
      case '\n':
      case '\r':
        return false
      case '"':
        this.#isNext = false
        this.#string = ''
        this.#state = isNext ? 'member' : 'string'
        this.#wasFound ||= isNext
        return isNext
      case '{':
      case '[':
        this.#depth += 1
        break
      case '}':
      case ']':
        this.#depth -= 1
        break
    }
    this.#isNext = byte === 0x3a && this.#depth === 1 && this.#string === this.#member
    return false
  }

  #keep(bytes: Uint8Array): void {
    this.#rest.push(bytes.slice())
    this.#restLength += bytes.length
  }
}

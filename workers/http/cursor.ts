import { createHmac } from 'node:crypto'
import { invalidField } from '../errors.ts'
import { base64UrlToBytes, bytesToBase64Url } from './base64.ts'

const macBytes = 16
const utf8 = new TextEncoder()

/** Opaque positions in a list: a sort key and a MAC over it, the list and its filters, so that an altered or foreign one is refused. */
export class CursorCodec {
  readonly #key: Uint8Array

  constructor(secret: string) {
    this.#key = createHmac('sha256', secret).update('list cursors').digest()
  }

  encode(list: string, position: readonly (string | number)[]): string {
    const payload = utf8.encode(JSON.stringify(position))
    const cursor = new Uint8Array(macBytes + payload.length)
    cursor.set(this.#mac(list, payload))
    cursor.set(payload, macBytes)
    return bytesToBase64Url(cursor)
  }

  /**
   * @param list - Or several, of which it is for one. @param field - That brings it.
   * @throws {@link ApiError} 400 `invalid_field` for anything this hub did not issue for this list.
   */
  decode(list: string | readonly string[], cursor: string, field = 'cursor'): (string | number)[] {
    const bytes = base64UrlToBytes(cursor) ?? new Uint8Array()
    const payload = bytes.subarray(macBytes)
    const isOf = (one: string): boolean => equal(bytes.subarray(0, macBytes), this.#mac(one, payload))
    if (payload.length === 0 || ![list].flat().some(isOf))
      throw invalidField(
        field,
        'was not issued by this hub for this list and these filters; start without one',
      )
    return JSON.parse(new TextDecoder().decode(payload))
  }

  #mac(list: string, payload: Uint8Array): Uint8Array {
    return createHmac('sha256', this.#key).update(`${list}\n`).update(payload).digest().subarray(0, macBytes)
  }
}

const equal = (a: Uint8Array, b: Uint8Array): boolean => {
  let difference = a.length ^ b.length
  for (let i = 0; i < a.length; i++) difference |= (a[i] ?? 0) ^ (b[i] ?? 0)
  return difference === 0
}

import { hmac } from '@noble/hashes/hmac'
import { sha256 } from '@noble/hashes/sha2'
import { bytesToBase64Url } from '../http/base64.ts'
import { alphanumericsOf, randomSecret } from './random.ts'

const utf8 = new TextEncoder()

/** The operation that a request asks for: the same for every try with one `Idempotency-Key`, a new one for each request without. */
export interface Operation {
  /** Secret: what the operation makes is derived from it. It goes when the key is forgotten. */
  readonly id: string
  /** Whether an earlier try may have done it, without saying so. */
  readonly isRetry: boolean
  /** The `Location` of its first answer, if that was too long to be kept: the handler makes it again. */
  readonly location?: string | undefined
}

export const newOperation = (): Operation => ({ id: randomSecret(), isRetry: false })

/**
 * Ids and secrets of what an operation makes: as good as random, and the same at every try, so that a unique index has the thing made once.
 * They take the deployment's secret as well as the operation's id.
 */
export class DerivedValues {
  readonly #key: Uint8Array

  constructor(secret: string) {
    this.#key = hmac(sha256, utf8.encode(secret), utf8.encode('operations'))
  }

  /** Characters of `[A-Za-z0-9]`; each purpose has others. */
  alphanumerics(operation: Operation, purpose: string, length: number): string {
    return alphanumericsOf(this.#bytes(operation, purpose), length)
  }

  /** 32 bytes as 43 base64url characters. */
  secret(operation: Operation, purpose: string): string {
    return bytesToBase64Url(this.#bytes(operation, purpose))
  }

  #bytes({ id }: Operation, purpose: string): Uint8Array {
    return hmac(sha256, this.#key, utf8.encode(`${purpose}\n${id}`))
  }
}

import { CanonicalJsonError, FormatError, type JsonValue } from '../../../protocol/encoding/index.ts'
import { encodeTaskInput, hashPayload } from '../../../protocol/execution/index.ts'
import { inputBytesMax } from '../../../protocol/wasm/run-limits.ts'
import { ApiError, invalidField } from '../../errors.ts'
import { bytesToBase64 } from '../../http/base64.ts'
import { inlineBytesMax } from '../../rounds/run-result.ts'

export interface GivenInput {
  bytes: Uint8Array
  hash: string
}

/** The bytes of a request's input. @throws {@link ApiError} 400 `invalid_field`; 413 `too_large` above 1 MiB. */
export function readInput({
  input,
  input_b64,
}: {
  input?: unknown
  input_b64?: string | undefined
}): GivenInput {
  if ((input === undefined) === (input_b64 === undefined))
    throw invalidField('input', 'or input_b64 is required: exactly one of the two', 'missing')
  // Base64 is a third longer than the bytes that it encodes.
  if (input_b64 !== undefined && (input_b64.length / 4) * 3 > inputBytesMax + 2) throw tooLarge()
  try {
    const bytes = encodeTaskInput({
      ...(input !== undefined && { input: input as JsonValue }),
      ...(input_b64 !== undefined && { input_b64 }),
    })
    return { bytes, hash: hashPayload(bytes) }
  } catch (error) {
    if (error instanceof FormatError)
      throw /at most/.test(error.message) ? tooLarge() : invalidField(error.field, error.message)
    if (error instanceof CanonicalJsonError) throw invalidField('input', error.message)
    throw error
  }
}

const tooLarge = (): ApiError => new ApiError('too_large', `The input is larger than ${inputBytesMax} bytes.`)

/** Base64 of an input that is small enough for a row; null for one that is a file under its hash. */
export const inlineInput = ({ bytes }: GivenInput): string | null =>
  bytes.length <= inlineBytesMax ? bytesToBase64(bytes) : null

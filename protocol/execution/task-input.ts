import { base64ToBytes, encodeCanonicalJson, FormatError, type JsonValue, utf8 } from '../encoding/index.ts'
import { inputBytesMax } from '../wasm/run-limits.ts'

/** The input of a task as a request gives it: one of the two members, or none for empty input. */
export interface TaskInput {
  /** A text is taken byte for byte, any other JSON value as its canonical text. */
  readonly input?: JsonValue
  /** Binary input, in base64 with padding. */
  readonly input_b64?: string
}

/**
 * The bytes that a module is given.
 * @throws {@link FormatError} for both members at once, for a text that is not base64, and for more than 1 MiB;
 * {@link CanonicalJsonError} for a value without canonical form.
 */
export function encodeTaskInput({ input, input_b64 }: TaskInput): Uint8Array {
  if (input !== undefined && input_b64 !== undefined)
    throw new FormatError('input_b64', 'left out when there is input')
  const bytes = input_b64 === undefined ? encodeInput(input) : base64ToBytes(input_b64)
  if (bytes === null) throw new FormatError('input_b64', 'base64 with padding')
  if (bytes.length > inputBytesMax)
    throw new FormatError(input_b64 === undefined ? 'input' : 'input_b64', `at most ${inputBytesMax} bytes`)
  return bytes
}

function encodeInput(input: JsonValue | undefined): Uint8Array {
  if (input === undefined) return new Uint8Array(0)
  if (typeof input !== 'string') return utf8(encodeCanonicalJson(input))
  if (!input.isWellFormed()) throw new FormatError('input', 'a text without lone surrogates')
  return utf8(input)
}

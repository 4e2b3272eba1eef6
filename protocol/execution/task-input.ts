import { encodeCanonicalJson, FormatError, type JsonValue, utf8 } from '../encoding/index.ts'

/** Largest input of a task, in bytes. */
export const taskInputBytesMax = 1_048_576

/** The input of a task as a request gives it: one of the two members, or none for empty input. */
export interface TaskInput {
  /** A text is taken byte for byte, any other JSON value as its canonical text. */
  readonly input?: JsonValue
  /** Bytes that are no text, in base64 with padding. */
  readonly input_b64?: string
}

/**
 * The bytes that a module is given.
 * @throws {@link FormatError} for both members at once, for what is not base64, and for more than 1 MiB;
 * {@link CanonicalJsonError} for a value without canonical form.
 */
export function encodeTaskInput({ input, input_b64 }: TaskInput): Uint8Array {
  if (input !== undefined && input_b64 !== undefined)
    throw new FormatError('input_b64', 'left out when there is input')
  const bytes = input_b64 === undefined ? encodeInput(input) : decodeBase64(input_b64)
  if (bytes.length > taskInputBytesMax)
    throw new FormatError(
      input_b64 === undefined ? 'input' : 'input_b64',
      `at most ${taskInputBytesMax} bytes`,
    )
  return bytes
}

function encodeInput(input: JsonValue | undefined): Uint8Array {
  if (input === undefined) return new Uint8Array(0)
  if (typeof input !== 'string') return utf8(encodeCanonicalJson(input))
  if (!input.isWellFormed()) throw new FormatError('input', 'a text without lone surrogates')
  return utf8(input)
}

/** Strict: padded, without blanks, and without bits that the bytes do not have, so that one input has one spelling. */
function decodeBase64(text: string): Uint8Array {
  const expected = 'base64 with padding'
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text))
    throw new FormatError('input_b64', expected)
  const binary = atob(text)
  if (btoa(binary) !== text) throw new FormatError('input_b64', expected)
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}

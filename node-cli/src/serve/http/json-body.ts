import {
  CanonicalJsonError,
  isObject,
  type JsonObject,
  MemberChecker,
  ProblemList,
  parseStrictJson,
} from '../../../../protocol/encoding/index.ts'
import { ApiError, invalidFields } from './api-error.ts'

/** A value takes far more memory and time than its text; no call but those that say so needs as many. */
export const jsonValuesMax = 10_000

/**
 * Reads the body as one strict JSON object. @throws {@link ApiError} 400 `bad_request`.
 *
 * @param valuesMax Most values in the body, lists and objects included.
 */
export function parseJsonObject(body: Uint8Array, valuesMax = jsonValuesMax): JsonObject {
  if (body.length === 0) throw new ApiError('bad_request', 'The body is missing; send a JSON object.')
  try {
    const value = parseStrictJson(body, { maxValues: valuesMax })
    if (isObject(value)) return value as JsonObject
  } catch (error) {
    if (!(error instanceof CanonicalJsonError)) throw error
    const { code, path, reason } = error
    const what =
      code === 'too_many_values'
        ? `The body holds more than ${valuesMax} values. Send fewer.`
        : `The body is not acceptable JSON: ${path === '' ? '' : `${path}: `}${reason}.`
    throw new ApiError('bad_request', what, { details: { reason: code, path } })
  }
  throw new ApiError('bad_request', 'The body must be a JSON object.')
}

/**
 * Checks the members of a body, and reports all problems at once.
 *
 * @param keys Members it may have; any other is refused.
 * @param required Those it must have.
 * @throws {@link ApiError} 400 `invalid_field`.
 */
export function checkMembers(
  body: JsonObject,
  keys: readonly string[],
  required: readonly string[],
  check: (members: MemberChecker) => void,
): void {
  const problems = new ProblemList()
  check(new MemberChecker(problems, body, '', keys, required))
  if (!problems.isEmpty) throw invalidFields(problems.found())
}

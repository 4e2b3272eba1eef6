import type * as z from 'zod'
import { joinPath, type Problem } from '../../protocol/encoding/index.ts'
import { invalidFields, problemsMax } from '../errors.ts'
import { choiceOf, problemText, shownPath } from './problem-text.ts'

const keyLengthMax = 64

/** Parses with every problem reported at once. @throws {@link ApiError} 400 `invalid_field`. */
export function validate<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value, { error: problemText })
  if (result.success) return result.data
  throw invalidFields(result.error.issues.flatMap((issue) => problems(issue, value)))
}

/** Passes a value in which a check of the protocol found nothing. @throws {@link ApiError} 400 `invalid_field`. */
export function refuseProblems(found: readonly Problem[]): void {
  if (found.length > 0) throw invalidFields(found.map((one) => ({ ...one, path: shownPath(one.path) })))
}

const problems = (issue: z.core.$ZodIssue, value: unknown): Problem[] => {
  const path = dotted(issue.path)
  if (issue.code === 'unrecognized_keys')
    return issue.keys.slice(0, problemsMax).map((key) => ({
      path: joinPath(path, key.slice(0, keyLengthMax)),
      code: 'unknown_key',
      message: 'is not a known field; remove it',
    }))
  if (isAboutPresence(issue) && at(value, issue.path) === undefined)
    return [{ path, code: 'missing', message: `is required (${expectation(issue)})` }]
  return [{ path, code: 'invalid_value', message: issue.message }]
}

type PresenceIssue = z.core.$ZodIssueInvalidType | z.core.$ZodIssueInvalidValue

const isAboutPresence = (issue: z.core.$ZodIssue): issue is PresenceIssue =>
  issue.code === 'invalid_type' || issue.code === 'invalid_value'

const expectation = (issue: PresenceIssue): string =>
  issue.code === 'invalid_type' ? issue.expected : choiceOf(issue.values)

const dotted = (path: readonly PropertyKey[]): string =>
  path.reduce<string>((joined, part) => joinPath(joined, typeof part === 'number' ? part : String(part)), '')

const at = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((inner, part) => (inner as Record<PropertyKey, unknown> | undefined)?.[part], value)

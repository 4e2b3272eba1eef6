import type * as z from 'zod'
import { dottedPath, joinPath, type Problem, problemsMax } from '../../protocol/encoding/index.ts'
import { invalidFields } from '../errors.ts'
import { choiceOf, problemText } from './problem-text.ts'

/** Parses with every problem reported at once. @throws {@link ApiError} 400 `invalid_field`. */
export function validate<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value, { error: problemText })
  if (result.success) return result.data
  const issues = result.error.issues.slice(0, problemsMax)
  throw invalidFields(issues.flatMap((issue) => problems(issue, value)))
}

/** Passes a value in which a check of the protocol found nothing. @throws {@link ApiError} 400 `invalid_field`. */
export function refuseProblems(found: readonly Problem[]): void {
  if (found.length > 0) throw invalidFields(found)
}

const problems = (issue: z.core.$ZodIssue, value: unknown): Problem[] => {
  const path = dotted(issue.path)
  if (issue.code === 'unrecognized_keys')
    return issue.keys.slice(0, problemsMax).map((key) => ({
      path: joinPath(path, key),
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
  dottedPath(path.map((part) => (typeof part === 'number' ? part : String(part))))

const at = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((inner, part) => (inner as Record<PropertyKey, unknown> | undefined)?.[part], value)

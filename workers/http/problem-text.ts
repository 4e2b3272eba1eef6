import type * as z from 'zod'

/** The problem of a value, as a sentence about its field; undefined if only the schema can describe it. */
export function problemText(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${typeNames[issue.expected] ?? issue.expected}`
    case 'invalid_value':
      return `must be ${choiceOf(issue.values)}`
    case 'too_small':
      return `must ${bound('least', issue.origin, Number(issue.minimum), issue.inclusive)}`
    case 'too_big':
      return `must ${bound('most', issue.origin, Number(issue.maximum), issue.inclusive)}`
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`
    case 'invalid_format':
      return issue.pattern === undefined
        ? `must be a valid ${issue.format}`
        : `must match the pattern ${issue.pattern}`
    // The problem of the key itself, which is all there is to say of its member.
    case 'invalid_key':
      return issue.issues[0]?.message
    case 'invalid_union':
      return 'matches none of the allowed forms'
    default:
      return undefined
  }
}

/** The values that are allowed, in words. */
export const choiceOf = (values: readonly z.core.util.Primitive[]): string => {
  const shown = values.map((value) => (typeof value === 'bigint' ? String(value) : JSON.stringify(value)))
  return shown.length === 1 ? shown[0]! : `one of ${shown.join(', ')}`
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
}

function bound(side: 'least' | 'most', origin: string, limit: number, inclusive = true): string {
  const unit = { string: 'character', array: 'item' }[origin]
  if (unit === undefined) {
    if (!inclusive) return `be ${side === 'least' ? 'greater' : 'less'} than ${limit}`
    return `be at ${side} ${limit}`
  }
  const amount = `at ${side} ${limit} ${unit}${limit === 1 ? '' : 's'}`
  return origin === 'string' ? `be ${amount} long` : `have ${amount}`
}

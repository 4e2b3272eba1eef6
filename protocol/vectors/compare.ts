import { isDeepStrictEqual } from 'node:util'
import type { Json } from './format.ts'

/**
 * Whether an answer has everything that the expected output states. Members that the output leaves out are not compared;
 * lists must have the same length. The member `contains` states what must be among the answer's `problems`.
 */
export function agrees(expected: Json, got: Json): boolean {
  if (Array.isArray(expected))
    return (
      Array.isArray(got) &&
      got.length === expected.length &&
      expected.every((item, i) => agrees(item, got[i]))
    )
  if (typeof expected !== 'object' || expected === null) return isDeepStrictEqual(expected, got)
  if (typeof got !== 'object' || got === null || Array.isArray(got)) return false
  return Object.entries(expected).every(([key, value]) =>
    key === 'contains' && !Object.hasOwn(got, key)
      ? containsProblems(value, got.problems)
      : Object.hasOwn(got, key) && agrees(value, got[key]),
  )
}

function containsProblems(expected: Json, problems: Json): boolean {
  if (!Array.isArray(problems)) return false
  const wanted: Json[] = Array.isArray(expected) ? expected : [expected]
  return wanted.every((one) => problems.some((problem) => agrees(one, problem)))
}

/** The step of a person on the pages of the console against a cause. Programs use the call that the hub names. */
import { causeSteps, type Step } from '../texts/causes.ts'

/** A call of the API, with what leads to it. */
const call = /[:,;]?(?: by| or)?\s*\b(?:GET|POST|PUT|DELETE) \/\S*/g

/** @param nextStep - In the words of the hub, for a cause that this console does not know. */
export function stepOf(code: string, nextStep: string | null): Step | null {
  const known: Step | undefined = Object.hasOwn(causeSteps, code) ? causeSteps[code] : undefined
  if (known !== undefined) return known
  const text = nextStep?.replace(call, '').trim() ?? ''
  return text === '' ? null : { text: /[.?!]$/.test(text) || text.includes('nodectl') ? text : `${text}.` }
}

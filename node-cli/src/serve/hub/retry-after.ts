import type { AnswerHeaders } from '../../http-json.ts'

/** No hub is worth waiting longer for, whatever it says. */
const secondsMax = 3600

/** The seconds that an answer asks its caller to wait; null where it names none. */
export function readRetryAfter(headers: AnswerHeaders): number | null {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  return seconds >= 0 ? Math.min(seconds, secondsMax) : null
}

import { UsageError } from '../../scripts/command/errors.ts'

const unitSeconds = { s: 1, m: 60, h: 3_600, d: 86_400 } as const

/** The longest span that {@link readDuration} takes: ten years. */
const secondsMax = 3_650 * unitSeconds.d

/** Reads a span of time such as 90s, 15m, 2h or 3d, in seconds. @throws {@link UsageError} */
export function readDuration(text: string): number {
  const [, digits, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? []
  const seconds = Number(digits) * unitSeconds[unit as keyof typeof unitSeconds]
  if (!(seconds >= 1 && seconds <= secondsMax))
    throw new UsageError(`A time must be such as 90s, 15m, 2h or 3d, and at most 3650d, not "${text}".`)
  return seconds
}

const units = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
] as const

/** A duration as people say it, in its two largest units. */
export function durationText(seconds: number): string {
  const at = units.findIndex(([, length]) => seconds >= length)
  const [unit, length] = units[at] ?? ['s', 1]
  const [smaller, smallerLength] = units[at + 1] ?? ['s', 1]
  if (length === 1) return `${seconds} s`
  const rest = Math.floor((seconds % length) / smallerLength)
  return `${Math.floor(seconds / length)} ${unit}${rest === 0 ? '' : ` ${rest} ${smaller}`}`
}

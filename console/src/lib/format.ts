// `Intl` would say the same, and loads its data for longer than all scripts of the first view run.
const grouped = (digits: string): string => digits.replace(/\B(?=(\d{3})+$)/g, ',')

/** With at most two digits after the point. */
export function number(value: number): string {
  const [whole = '', fraction] = String(Math.round(value * 100) / 100).split('.')
  return fraction === undefined ? grouped(whole) : `${grouped(whole)}.${fraction}`
}

/** Four digits after the point are shown, and never a zero for an amount above zero. */
const fractionDigits = 4

/** An amount in base units, as people read it. */
export function amount(baseUnits: string, decimals: number): string {
  const digits = baseUnits.padStart(decimals + 1, '0')
  const whole = grouped(String(BigInt(digits.slice(0, digits.length - decimals))))
  const rest = digits.slice(digits.length - decimals)
  const fraction = rest.slice(0, fractionDigits).replace(/0+$/, '')
  if (fraction === '')
    return whole === '0' && /[1-9]/.test(rest) ? `< 0.${'0'.repeat(fractionDigits - 1)}1` : whole
  return `${whole}.${fraction}`
}

/** Hashes, addresses and node ids in a text, shortened in the middle. */
export const shortId = (text: string): string =>
  text.replace(/(0x|-)([0-9a-f]{6})[0-9a-f]{6,}([0-9a-f]{4})(?![0-9a-f])/g, '$1$2…$3')

const steps = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const
const short = { hour: 'hr.', minute: 'min.', second: 'sec.' }

function relative(count: number, unit: keyof typeof short | 'day'): string {
  const size = Math.abs(count)
  if (unit === 'day' && size === 1) return count < 0 ? 'yesterday' : 'tomorrow'
  const text = `${number(size)} ${unit === 'day' ? 'days' : short[unit]}`
  return count < 0 ? `${text} ago` : `in ${text}`
}

/** How long ago, or in how long. */
export function ago(seconds: number, nowSeconds: number): string {
  const gap = seconds - nowSeconds
  for (const [unit, size] of steps) if (Math.abs(gap) >= size) return relative(Math.trunc(gap / size), unit)
  return Math.abs(gap) < 5 ? 'now' : relative(Math.trunc(gap), 'second')
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** In the time zone of the browser. */
export function exactTime(seconds: number): string {
  const date = new Date(seconds * 1_000)
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()]
  const clock = time.map((part) => String(part).padStart(2, '0')).join(':')
  return `${date.getDate()} ${months[date.getMonth()]} ${date.getFullYear()}, ${clock}`
}

/** A length of time in its two largest units. */
export function duration(seconds: number): string {
  const parts: string[] = []
  let rest = Math.max(0, Math.round(seconds))
  for (const [unit, size] of [...steps, ['second', 1] as const]) {
    const count = Math.floor(rest / size)
    rest -= count * size
    if (count > 0)
      parts.push(
        `${count} ${unit === 'second' ? 's' : unit === 'minute' ? 'min' : unit === 'hour' ? 'h' : count === 1 ? 'day' : 'days'}`,
      )
  }
  return parts.slice(0, 2).join(' ') || '0 s'
}

/** Seconds that a vault lasts while every epoch is paid in full; null for less than one epoch. */
export const runway = ({
  epoch_secs,
  vault,
}: {
  epoch_secs: number
  vault: { runway_epochs: number }
}): number | null => (vault.runway_epochs > 0 ? vault.runway_epochs * epoch_secs : null)

export function median(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  if (sorted.length === 0) return null
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

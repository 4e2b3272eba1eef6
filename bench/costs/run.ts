/** Prints the tables of docs/costs.md from the units of each kind and the prices: `npm run bench -- costs`. */
import { table } from '../result.ts'
import { costOf, kinds, task } from './kinds.ts'
import { prices, type Unit } from './prices.ts'
import counted from './task.json' with { type: 'json' }

const million = 1_000_000
const units = Object.keys(prices) as Unit[]

const dollars = (value: number): string => `$${value.toFixed(2)}`
const row = (...cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`

const total = kinds.reduce((sum, { permille }) => sum + permille, 0)
if (total !== 1000) throw new Error(`the shares of the mix add up to ${total} thousandths`)

const priceRows = units.map((unit) => row(unit, `$${prices[unit]}`))
/** Units of requests; the others are of tasks alone. */
const ofRequests = units.filter((unit) => kinds.some(({ units: used }) => (used[unit] ?? 0) > 0))
const kindRows = kinds.map((kind) => {
  const used = ofRequests.map((unit) => Number((kind.units[unit] ?? 0).toFixed(2)))
  return row(kind.name, `${kind.permille / 10} %`, ...used, dollars(costOf(kind)))
})
let sum = 0
const mixRows = ofRequests.map((unit) => {
  const used = kinds.reduce((all, kind) => all + kind.permille * (kind.units[unit] ?? 0) * 1000, 0)
  const cost = (used / million) * prices[unit]
  sum += cost
  return row(unit, Math.round(used).toLocaleString('en'), `$${cost.toFixed(3)}`)
})
const taskRows = units.flatMap((unit) => {
  const used = task.units[unit] ?? 0
  return used > 0 ? [row(unit, Number(used.toFixed(2)), dollars(used * prices[unit]))] : []
})
const monthSecs = 30 * 86_400
const gigabyte = 1_000_000_000
const rateRows = [1, 10, 100, 1_000].map((rate) => {
  const tasks = rate * monthSecs
  const trips = rate * (counted.per_task['D1.trip'] ?? 0)
  return row(
    rate.toLocaleString('en'),
    Math.round((tasks / million) * costOf(task)).toLocaleString('en', {
      style: 'currency',
      currency: 'USD',
      maximumFractionDigits: 0,
    }),
    Math.round(trips).toLocaleString('en'),
    Math.round(rate * (counted.per_task['D1.rowsWritten'] ?? 0)).toLocaleString('en'),
    `${Math.round((tasks * (task.units.r2Bytes ?? 0)) / gigabyte).toLocaleString('en')} GB`,
  )
})
const together = (dollarsInAll: number) => row('**Together**', '', `**${dollars(dollarsInAll)}**`)
const tables = [
  table(row('Unit', `Price of ${million.toLocaleString('en')}`), priceRows),
  table(row('Kind of request', 'Share', ...ofRequests, 'A million of them'), kindRows),
  table(row('Unit', 'In a million of the mix', 'Cost'), [...mixRows, together(sum)]),
  table(row('Unit', 'In a task', 'Cost of a million tasks'), [...taskRows, together(costOf(task))]),
  table(
    row(
      'Tasks per second',
      'A month',
      'D1 trips per second',
      'D1 rows written per second',
      'R2 bytes in a month',
    ),
    rateRows,
  ),
]
console.log(tables.join('\n\n'))

/** Prints the tables of docs/costs.md from the units of each kind and the prices: `npm run bench -- costs`. */
import { table } from '../result.ts'
import { costOf, kinds, task } from './kinds.ts'
import { prices, type Unit } from './prices.ts'

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
const together = (dollarsInAll: number) => row('**Together**', '', `**${dollars(dollarsInAll)}**`)
const tables = [
  table(row('Unit', `Price of ${million.toLocaleString('en')}`), priceRows),
  table(row('Kind of request', 'Share', ...ofRequests, 'A million of them'), kindRows),
  table(row('Unit', 'In a million of the mix', 'Cost'), [...mixRows, together(sum)]),
  table(row('Unit', 'In a task', 'Cost of a million tasks'), [...taskRows, together(costOf(task))]),
]
console.log(tables.join('\n\n'))

/** Prints the tables of docs/costs.md from the units of each kind and the prices: `npm run bench -- costs`. */
import { type Kind, kinds, task } from './kinds.ts'
import { prices, type Unit } from './prices.ts'

const million = 1_000_000
const units = Object.keys(prices) as Unit[]

const costOf = ({ units: used }: Kind): number =>
  units.reduce((sum, unit) => sum + (used[unit] ?? 0) * prices[unit], 0)

const dollars = (value: number): string => `$${value.toFixed(2)}`
const row = (...cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`

const total = kinds.reduce((sum, { permille }) => sum + permille, 0)
if (total !== 1000) throw new Error(`the shares of the mix add up to ${total} thousandths`)

console.log(row('Unit', `Price of ${million.toLocaleString('en')}`))
console.log(row('---', '---'))
for (const unit of units) console.log(row(unit, `$${prices[unit]}`))

console.log(`\n${row('Kind of request', 'Share', ...units, 'A million of them')}`)
console.log(row('---', '---', ...units.map(() => '---'), '---'))
for (const kind of kinds) {
  const used = units.map((unit) => Number((kind.units[unit] ?? 0).toFixed(2)))
  console.log(row(kind.name, `${kind.permille / 10} %`, ...used, dollars(costOf(kind))))
}

console.log(`\n${row('Unit', 'In a million of the mix', 'Cost')}`)
console.log(row('---', '---', '---'))
let sum = 0
for (const unit of units) {
  const used = kinds.reduce((all, kind) => all + kind.permille * (kind.units[unit] ?? 0) * 1000, 0)
  const cost = (used / million) * prices[unit]
  sum += cost
  console.log(row(unit, Math.round(used).toLocaleString('en'), `$${cost.toFixed(3)}`))
}
console.log(row('**Together**', '', `**${dollars(sum)}**`))

console.log(`\n${row('Unit', 'In a task', 'Cost of a million tasks')}`)
console.log(row('---', '---', '---'))
for (const unit of units) {
  const used = task.units[unit] ?? 0
  if (used > 0) console.log(row(unit, Number(used.toFixed(2)), dollars(used * prices[unit])))
}
console.log(row('**Together**', '', `**${dollars(costOf(task))}**`))

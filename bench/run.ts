/** Runs one measurement: `npm run bench -- NAME [arguments]`; without a name it lists them. */
import { spawnSync } from 'node:child_process'
import path from 'node:path'

/** Each measurement: its program, its arguments, and the question that it answers. */
const measurements: Readonly<Record<string, readonly [program: string, args: string, about: string]>> = {
  requests: ['requests/run.ts', '', 'What does a request cost, beside Workers that do the least?'],
  costs: ['costs/run.ts', '', 'What do a million requests and a million tasks cost on Cloudflare?'],
  console: ['console/run.ts', '[seconds]', 'Does the console of a network that runs keep its budgets?'],
  docs: ['docs/run.ts', '[runs]', 'Does the documentation keep its budgets on a phone?'],
  task: ['costs/task.ts', '[tasks] [projects]', 'How many rows, calls and files does one task use?'],
  rounds: ['rounds/load.ts', '[tasks] [projects] [seed]', 'How many tasks a second become final?'],
  rate: [
    'rounds/rate.ts',
    '[tasks a second] [minutes] [projects]',
    'Does the hub keep up with tasks at a steady rate?',
  ],
  relay: ['relay/throughput.ts', '[owners]', 'How many actions a second reach the chain?'],
  node: ['node/cost.ts', '[seconds]', 'What does a serving node cost, idle and busy?'],
  engine: ['engine/speed.ts', '[known answers]', 'How fast is the engine, and what does metering cost?'],
  links: ['links/return.ts', '[links]', 'How soon are miners back after a restart, and what does that cost?'],
  archive: ['archive/run.ts', '[epochs] [rounds]', 'How large do database and archives become?'],
  growth: ['reads/growth.ts', '[projects] [devices] [rounds]', 'Do lists read more as the hub grows?'],
  startup: ['startup/startup.ts', '', 'What does the hub load before its first answer?'],
}

const list = `Usage: npm run bench -- NAME [arguments]

Measurements:
${Object.entries(measurements)
  .map(([name, [, args, about]]) => `  ${`${name} ${args}`.padEnd(34)}  ${about}`)
  .join('\n')}

Results are in the README of each folder below bench/.`

const [name = '--help', ...args] = process.argv.slice(2)
const [program] = (Object.hasOwn(measurements, name) && measurements[name]) || []
if (program === undefined) {
  const isAsked = name === '--help' || name === '-h'
  console[isAsked ? 'log' : 'error'](isAsked ? list : `There is no measurement "${name}".\n\n${list}`)
  process.exit(isAsked ? 0 : 2)
}
const file = path.join(import.meta.dirname, program)
process.exitCode = spawnSync(process.execPath, [file, ...args], { stdio: 'inherit' }).status ?? 1

/** Runs one kind of chaos, and writes its result; see {@link help}. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { readArguments } from '../scripts/command/arguments.ts'
import { CommandError, UsageError } from '../scripts/command/errors.ts'
import { runCommand } from '../scripts/command/run.ts'
import { Difference } from './harness/difference.ts'
import type { Kind, KindEntry, LongRunOptions } from './harness/kind.ts'
import { runInProcess } from './harness/process.ts'
import { type NetworkResult, runScenarios } from './harness/scenarios.ts'
import { kinds } from './kinds.ts'

const names = Object.keys(kinds)
const width = Math.max(...names.map((name) => name.length))
const help = `Usage: npm run chaos -- KIND [COUNT] [SEED] [OPTIONS]

Runs seeded scenarios with faults, and compares their outcome with their plans. It exits with 1 at the first difference.
The result is written to chaos/results/KIND-SEED.json, or to the folder of --results. The same seed gives the same plan.

Kinds, with what COUNT counts and its default:
${Object.entries(kinds)
  .map(([name, { about, counted, count }]) => `  ${name.padEnd(width)}  ${about} (${counted}, ${count})`)
  .join('\n')}

Options:
  --scenarios COUNT, --seed SEED  The same as COUNT and SEED
  --results DIR                   The folder of the result (chaos/results)
  --validators N, --hung N        Of platform: all validators, and those that never answer (20, 6)
  --unlinked N                    Of platform: those without a link, which are called by HTTP (0)
  --answer-ms MS                  Of platform: how long the others take to answer (20)
  --followers N                   Of events: how many there are (200)
  --idle N                        Of events: how many more wait for one event at the end (0)
  --rate N                        Of load: tasks in a second (30)
  --share N                       Of load: a platform so many times smaller than a deployment (10)
  -h, --help                      Show this help

Examples:
${Object.values(kinds)
  .map(({ example }) => `  npm run chaos -- ${example}`)
  .join('\n')}`

const program = path.join(import.meta.dirname, 'network-process.ts')
const startedMs = performance.now()
const seconds = () => Math.round((performance.now() - startedMs) / 1000)
const say = (text: string) => console.log(`${seconds()} s: ${text}`)

await runCommand(async () => {
  const text = { type: 'string' } as const
  const config = {
    allowPositionals: true,
    options: {
      ...{ scenarios: text, seed: text, validators: text, hung: text },
      ...{ unlinked: text, 'answer-ms': text, followers: text, idle: text },
      ...{ rate: text, share: text, results: text },
      help: { type: 'boolean', short: 'h' },
    },
  } as const
  const { values, positionals } = readArguments(config, help)
  if (values.help) return console.log(help)
  const [name = '', count = values.scenarios, seed = values.seed ?? '1', ...rest] = positionals
  const entry = Object.hasOwn(kinds, name) ? kinds[name] : undefined
  if (entry === undefined) throw new UsageError(`Name one of the kinds: ${names.join(', ')}.\n\n${help}`)
  const [length, firstSeed] = [Number(count ?? entry.count), Number(seed)]
  const isCount = entry.counted === 'minutes' ? length > 0 : Number.isSafeInteger(length) && length > 0
  if (!isCount || !Number.isSafeInteger(firstSeed) || rest.length > 0)
    throw new UsageError(`${entry.counted} must be above 0, and the seed a whole number.\n\n${help}`)
  const options = Object.fromEntries(
    Object.entries(entry.options ?? {}).map(([option, otherwise]) => [
      option,
      countOf(option, values[option as Exclude<keyof typeof values, 'help' | 'results'>], otherwise),
    ]),
  )
  const results = values.results ?? path.join(import.meta.dirname, 'results')
  await run(name, entry, { length, seed: firstSeed, options, results }).catch((error: unknown) => {
    if (!(error instanceof Difference)) throw error
    throw new CommandError(`The first difference, after ${seconds()} s. ${error.message}`)
  })
})
// A network that ended may leave sockets behind.
process.exit()

function countOf(name: string, given: string | undefined, otherwise: number): number {
  const count = Number(given ?? otherwise)
  if (!Number.isSafeInteger(count) || count < 0) throw new UsageError(`--${name} must be a whole number.`)
  return count
}

async function run(
  name: string,
  { counted, load }: KindEntry,
  {
    length,
    seed,
    options,
    results,
  }: Pick<LongRunOptions, 'length' | 'seed' | 'options'> & { results: string },
): Promise<void> {
  const kind: Kind = await load()
  const write = (result: object) => {
    mkdirSync(results, { recursive: true })
    const summary = { date: new Date().toISOString().slice(0, 10), ...result, seconds: seconds() }
    const text = JSON.stringify(summary, (_, one) => (typeof one === 'bigint' ? String(one) : one), 2)
    writeFileSync(path.join(results, `${name}-${seed}.json`), `${text}\n`)
    return text
  }
  if ('start' in kind) {
    const summarise = ({ scenarios, figures }: NetworkResult) =>
      write({ [counted]: scenarios, first_seed: seed, ...figures })
    const result = await runScenarios(kind, {
      kind: name,
      scenarios: length,
      firstSeed: seed,
      say,
      // A run that is ended early has written its result so far.
      onResult: summarise,
      runInProcess: (task, onMessage) => runInProcess(program, task, onMessage),
    })
    return console.log(summarise(result))
  }
  const problems: string[] = []
  const problem = (text: string) => {
    problems.push(text)
    console.error(`${seconds()} s: ${text}`)
  }
  const folder = mkdtempSync(path.join(tmpdir(), `${name}-`))
  const figures = await kind.run({ folder, length, seed, options, say, problem }).finally(() => {
    if (problems.length === 0) rmSync(folder, { recursive: true, force: true })
  })
  console.log(write({ [counted]: length, seed, ...figures, problems }))
  if (problems.length > 0) throw new CommandError(`${problems.length} differences; the first: ${problems[0]}`)
}

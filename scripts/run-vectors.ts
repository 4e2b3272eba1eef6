import { readdirSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { type EngineName, engineNames } from '../node-cli/src/engine/engine-name.ts'
import {
  agrees,
  type EngineCase,
  type EngineOutcome,
  isEngineCase,
  runEngineCases,
} from '../node-cli/src/engine/vectors/cases.ts'
import { executeVectors, type TopicResult } from '../protocol/vectors/execute.ts'
import { VectorFileError, type VectorSet } from '../protocol/vectors/format.ts'
import { readExpectations } from './vector-expectations.ts'

const usage = `Usage: npm run vectors -- [FILE…]

Runs known-answer files against protocol/ and the engine, and prints "topic: passed/total", with the first difference of a topic that fails.
Without FILE, runs the project's own vectors.

A file is {cases: […]} with the topic as its name, or {profile?, topics: {<topic>: […]}}.

  --engine NAME  engine that runs cases with a module: native, pulley or both (default);
                 with both, each of these cases counts once for either engine
  --help         print this text

Exit status: 0 all passed, 1 something failed, 2 wrong usage, or a file that is unreadable or tests nothing.
`

/** The output of the command, and its exit status. */
export interface VectorsOutcome {
  readonly status: 0 | 1 | 2
  readonly stdout: string
  readonly stderr: string
}

/** Runs the command. @param args its arguments; names of files are relative to where the process is. */
export async function runVectors(args: string[]): Promise<VectorsOutcome> {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { help: { type: 'boolean', short: 'h' }, engine: { type: 'string', default: 'both' } },
    })
    if (values.help) return { status: 0, stdout: usage, stderr: '' }
    const engines = engineNames.filter((name) => values.engine === name || values.engine === 'both')
    if (engines.length === 0) throw new VectorFileError('--engine', 'must be native, pulley or both')
    const files = positionals.length > 0 ? positionals : ownFiles()
    const sets = files.flatMap((file) => readExpectations(file).map((set) => ({ file, set })))
    const outcomes = await runOnEngines(
      sets.map(({ set }) => engineCasesOf(set)),
      engines,
    )
    const executed = sets.map(({ file, set }, i) => ({ file, ...resultOf(set, outcomes[i]!) }))
    const results = byTopic(executed)
    const passed = results.every(({ differences, implemented }) => implemented && differences.length === 0)
    return { status: passed ? 0 : 1, stdout: results.map(reportOf).join(''), stderr: '' }
  } catch (error) {
    const usageError = (error as { code?: unknown }).code?.toString().startsWith('ERR_PARSE_ARGS')
    if (!(error instanceof VectorFileError) && !usageError) throw error
    return { status: 2, stdout: '', stderr: `Error: ${(error as Error).message}\n` }
  }
}

/** Cases that carry a module are for an engine, whatever their topic is called. */
const engineCasesOf = ({ cases }: VectorSet): EngineCase[] =>
  cases.some(isEngineCase) ? (cases as unknown as EngineCase[]) : []

const outcomesOf = (cases: readonly EngineCase[]): number =>
  cases.reduce((sum, { runs }) => sum + (runs?.length ?? 1), 0)

/** Runs the cases of all sets in one thread for each engine, since a thread has to load its engine. @returns The outcomes of each set. */
async function runOnEngines(
  sets: readonly (readonly EngineCase[])[],
  engines: readonly EngineName[],
): Promise<EngineOutcome[][]> {
  const all = sets.flat()
  if (all.length === 0) return sets.map(() => [])
  const ofEngines = await Promise.all(
    engines.map(async (engine) => {
      const outcomes = await runEngineCases(all, engine)
      const named = outcomes.map((one) => ({ ...one, name: `${one.name}, ${engine}` }))
      return sets.map((cases) => named.splice(0, outcomesOf(cases)))
    }),
  )
  return sets.map((_, i) => ofEngines.flatMap((ofSets) => ofSets[i]!))
}

/** @param outcomes - Of engines, if its cases are for them. */
function resultOf(set: VectorSet, outcomes: readonly EngineOutcome[]): TopicResult {
  if (outcomes.length === 0) return executeVectors(set)
  const differences = outcomes.filter((outcome) => !agrees(outcome))
  return { topic: set.topic, implemented: true, total: outcomes.length, differences }
}

/** One result for each topic, wherever its cases lie; a difference names its file where there are several. */
function byTopic(executed: readonly (TopicResult & { file: string })[]): TopicResult[] {
  const topics = [...new Set(executed.map(({ topic }) => topic))]
  return topics.map((topic) => {
    const parts = executed.filter((one) => one.topic === topic)
    const several = new Set(parts.map(({ file }) => file)).size > 1
    return {
      topic,
      implemented: parts.every(({ implemented }) => implemented),
      total: parts.reduce((sum, { total }) => sum + total, 0),
      differences: parts.flatMap(({ file, differences }) =>
        differences.map((one) => (several ? { ...one, name: `${one.name}, in ${file}` } : one)),
      ),
    }
  })
}

const ownFolders = ['protocol/vectors', 'node-cli/src/engine/vectors']

function ownFiles(): string[] {
  return ownFolders.flatMap((name) => {
    const folder = path.resolve(import.meta.dirname, '..', name)
    const files = readdirSync(folder).filter((file) => file.endsWith('.json'))
    return files.sort().map((file) => path.join(folder, file))
  })
}

function reportOf({ topic, implemented, total, differences }: TopicResult): string {
  const passed = implemented ? total - differences.length : 0
  const line = `${topic}: ${passed}/${total}\n`
  if (!implemented) return `${line}  topic "${topic}" is not implemented\n`
  const [first] = differences
  if (first === undefined) return line
  return `${line}  first difference: ${first.name}
    expected ${JSON.stringify(first.expected)}
    got      ${JSON.stringify(first.got)}
`
}

/**
 * Runs every test, and then compares the answers with the OpenAPI document; arguments are passed on to vitest, e.g.
 * `npm test -- protocol/siwe`, and then part of the document is all that could be seen.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import './copy-assets.ts'
import { answersVariable } from './testing/answers-reporter.ts'
import { failuresVariable } from './testing/failures-reporter.ts'
import { reportAnswers } from './testing/report-answers.ts'
import { readReports } from './testing/run-report.ts'

/** All of them take 8 to 25 minutes on two processors; a run that does not end is ended, and says so. */
const minutesMax = 45
/** One cause can have hundreds of tests fail, each after its whole patience; twenty show it. */
const failuresMax = 20

const running = new Set<ChildProcess>()
let isLate = false
setTimeout(() => {
  isLate = true
  stop('SIGTERM')
}, minutesMax * 60_000).unref()
function stop(signal: NodeJS.Signals): void {
  for (const child of running) child.kill(signal)
}
for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop(signal))
// A terminal sends it to them as well; one that gets it twice ends without its networks.
process.on('SIGINT', () => {})

/** @param output The file that takes what it prints; the terminal when left out. */
function startVitest(args: readonly string[], output: number | 'inherit' = 'inherit'): ChildProcess {
  const child = spawn('vitest', ['run', ...args], { stdio: ['inherit', output, output] })
  running.add(child)
  child.once('close', () => running.delete(child))
  return child
}

const codeOf = async (child: ChildProcess): Promise<number> => {
  const [code] = await once(child, 'close')
  return code ?? 1
}

/**
 * Two groups of the hub's tests, each with one workerd, which takes seconds to load the hub, run beside all others, which
 * wait for their networks more than they compute.
 */
const ofHub = [['--project=workers'], ['--project=workers-chain', '--project=workers-anvil']]

/** Runs all tests. The output of the hub's tests comes after that of the others, and last what failed in any of them. */
async function runAll(): Promise<number> {
  const folder = mkdtempSync(path.join(tmpdir(), 'hub-test-run-'))
  try {
    const answers = path.join(folder, 'answers')
    const failures = path.join(folder, 'failures')
    for (const made of [answers, failures]) mkdirSync(made)
    process.env[answersVariable] = answers
    process.env[failuresVariable] = failures
    const common = [
      '--reporter=default',
      '--reporter=./scripts/testing/failures-reporter.ts',
      `--bail=${failuresMax}`,
    ]
    const counted = [...common, '--maxWorkers=1', '--reporter=./scripts/testing/answers-reporter.ts']
    const outputs = ofHub.map((_, i) => path.join(folder, `${i}.txt`))
    const codes = await Promise.all([
      ...ofHub.map((projects, i) =>
        codeOf(startVitest([...projects, ...counted], openSync(outputs[i]!, 'w'))),
      ),
      codeOf(startVitest(['--project=node', ...common])),
    ])
    for (const output of outputs) process.stdout.write(readFileSync(output))
    const failed = readReports(failures).join('')
    if (failed !== '') console.error(`Failed, with more about each above:\n${failed}`)
    // After a failed run, nobody knows which answers its missing tests would have shown.
    return Math.max(...codes) || Number(!reportAnswers(answers))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const args = process.argv.slice(2)
const code = args.length > 0 ? await codeOf(startVitest(args)) : await runAll()
if (isLate)
  console.error(
    `The tests did not end within ${minutesMax} minutes, so they were ended. Files that are not printed had not ended.`,
  )
process.exitCode = isLate ? 1 : code

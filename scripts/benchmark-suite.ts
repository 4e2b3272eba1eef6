/**
 * Writes the benchmark suite of the network into `workers/benchmarks/`: modules of `examples/`, compiled, what they are run
 * with, and the receipt that every device gets. Both engines must agree on it.
 */
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { compileModule } from '../node-cli/src/compiler/compile-module.ts'
import { closeThreads } from '../node-cli/src/engine/index.ts'
import { openArtifact } from '../protocol/hbc/artifact.ts'
import { benchmarkSuite } from '../protocol/identity/index.ts'
import { agreedReceipt, type BenchmarkRun } from './testing/benchmark-receipt.ts'

const root = path.join(import.meta.dirname, '..')

/** What is run: integers, floats, roundings that add up, and calls of the host with events. */
const runs = [
  { name: 'sha256', source: 'sha256', function: 'sha256', input: 'a'.repeat(32_768), gas_limit: 50_000_000 },
  { name: 'matrix', source: 'matrix', function: 'multiply', input: '64', gas_limit: 100_000_000 },
  { name: 'nbody', source: 'nbody', function: 'simulate', input: '10000', gas_limit: 100_000_000 },
  {
    name: 'events',
    source: 'events',
    function: 'words',
    input: Array.from({ length: 60 }, (_, i) => `word${i}`).join(' '),
    gas_limit: 10_000_000,
  },
]

const write = (file: string, value: unknown): void =>
  writeFileSync(path.join(root, 'workers/benchmarks', file), `${JSON.stringify(value, null, 2)}\n`)

const home = mkdtempSync(path.join(tmpdir(), 'benchmark-suite-'))
try {
  symlinkSync(path.join(root, 'node_modules'), path.join(home, 'node_modules'))
  process.env.NODE_ASC_HOME = home
  const cases: object[] = []
  const modules: object[] = []
  for (const { source, ...run } of runs) {
    const { bytes } = await compileModule({
      source: path.join(root, 'examples', `${source}.ts`),
      name: source,
    })
    const { manifestAddress } = openArtifact(bytes)
    const full: BenchmarkRun = { ...run, module_address: manifestAddress }
    cases.push({ ...full, receipt_hash: await agreedReceipt(full, bytes) })
    modules.push({ address: manifestAddress, hbc_b64: Buffer.from(bytes).toString('base64') })
  }
  write('suite.json', { suite: benchmarkSuite, cases })
  write('suite-modules.json', modules)
} finally {
  await closeThreads()
  rmSync(home, { recursive: true })
}

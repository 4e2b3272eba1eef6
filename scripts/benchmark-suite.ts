/**
 * Writes the benchmark suite of the network: modules of `examples/`, compiled, into `public/benchmarks/`, and the
 * cases that run them, each with the receipt that every device gets, into `workers/benchmarks/`. Both engines must agree on it.
 */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { compileModule } from '../node-cli/src/compiler/compile-module.ts'
import { closeThreads } from '../node-cli/src/engine/index.ts'
import { openArtifact } from '../protocol/hbc/artifact.ts'
import { benchmarkSuite } from '../protocol/identity/index.ts'
import { agreedReceipt, type BenchmarkRun } from './testing/benchmark-receipt.ts'

const root = path.join(import.meta.dirname, '..')

/** The runs of the suite: integers, floats, roundings that add up, and calls of the host with events. */
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

const artifacts = path.join(root, 'public/benchmarks')

const home = mkdtempSync(path.join(tmpdir(), 'benchmark-suite-'))
try {
  symlinkSync(path.join(root, 'node_modules'), path.join(home, 'node_modules'))
  process.env.NODE_ASC_HOME = home
  rmSync(artifacts, { recursive: true, force: true })
  mkdirSync(artifacts)
  const cases: object[] = []
  for (const { source, ...run } of runs) {
    const { bytes } = await compileModule({
      source: path.join(root, 'examples', `${source}.ts`),
      name: source,
    })
    const { manifestAddress } = openArtifact(bytes)
    const full: BenchmarkRun = { ...run, module_address: manifestAddress }
    cases.push({ ...full, receipt_hash: await agreedReceipt(full, bytes) })
    writeFileSync(path.join(artifacts, `${manifestAddress}.hbc`), bytes)
  }
  const pinned = JSON.stringify({ suite: benchmarkSuite, cases }, null, 2)
  writeFileSync(path.join(root, 'workers/benchmarks/suite.json'), `${pinned}\n`)
} finally {
  await closeThreads()
  rmSync(home, { recursive: true })
}

/**
 * Compares the receipts of other versions of Node, other sizes of the stack and other compilers of V8 with those of the
 * project's own: `node scripts/nx.mjs node bench/engine/across-nodes.ts [VERSION…]`. Installs the versions from npm into a folder that goes away, and
 * writes across-nodes.md. Exit 1 when a receipt differs.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { build } from 'esbuild'
import { engineNames } from '../../node-cli/src/engine/engine-name.ts'
import type { EngineCase } from '../../node-cli/src/engine/vectors/cases.ts'
import { bytesToHex } from '../../protocol/encoding/index.ts'
import { installNode } from '../install-node.ts'
import { ownKernels } from './kernels.ts'

const oldest = '22.13.0'
const newest = '26.10.0'
const here = import.meta.dirname

/** Flags of V8, each with its effect. */
const variants: readonly (readonly [about: string, flags: readonly string[]])[] = [
  ['default flags', []],
  ['half a megabyte of stack', ['--stack-size=500']],
  ['four megabytes of stack', ['--stack-size=4000']],
  ['the baseline compiler only', ['--liftoff-only']],
  ['the optimizing compiler only', ['--no-liftoff']],
]

/** Sizes that take long enough. */
const long: Readonly<Record<string, string>> = {
  ackermann: '10',
  fibonacci: '26',
  leaves: '1000000',
  mandelbrot: '150',
  matrix: '3',
  planets: '20000',
  sieve: '500000',
  sort: '50000',
  words: '800',
}

const folder = mkdtempSync(path.join(tmpdir(), 'across-nodes-'))
try {
  process.exitCode = await compare(process.argv.slice(2))
} finally {
  rmSync(folder, { recursive: true })
}

async function compare(versions: string[]): Promise<number> {
  const cases = path.join(folder, 'cases.json')
  writeFileSync(cases, JSON.stringify([...knownCases(), ...longRuns()]))
  const program = path.join(folder, 'receipts.mjs')
  await build({
    entryPoints: [path.join(here, 'receipts.ts')],
    outfile: program,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node22.13',
  })
  const nodes = [
    process.execPath,
    ...(versions.length > 0 ? versions : [oldest, newest]).map((version) => installNode(folder, version)),
  ]

  const rows: string[] = []
  let expected: string[] | undefined
  let differences = 0
  for (const node of nodes)
    for (const [about, flags] of variants)
      for (const engine of engineNames) {
        const lines = run(node, [...flags, program, engine, cases])
        expected ??= lines
        const different = lines.filter((line, index) => line !== expected![index])
        differences += different.length
        for (const line of different.slice(0, 3)) console.log(`${about}, ${engine}: ${line}`)
        const digest = createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 16)
        const version = run(node, ['-p', 'process.version + " | " + process.versions.v8'])[0]
        rows.push(`| ${version} | ${about} | ${engine} | ${digest} | ${different.length} |`)
        console.log(rows.at(-1))
      }
  const summary = `# The same receipts on other versions of Node

\`node scripts/nx.mjs node bench/engine/across-nodes.ts\`: **${expected!.length} runs in each row, ${differences} differences** from the first row. The runs are the project's known answers under all their gas limits, and its kernels. Each kernel runs long enough for V8 to replace its first code with optimized code. The digest covers all receipt hashes, gas and errors.

| Node | V8 | V8 runs with | engine | digest | differences |
| --- | --- | --- | --- | --- | --- |
${rows.join('\n')}
`
  writeFileSync(path.join(here, 'across-nodes.md'), summary)
  return differences === 0 ? 0 : 1
}

function knownCases(): EngineCase[] {
  const vectors = path.join(here, '../../node-cli/src/engine/vectors')
  const files = readdirSync(vectors).filter((file) => file.endsWith('.json'))
  return files.flatMap(
    (file) => (JSON.parse(readFileSync(path.join(vectors, file), 'utf8')) as { cases: EngineCase[] }).cases,
  )
}

/** Runs of tens of millions of gas: V8 has gone from its first code to its best when they end. */
function longRuns(): EngineCase[] {
  const expect = { success: true, gas_used: 0, error: null }
  return ownKernels().map(({ name, wasm }) => ({
    name: `${name}, long`,
    wasm_hex: bytesToHex(wasm).slice(2),
    call: { func_id: 0, input_utf8: long[name] ?? '400' },
    runs: [1_000_000_000, 20_000_000].map((gas_limit) => ({ gas_limit, expect })),
  }))
}

function run(node: string, args: string[]): string[] {
  const { status, stdout, stderr } = spawnSync(node, args, { encoding: 'utf8', maxBuffer: 2 ** 28 })
  if (status !== 0) throw new Error(`${node} ${args.join(' ')}: ${stderr}`)
  return stdout.trimEnd().split('\n')
}

/**
 * Compares metered modules with the same modules unmetered, both on V8, in one run: `npm run bench:engine`. Each kernel
 * runs several times in turn with its peer; the ratio is of the medians.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { meterExports, meterModule } from '../../node-cli/src/engine/meter.ts'
import { startExport } from '../../node-cli/src/engine/rewrite-module.ts'
import { openArtifact } from '../../protocol/hbc/artifact.ts'

const rounds = 7
const plenty = 10n ** 15n

interface Kernel {
  name: string
  plainMs: number
  meteredMs: number
  gas: number
}

if (isMainThread) {
  const worker = new Worker(new URL(import.meta.url), { resourceLimits: { stackSizeMb: 64 } })
  worker.on('message', (text: string) => {
    console.log(text)
    writeFileSync('bench/engine/results.md', text)
  })
  worker.on('error', (error) => {
    console.error(error)
    process.exitCode = 1
  })
} else parentPort?.postMessage(report(compileKernels()))

function compileKernels() {
  const out = path.join(mkdtempSync(path.join(tmpdir(), 'kernels-')), 'kernels.hbc')
  const compile = ['node-cli/src/main.ts', 'compile', 'bench/engine/kernels/kernels.ts', '--out', out]
  const { status, stderr } = spawnSync('node', compile, { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return openArtifact(readFileSync(out))
}

function report({ wasm, manifest }: ReturnType<typeof compileKernels>): string {
  const kernels = manifest.functions.map((name, id) => measure(name, id, wasm))
  const ratios = kernels.map(({ plainMs, meteredMs }) => meteredMs / plainMs)
  const mean = Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length)
  const passes = Array.from({ length: 30 }, () => time(() => meterModule(wasm)))
  const rows = kernels.map(
    ({ name, plainMs, meteredMs, gas }, index) =>
      `| ${name} | ${plainMs.toFixed(1)} | ${meteredMs.toFixed(1)} | ${ratios[index]!.toFixed(2)} | ${(gas / meteredMs / 1e6).toFixed(2)} |`,
  )
  return `# Metered and unmetered

Made by \`npm run bench:engine\` on Node ${process.versions.node}; ${rounds} rounds, medians. Gas counting, the stack limit and canonical NaNs together cost a factor of ${mean.toFixed(2)} (geometric mean), ${Math.max(...ratios).toFixed(2)} at worst.

| kernel | unmetered ms | metered ms | ratio | gas, 10⁹ per s |
| --- | --- | --- | --- | --- |
${rows.join('\n')}

Metering the module of ${(wasm.length / 1024).toFixed(1)} KiB takes ${median(passes).toFixed(2)} ms warm and makes it ${(meterModule(wasm).length / wasm.length).toFixed(2)} times as large.
`
}

interface Instance {
  exports: Record<string, (...values: number[]) => bigint> & Record<string, { value: bigint | number }>
}

function measure(name: string, id: number, wasm: Uint8Array): Kernel {
  const plain = instantiate(wasm)
  const metered = instantiate(meterModule(wasm))
  const refill = () => {
    metered.exports[meterExports.fuel]!.value = -plenty
    metered.exports[meterExports.budget]!.value = 65_536
  }
  // The plain module ran its start function when it was made.
  refill()
  metered.exports[startExport]?.()
  const plainMs: number[] = []
  const meteredMs: number[] = []
  let gas = 0
  // The first rounds warm both up; they are not counted.
  for (let round = -2; round < rounds; round++) {
    const plainRound = time(() => plain.exports.__hive_entry!(id, 0, 0))
    refill()
    const meteredRound = time(() => metered.exports.__hive_entry!(id, 0, 0))
    gas = Number((metered.exports[meterExports.fuel]!.value as bigint) + plenty)
    if (round < 0) continue
    plainMs.push(plainRound)
    meteredMs.push(meteredRound)
  }
  return { name, plainMs: median(plainMs), meteredMs: median(meteredMs), gas }
}

function instantiate(wasm: Uint8Array): Instance {
  const { Module, Instance } = (
    globalThis as unknown as {
      WebAssembly: {
        Module: new (bytes: Uint8Array) => object
        Instance: new (module: object, imports: object) => Instance
      }
    }
  ).WebAssembly
  const abort = () => {
    throw new Error('the kernel aborted')
  }
  return new Instance(new Module(wasm), { env: { abort } })
}

function time(work: () => unknown): number {
  const startedMs = performance.now()
  work()
  return performance.now() - startedMs
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1]!
}

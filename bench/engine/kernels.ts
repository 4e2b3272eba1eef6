import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { EngineCase } from '../../node-cli/src/engine/vectors/cases.ts'
import { hexToBytes } from '../../protocol/encoding/index.ts'

export interface Kernel {
  readonly name: string
  /** The kind of work that it spends its time with. */
  readonly about: string
  readonly wasm: Uint8Array
  readonly input: string
}

const own: readonly (readonly [name: string, input: string, about: string])[] = [
  ['ackermann', '60', 'deep recursion'],
  ['blend', '4000', 'SIMD floats'],
  ['digest', '12000', '32-bit integers'],
  ['fibonacci', '32', 'calls of a small function'],
  ['leaves', '12000000', 'calls through a table'],
  ['mandelbrot', '400', 'double loop with an exit'],
  ['matrix', '40', 'doubles in memory'],
  ['mixer', '12000', '64-bit integers'],
  ['planets', '120000', 'doubles, square roots'],
  ['sieve', '4000000', 'byte stores'],
  ['sort', '400000', 'branches on memory'],
  ['words', '2000', 'strings and a map'],
]

/** The project's own kernels, compiled with the compiler that modules are compiled with. */
export function ownKernels(): Kernel[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'kernels-'))
  try {
    return own.map(([name, input, about]) => ({ name, about, wasm: compile(name, folder), input }))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function compile(name: string, folder: string): Uint8Array {
  const asc = createRequire(import.meta.url).resolve('assemblyscript/bin/asc.js')
  const out = path.join(folder, `${name}.wasm`)
  const flags = ['--runtime', 'stub', '--optimizeLevel', '3', '--shrinkLevel', '0', '--enable', 'simd']
  const parts = ['guest', name].map((part) => path.join(import.meta.dirname, 'assembly', `${part}.ts`))
  writeFileSync(path.join(folder, `${name}.ts`), parts.map((part) => readFileSync(part, 'utf8')).join(''))
  const args = [asc, `${name}.ts`, ...flags, '--outFile', out]
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return readFileSync(out)
}

/** Long runs of a file of known answers; short ones say nothing about speed. */
export function kernelsOf(file: string): Kernel[] {
  const { cases } = JSON.parse(readFileSync(file, 'utf8')) as { cases: EngineCase[] }
  return cases
    .filter(({ expect }) => expect?.success === true && expect.gas_used > 50_000_000)
    .map(({ name, wasm_hex, call }) => ({
      name,
      about: '',
      wasm: hexToBytes(`0x${wasm_hex}`),
      input: call.input_utf8,
    }))
}

/** Compiles the machine and writes what is committed: the instruction codes for its sources, and the compiled module. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { instructions } from './opcodes.ts'

const folder = import.meta.dirname
export const opcodesFile = path.join(folder, 'assembly/opcodes.ts')
export const machineFile = path.join(folder, 'machine.generated.ts')

/** Codes of the instructions, for the sources of the machine. */
export const opcodesSource = (): string =>
  [
    '/** Codes of the instructions; written by build.ts from opcodes.ts. */',
    'export const enum Op {',
    ...instructions.map((name, code) => `  ${name} = ${code},`),
    '}',
    '',
  ].join('\n')

const flags = [
  ...['--runtime', 'stub', '--use', 'abort=', '--noAssert', '--enable', 'simd'],
  ...['--optimizeLevel', '3', '--shrinkLevel', '0', '--memoryBase', '1024'],
]

/** The file that holds the compiled machine, as it follows from the sources. */
export function compileMachine(): string {
  const asc = createRequire(import.meta.url).resolve('assemblyscript/bin/asc.js')
  const temporary = mkdtempSync(path.join(tmpdir(), 'machine-'))
  const out = path.join(temporary, 'machine.wasm')
  try {
    const { status, stderr } = spawnSync(process.execPath, [asc, 'index.ts', ...flags, '--outFile', out], {
      cwd: path.join(folder, 'assembly'),
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(stderr)
    return [
      '/** The compiled interpreter; written by build.ts from the sources in assembly/. */',
      `export const machineBase64 =\n  '${readFileSync(out).toString('base64')}'`,
      '',
    ].join('\n')
  } finally {
    rmSync(temporary, { recursive: true })
  }
}

if (import.meta.main) {
  writeFileSync(opcodesFile, opcodesSource())
  writeFileSync(machineFile, compileMachine())
}

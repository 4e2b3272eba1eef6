/** Compiles the machine, which is committed: a package brings no compiler. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { instructions } from './opcodes.ts'

export const machineFile = path.join(import.meta.dirname, 'machine.generated.ts')

/** The file that the sources of the machine import as `./opcodes`: the codes of the instructions. */
const opcodesSource = `export const enum Op { ${instructions.join(', ')} }`

const flags = [
  ...['--runtime', 'stub', '--use', 'abort=', '--noAssert', '--enable', 'simd'],
  ...['--optimizeLevel', '3', '--shrinkLevel', '0', '--memoryBase', '1024'],
]

/** The file that holds the compiled machine, as it follows from the sources. */
export function compileMachine(): string {
  const asc = createRequire(import.meta.url).resolve('assemblyscript/bin/asc.js')
  const cwd = mkdtempSync(path.join(tmpdir(), 'machine-'))
  const out = path.join(cwd, 'machine.wasm')
  try {
    cpSync(path.join(import.meta.dirname, 'assembly'), cwd, { recursive: true })
    writeFileSync(path.join(cwd, 'opcodes.ts'), opcodesSource)
    const args = [asc, 'index.ts', ...flags, '--outFile', out]
    const { status, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' })
    if (status !== 0) throw new Error(stderr)
    return [
      '/** The compiled interpreter; written by build.ts from the sources in assembly/. */',
      `export const machineBase64 =\n  '${readFileSync(out).toString('base64')}'`,
      '',
    ].join('\n')
  } finally {
    rmSync(cwd, { recursive: true })
  }
}

if (import.meta.main) writeFileSync(machineFile, compileMachine())

import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { vi } from 'vitest'
import wabt from 'wabt'
import { type CompiledModule, compileModule } from '../../node-cli/src/compiler/compile-module.ts'
import { packArtifact } from '../../protocol/hbc/artifact.ts'
import { echoArtifact, echoManifest } from '../../protocol/hbc/testing/artifacts.ts'
import { filledAscHome, temporaryFolder } from '../../testing/node/folders.ts'
import { nodectl, type Outcome } from '../../testing/node/nodectl.ts'
import { nodectlHere } from './nodectl-here.ts'

const tools = await wabt()
const examples = path.join(import.meta.dirname, '../../examples')
export const folder = temporaryFolder()
export const echo = path.join(folder, 'echo.hbc')
export const counter = path.join(folder, 'counter.hbc')

let prepared: Promise<unknown> | undefined

/** Makes the artifacts of these tests, once for all files of this process. */
export async function prepareExamples(): Promise<void> {
  writeFileSync(echo, echoArtifact().bytes)
  prepared ??= compileExample('counter.ts', counter)
  await prepared
}

/** Compiles an example to a file. */
export async function compileExample(source: string, out: string): Promise<CompiledModule> {
  vi.stubEnv('NODE_ASC_HOME', filledAscHome())
  const compiled = await compileModule({
    source: path.join(examples, source),
    name: path.basename(source, '.ts'),
  })
  writeFileSync(out, compiled.bytes)
  return compiled
}

/** An artifact whose function calls one of another module and answers what that answered. */
export function callerOf(address: string, functionName: string): Uint8Array {
  const text = `(module
    (import "hive" "call" (func $call (param i32 i32 i32 i32 i32 i32) (result i64)))
    (memory (export "memory") 1) (data (i32.const 0) "${address}${functionName}")
    (func (export "__alloc") (param i32) (result i32) (i32.const 1024))
    (func (export "__hive_entry") (param i32 i32 i32) (result i64) (call $call (i32.const 0) (i32.const 66)
      (i32.const 66) (i32.const ${functionName.length}) (i32.const 0) (i32.const 0))))`
  const wasm = tools.parseWat('caller.wat', text, {}).toBinary({}).buffer
  return packArtifact({ ...echoManifest, name: 'caller', functions: ['call'] }, wasm).bytes
}

/** An artifact that answers a text, whatever it is asked. */
export function answering(text: string): Uint8Array {
  const bytes = Buffer.from(text)
  const escaped = Array.from(bytes, (byte) => `\\${byte.toString(16).padStart(2, '0')}`).join('')
  const wat = `(module (memory (export "memory") 1) (data (i32.const 0) "${escaped}")
    (func (export "__alloc") (param i32) (result i32) (i32.const 1024))
    (func (export "__hive_entry") (param i32 i32 i32) (result i64) (i64.const ${bytes.length})))`
  return packArtifact(echoManifest, tools.parseWat('answer.wat', wat, {}).toBinary({}).buffer).bytes
}

/** An artifact whose function never returns. */
export function looping(): Uint8Array {
  const wat = `(module (memory (export "memory") 1)
    (func (export "__alloc") (param i32) (result i32) (i32.const 1024))
    (func (export "__hive_entry") (param i32 i32 i32) (result i64) (loop $forever (br $forever)) (unreachable)))`
  return packArtifact(echoManifest, tools.parseWat('loop.wat', wat, {}).toBinary({}).buffer).bytes
}

export const input = '{"msg":"hi"}'
/** The outcome of the tool, with its output read as JSON. */
export const readAnswer = ({ code, stdout, stderr }: Outcome) => ({
  code,
  stderr,
  json: stdout === '' ? null : JSON.parse(stdout),
})

/** Runs `nodectl run` in a process of its own, and reads its output as JSON. */
export const answer = async (args: string[], options: Parameters<typeof nodectl>[1] = {}) =>
  readAnswer(await nodectl(['run', ...args], options))

/** The same without a process. */
export const answerHere = async (args: string[], options: Parameters<typeof nodectlHere>[1] = {}) =>
  readAnswer(await nodectlHere(['run', ...args], options))

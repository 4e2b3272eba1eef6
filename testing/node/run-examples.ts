import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import wabt from 'wabt'
import { packArtifact } from '../../protocol/hbc/artifact.ts'
import { echoArtifact, echoManifest } from '../../protocol/hbc/testing/artifacts.ts'
import { filledAscHome, temporaryFolder } from '../../testing/node/folders.ts'
import { dist, nodectl } from '../../testing/node/nodectl.ts'

const tools = await wabt()
export const folder = temporaryFolder()
export const echo = path.join(folder, 'echo.hbc')
export const counter = path.join(folder, 'counter.hbc')

/** Builds the tool, and the artifacts of these tests. */
export async function prepareExamples(): Promise<void> {
  writeFileSync(echo, echoArtifact().bytes)
  const { status, stderr } = compileExample('counter.ts', counter)
  if (status !== 0) throw new Error(stderr)
}

export function compileExample(source: string, out: string) {
  const args = [path.join(dist, 'nodectl.mjs'), 'compile', `examples/${source}`, '--out', out]
  return spawnSync('node', args, {
    encoding: 'utf8',
    env: { ...process.env, NODE_ASC_HOME: filledAscHome() },
  })
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

export const input = '{"msg":"hi"}'
/** What `nodectl run` prints, read as JSON. */
export const answer = async (args: string[], options = {}) => {
  const { code, stdout, stderr } = await nodectl(['run', ...args], options)
  return { code, stderr, json: stdout === '' ? null : JSON.parse(stdout) }
}

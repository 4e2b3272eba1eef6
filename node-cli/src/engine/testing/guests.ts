import wabt from 'wabt'
import { engines } from '../engines.ts'
import { type ExecutionRequest, type ExecutionResult, emptyState, type StateReader } from '../execution.ts'
import { executeOn } from '../host/call.ts'
import { hostImports } from './random-host.ts'

const { parseWat } = await wabt()
const features = { tail_call: true, simd: true, multi_value: true, bulk_memory: true, reference_types: true }

/** A module from its text. */
export function assemble(text: string): Uint8Array {
  const parsed = parseWat('test.wat', text, features)
  const { buffer } = parsed.toBinary({})
  parsed.destroy()
  return buffer
}

/** A guest around a body for its entry; `more` goes before it. */
export const guest = (entry: string, more = ''): Uint8Array =>
  assemble(`(module ${more.includes('(memory') ? '' : '(memory (export "memory") 1 4)'} ${more}
    (global $heap (mut i32) (i32.const 1024))
    (func (export "__alloc") (param i32) (result i32)
      (global.set $heap (i32.add (global.get $heap) (local.get 0)))
      (i32.sub (global.get $heap) (local.get 0)))
    (func (export "__hive_entry") (param i32 i32 i32) (result i64) ${entry}))`)

/** A call of the host with numbers, in text form. */
export const callHost = (name: string, ...values: readonly number[]): string =>
  `(call $${name} ${values.map((value) => `(i32.const ${value})`).join(' ')})`

/** Calls of the host on what {@link hosted} has in its memory. */
export const hostCalls = {
  get: callHost('get', 0, 3),
  set: callHost('set', 0, 3, 8, 5),
  emit: callHost('emit', 0, 3, 16, 7),
  log: callHost('log', 8, 5),
  other: callHost('call', 32, 66, 100, 1, 0, 0),
} as const

/** A guest that can call the host, with a key, a value, an event and the address of another module in its memory. */
export const hosted = (entry: string, other: string, more = ''): Uint8Array =>
  guest(
    entry,
    `${hostImports}
    (memory (export "memory") 1 4)
    (data (i32.const 0) "key") (data (i32.const 8) "value") (data (i32.const 16) "{\\22a\\22:1}")
    (data (i32.const 29) "\\ef\\bb\\bf${other}") (data (i32.const 100) "f") (data (i32.const 104) "\\ff\\fe") ${more}`,
  )

/** An entry that does nothing more and answers nothing. */
export const empty = '(i64.const 0)'

let requests = 0

/** A request for the first function of a module, under an address of its own. */
export const requestOf = (wasm: Uint8Array, change: Partial<ExecutionRequest> = {}): ExecutionRequest => ({
  address: `test ${requests++}`,
  wasm,
  functionId: 0,
  input: new Uint8Array(),
  gasLimit: 10_000_000,
  ...change,
})

/** Runs a module on V8, in this thread. */
export const run = (
  wasm: Uint8Array,
  change: Partial<ExecutionRequest> = {},
  state: StateReader = emptyState,
): ExecutionResult => executeOn(engines.native, requestOf(wasm, change), state)

export const text = (bytes: Uint8Array | null): string | null =>
  bytes === null ? null : new TextDecoder().decode(bytes)

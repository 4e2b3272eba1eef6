import wabt from 'wabt'
import { engines } from '../engines.ts'
import { type ExecutionRequest, type ExecutionResult, emptyState, type StateReader } from '../execution.ts'
import { executeOn } from '../host/call.ts'

const { parseWat } = await wabt()

/** A module from its text. */
export const assemble = (text: string): Uint8Array =>
  parseWat('test.wat', text, { tail_call: true, simd: true, multi_value: true }).toBinary({}).buffer

/** A guest around a body for its entry; `more` goes before it. */
export const guest = (entry: string, more = ''): Uint8Array =>
  assemble(`(module ${more.includes('(memory') ? '' : '(memory (export "memory") 1 4)'} ${more}
    (global $heap (mut i32) (i32.const 1024))
    (func (export "__alloc") (param i32) (result i32)
      (global.set $heap (i32.add (global.get $heap) (local.get 0)))
      (i32.sub (global.get $heap) (local.get 0)))
    (func (export "__hive_entry") (param i32 i32 i32) (result i64) ${entry}))`)

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

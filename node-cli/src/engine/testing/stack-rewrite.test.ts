import { describe, expect, test } from 'vitest'
import { readModule } from '../../../../protocol/wasm/module.ts'
import { assemble } from './guests.ts'
import { rewriteStack } from './stack-rewrite.ts'

const take = (units: number) => `
  global.get $stack i32.const ${units} i32.sub global.set $stack
  global.get $stack i32.const 0 i32.lt_s if unreachable end`
const give = (units: number) => `
  global.get $stack i32.const ${units} i32.add global.set $stack`

describe('the stack rewrite', () => {
  test('puts a charge and a block around a body, and a refund before every exit from it', () => {
    // 4 units of its own, 1 parameter, 2 locals, 3 operands at most.
    const original = `(module (type (func (param i32) (result i32)))
      (func $f (type 0) (local i64 i64)
        local.get 0 if i32.const 1 return end
        i32.const 1 i32.const 2 i32.const 3 drop drop drop
        i32.const 5 return_call $f)
      (memory 1) (global i64 (i64.const 7)) (export "f" (func $f)) (data (i32.const 0) "x"))`
    const rewritten = `(module (type (func (param i32) (result i32)))
      (func $f (type 0) (local i64 i64) ${take(10)} block (result i32)
        local.get 0 if i32.const 1 ${give(10)} return end
        i32.const 1 i32.const 2 i32.const 3 drop drop drop
        i32.const 5 ${give(10)} return_call $f
        end ${give(10)})
      (memory 1) (global i64 (i64.const 7)) (global $stack (mut i32) (i32.const 65536))
      (export "f" (func $f)) (export "__ndsr_stack" (global $stack)) (data (i32.const 0) "x"))`
    expect(rewriteStack(assemble(original))).toEqual(assemble(rewritten))
  })

  test('creates missing sections, one type per list of two or more results, and exports the start function', () => {
    const types = `(type (func)) (type (func (param f32) (result i32 i64))) (type (func (result f32 f32)))
      (type (func (result i32 i64)))`
    const original = `(module ${types}
      (func $start (type 0))
      (func (type 2) f32.const 1 f32.const 2)
      (func (type 1) i32.const 1 i64.const 2)
      (func (type 3) i32.const 3 i64.const 4)
      (start $start))`
    const rewritten = `(module ${types} (type (func (result f32 f32))) (type (func (result i32 i64)))
      (func $start (type 0) ${take(4)} block end ${give(4)})
      (func (type 2) ${take(6)} block (type 4) f32.const 1 f32.const 2 end ${give(6)})
      (func (type 1) ${take(7)} block (type 5) i32.const 1 i64.const 2 end ${give(7)})
      (func (type 3) ${take(6)} block (type 5) i32.const 3 i64.const 4 end ${give(6)})
      (global $stack (mut i32) (i32.const 65536))
      (export "__ndsr_stack" (global $stack)) (export "__ndsr_start" (func $start)))`
    expect(rewriteStack(assemble(original))).toEqual(assemble(rewritten))
  })

  test('copies every other byte, also if a size has more bytes than it needs', () => {
    const wasm = assemble('(module (memory 1) (func) (data (i32.const 0) "x"))')
    const memory = [5, 3, 1, 0, 1]
    const padded = [5, 0x83, 0x80, 0x80, 0x80, 0x00, 1, 0, 1]
    const at = Buffer.from(wasm).indexOf(Buffer.from(memory))
    const original = new Uint8Array([...wasm.slice(0, at), ...padded, ...wasm.slice(at + memory.length)])
    expect(readModule(original).memories).toEqual([{ min: 1, max: undefined }])
    const text = Buffer.from(rewriteStack(original)).toString('hex')
    expect(text).toContain(Buffer.from(padded).toString('hex'))
    expect(text).not.toContain(Buffer.from(memory).toString('hex'))
  })
})

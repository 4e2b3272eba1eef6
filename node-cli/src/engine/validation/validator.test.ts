import { describe, expect, test } from 'vitest'
import { WasmError } from '../../../../protocol/wasm/reader.ts'
import { engines } from '../engines.ts'
import { emptyState } from '../execution.ts'
import { executeOn } from '../host/call.ts'
import { meterExactly } from '../metering/exact-module.ts'
import { empty, guest, requestOf, run } from '../testing/guests.ts'

describe('validation', () => {
  test.each([
    ['an operand of another type', '(func (i32.add (i64.const 1) (i32.const 1)) drop)'],
    ['a missing operand', '(func (result i32) i32.const 1 i32.add)'],
    ['a value left over', '(func i32.const 1)'],
    ['a missing result', '(func (result i32))'],
    ['a branch with the wrong value', '(func (block (result i32) (br 0 (i64.const 1))) drop)'],
    ['an if without else with a result', '(func (if (result i32) (i32.const 1) (then (i32.const 1))) drop)'],
    ['a constant global that is set', '(global $g i32 (i32.const 1)) (func (global.set $g (i32.const 2)))'],
    ['a reference to an undeclared function', '(func $f (drop (ref.func $f)))'],
    ['a tail call with another result type', '(func $f (result i32) (i32.const 1)) (func (return_call $f))'],
    ['a select of two types', '(func (drop (select (i32.const 1) (i64.const 1) (i32.const 1))))'],
  ])('refuses %s, with no gas used', (_, more) => {
    const wasm = guest(empty, more)
    expect(() => meterExactly(wasm)).toThrowError(WasmError)
    expect(run(wasm)).toMatchObject({
      success: false,
      gasUsed: 0,
      error: expect.stringMatching(/^invalid module: /),
    })
  })

  // Code that cannot be reached may hold operands of every type at once; the heights there still count.
  test.each([
    [
      'a branch table to blocks of other types',
      '(drop (block $a (result i32) (drop (block $b (result f32) unreachable br_table $a $b $a)) (i32.const 1)))',
    ],
    [
      'a branch table whose values were branched with before',
      '(drop (block $a (result i64) (drop (block $b (result i64) unreachable (br_if $a) (br_table $b $a (i32.const 0)))) (i64.const 1)))',
    ],
    ['a select without operands', '(block unreachable select drop)'],
  ])('accepts in unreachable code %s', async (_, body) => {
    const wasm = guest(`${body} ${empty}`)
    const [native, pulley] = (['native', 'pulley'] as const).map((engine) =>
      executeOn(engines[engine], requestOf(wasm), emptyState),
    )
    expect(native).toMatchObject({ error: 'trap: unreachable' })
    expect(pulley).toEqual(native)
  })
})

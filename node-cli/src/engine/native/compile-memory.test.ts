import { describe, expect, test } from 'vitest'
import { engines } from '../engines.ts'
import { executeOn } from '../host/call.ts'
import { V8LimitExceeded } from '../metering/v8-limit.ts'
import { empty, guest, requestOf } from '../testing/guests.ts'

const state = { module: () => null, stored: () => null }
const many = (count: number, text: string) => `${text}\n`.repeat(count)
const types = many(1_000, 'i64').replaceAll('\n', ' ')

/** Small code for which V8 keeps or moves as many values as it has pairs of a block or a call and what lies on its stack. */
const shapes: Readonly<Record<string, (count: number) => string>> = {
  'blocks that pass 1,000 values': (count) => `
    (type $wide (func (param ${types}) (result ${types})))
    (func ${many(1_000, 'i64.const 0')} ${many(count, 'block (type $wide) end')} ${many(1_000, 'drop')})`,
  'blocks in a function of 40,000 locals': (count) => `
    (func (local ${'i32 '.repeat(40_000)}) ${many(count, 'block end')})`,
  'calls that pass 1,000 values': (count) => `
    (type $wide (func (param ${types}) (result ${types})))
    (func $pass (type $wide) ${Array.from({ length: 1_000 }, (_, i) => `local.get ${i}`).join(' ')})
    (func ${many(1_000, 'i64.const 0')} ${many(count, 'call $pass')} ${many(1_000, 'drop')})`,
}

describe('what V8 takes to compile a function is bounded', () => {
  test.each([
    ['blocks that pass 1,000 values', 2_000, 2_200],
    ['blocks in a function of 40,000 locals', 100, 110],
    ['calls that pass 1,000 values', 2_000, 2_200],
  ])('%s: %d are compiled, and %d are left to the interpreter', (shape, few, more) => {
    const requestFor = (count: number) => requestOf(guest(empty, shapes[shape]!(count)))
    const [within, beyond] = [requestFor(few), requestFor(more)]
    expect(executeOn(engines.native, within, state)).toEqual(executeOn(engines.pulley, within, state))
    expect(() => executeOn(engines.native, beyond, state)).toThrow(V8LimitExceeded)
    expect(executeOn(engines.auto, beyond, state)).toEqual(executeOn(engines.pulley, beyond, state))
  })
})

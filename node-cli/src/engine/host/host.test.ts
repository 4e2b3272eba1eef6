import { beforeEach, describe, expect, test } from 'vitest'
import { emptyState, type StateReader } from '../execution.ts'
import { interpreter } from '../interpreter/interpreter.ts'
import { native } from '../native/native.ts'
import { assemble, requestOf, run, text } from '../testing/guests.ts'
import { executeOn } from './call.ts'
import type { Engine } from './instance.ts'

describe('the host', () => {
  const imports = `
    (import "hive" "call" (func $call (param i32 i32 i32 i32 i32 i32) (result i64)))
    (import "hive" "emit" (func $emit (param i32 i32 i32 i32)))
    (import "hive" "abort" (func $abort (param i32 i32)))
    (import "env" "abort" (func $scriptAbort (param i32 i32 i32 i32)))
    (import "storage" "get" (func $get (param i32 i32) (result i64)))
    (import "storage" "set" (func $set (param i32 i32 i32 i32)))
    (import "storage" "del" (func $del (param i32 i32)))
    (import "console" "log" (func $log (param i32 i32)))
    (import "crypto" "hash" (func $hash (param i32 i32) (result i64)))`
  /** Addresses of two modules and some texts lie at known places. */
  let other = ''
  let modules = 0
  beforeEach(() => {
    // A module of its own for each test: compiled code is kept by address.
    modules += 1
    other = `0x${modules.toString(16).padStart(64, '0')}`
  })
  const data =
    () => `(data (i32.const 0) "key") (data (i32.const 8) "value") (data (i32.const 16) "{\\22a\\22:1}")
    (data (i32.const 29) "\\ef\\bb\\bf${other}") (data (i32.const 100) "f") (data (i32.const 104) "\\ff\\fe")`
  const hosted = (entry: string) =>
    assemble(`(module ${imports} (memory (export "memory") 1 4) ${data()}
    (global $heap (mut i32) (i32.const 1024))
    (func (export "__alloc") (param i32) (result i32)
      (global.set $heap (i32.add (global.get $heap) (local.get 0)))
      (i32.sub (global.get $heap) (local.get 0)))
    (func $f (call $f))
    (func (export "__hive_entry") (param i32 i32 i32) (result i64) ${entry}))`)
  const callOther =
    '(call $call (i32.const 32) (i32.const 66) (i32.const 100) (i32.const 1) (i32.const 0) (i32.const 0))'
  const withOther = (entry: string): StateReader => {
    const wasm = hosted(entry)
    return {
      module: (address) => (address === other ? { wasm, functions: ['f'] } : null),
      stored: () => null,
    }
  }

  test('storage is read through the journal and handed back when the run succeeds', () => {
    const wasm = hosted(`(call $set (i32.const 0) (i32.const 3) (i32.const 8) (i32.const 5))
      (call $get (i32.const 0) (i32.const 3))`)
    const result = run(wasm, { address: 'own' })
    expect(text(result.output)).toBe('value')
    expect(result.writes).toEqual([
      { address: 'own', key: '6b6579', value: new TextEncoder().encode('value') },
    ])
  })

  test('an empty value and a deletion remove the key; a missing one is empty', () => {
    const set = '(call $set (i32.const 0) (i32.const 3) (i32.const 8) (i32.const 0))'
    for (const entry of [set, '(call $del (i32.const 0) (i32.const 3))'])
      expect(run(hosted(`${entry} (call $get (i32.const 0) (i32.const 3))`))).toMatchObject({
        output: new Uint8Array(),
        writes: [{ key: '6b6579', value: null }],
      })
  })

  test('a failed run leaves no write and no event', () => {
    const wasm = hosted(`(call $set (i32.const 0) (i32.const 3) (i32.const 8) (i32.const 5))
      (call $emit (i32.const 0) (i32.const 3) (i32.const 16) (i32.const 7)) unreachable`)
    expect(run(wasm)).toMatchObject({ error: 'trap: unreachable', writes: [], events: [] })
  })

  test.each([
    [
      'an empty key',
      '(call $set (i32.const 0) (i32.const 0) (i32.const 8) (i32.const 5)) (i64.const 0)',
      'trap: empty storage key',
    ],
    [
      'a pointer out of bounds',
      '(call $log (i32.const 65535) (i32.const 2)) (i64.const 0)',
      'trap: pointer out of bounds',
    ],
    ['a negative length', '(call $log (i32.const 0) (i32.const -1)) (i64.const 0)', 'out of gas'],
    [
      'text that is no UTF-8',
      '(call $log (i32.const 104) (i32.const 2)) (i64.const 0)',
      'trap: text is not valid UTF-8',
    ],
    [
      'an event without name',
      '(call $emit (i32.const 0) (i32.const 0) (i32.const 16) (i32.const 7)) (i64.const 0)',
      'trap: malformed event name',
    ],
    [
      'event data that is no JSON',
      '(call $emit (i32.const 0) (i32.const 3) (i32.const 0) (i32.const 3)) (i64.const 0)',
      'trap: event data is not acceptable JSON',
    ],
    [
      '65 events',
      '(local i32) (loop $l (call $emit (i32.const 0) (i32.const 3) (i32.const 16) (i32.const 7)) (local.set 3 (i32.add (local.get 3) (i32.const 1))) (br_if $l (i32.lt_u (local.get 3) (i32.const 65)))) (i64.const 0)',
      'trap: too many events',
    ],
    ['an abort with a message', '(call $abort (i32.const 0) (i32.const 3)) (i64.const 0)', 'aborted: key'],
    ['a negative result', '(i64.const -7)', 'guest returned error code -7'],
    ['output out of bounds', '(i64.const 0xfffff000000ff)', 'trap: output out of bounds'],
    ['output that is no UTF-8', '(i64.const 0x6800000002)', 'output is not valid UTF-8'],
  ])('%s ends the run: %s', (_, entry, error) => {
    expect(run(hosted(entry))).toMatchObject({ success: false, error })
  })

  const scriptAbort = (pointer: number) =>
    `(call $scriptAbort (i32.const ${pointer}) (i32.const 0) (i32.const 0) (i32.const 0)) (i64.const 0)`
  const stored = (message: string) =>
    Array.from(Buffer.from(message, 'utf16le'))
      .map((byte, at) => `(i32.store8 (i32.const ${204 + at}) (i32.const ${byte}))`)
      .join(' ')
  const withString = (message: string, length = 2 * message.length) =>
    `(i32.store (i32.const 200) (i32.const ${length})) ${stored(message)} ${scriptAbort(204)}`

  test.each([
    ['its message', withString('größer 🙂'), 'aborted: größer 🙂'],
    [
      'its first KiB, which ends with a whole character',
      withString('€'.repeat(400)),
      `aborted: ${'€'.repeat(341)}`,
    ],
    ['a lone surrogate as U+FFFD', withString('a\ud800b'), 'aborted: a\ufffdb'],
    ['no message', scriptAbort(0), 'aborted'],
    ['an empty message', withString(''), 'aborted'],
    ['a length that runs over the memory', withString('text', 70_000), 'aborted'],
    ['a pointer behind the memory', scriptAbort(-1), 'aborted'],
    ['a pointer to the end of the memory', scriptAbort(65_536), 'aborted'],
  ])('the abort of AssemblyScript ends the run on both engines with %s', (_, entry, error) => {
    const request = requestOf(hosted(entry))
    for (const engine of [native, interpreter])
      expect(executeOn(engine, request, emptyState)).toMatchObject({ success: false, error })
  })

  test('charges before the work: with one unit less there is no event', () => {
    const wasm = hosted('(call $emit (i32.const 0) (i32.const 3) (i32.const 16) (i32.const 7)) (i64.const 0)')
    const { gasUsed } = run(wasm)
    expect(gasUsed).toBeGreaterThan(520)
    expect(run(wasm, { gasLimit: gasUsed })).toMatchObject({ success: true })
    expect(run(wasm, { gasLimit: 520 })).toMatchObject({ error: 'out of gas', gasUsed: 520, events: [] })
  })

  test('hash gives keccak-256 as text', () => {
    expect(text(run(hosted('(call $hash (i32.const 0) (i32.const 3))')).output)).toMatch(/^0x[0-9a-f]{64}$/)
  })

  test('calls another module with its own storage, and keeps what it did', () => {
    const result = run(
      hosted(callOther),
      { address: 'caller' },
      withOther(
        '(call $set (i32.const 0) (i32.const 3) (i32.const 8) (i32.const 5)) (call $emit (i32.const 0) (i32.const 3) (i32.const 16) (i32.const 7)) (i64.const 0x800000005)',
      ),
    )
    expect(text(result.output)).toBe('value')
    expect(result).toMatchObject({ writes: [{ address: other }], events: [{ name: 'key', data: { a: 1 } }] })
  })

  test('a callee that fails is -3, what it did is gone, and what it used is charged', () => {
    const failing = '(call $emit (i32.const 0) (i32.const 3) (i32.const 16) (i32.const 7)) (unreachable)'
    const check = `(if (i64.ne ${callOther} (i64.const -3)) (then unreachable)) (i64.const 0)`
    const result = run(hosted(check), {}, withOther(failing))
    expect(result).toMatchObject({ success: true, events: [] })
    expect(result.gasUsed).toBeGreaterThan(10_000 + 67 + 500)
  })

  test.each([
    ['an unknown module', callOther, emptyState, -1],
    [
      'an unknown function',
      callOther.replace('(i32.const 100) (i32.const 1)', '(i32.const 0) (i32.const 3)'),
      undefined,
      -2,
    ],
    ['a malformed address', callOther.replace('(i32.const 66)', '(i32.const 65)'), emptyState, -6],
    [
      'an address behind a byte order mark',
      callOther.replace('(i32.const 32) (i32.const 66)', '(i32.const 29) (i32.const 69)'),
      undefined,
      -6,
    ],
  ])('%s is %i', (_, call, state, code) => {
    const wasm = hosted(`(if (i64.ne ${call} (i64.const ${code})) (then unreachable)) (i64.const 0)`)
    expect(run(wasm, {}, state ?? withOther('(i64.const 0)'))).toMatchObject({ success: true })
  })

  test('a callee out of gas leaves the caller out of gas', () => {
    const endless = '(loop $l (br $l)) (i64.const 0)'
    expect(run(hosted(callOther), { gasLimit: 50_000 }, withOther(endless))).toMatchObject({
      error: 'out of gas',
      gasUsed: 50_000,
    })
  })

  test('calls nest eight deep; the ninth is -5', () => {
    // Each level answers what its callee answered, or the code of the failure as one digit.
    const level = `(local i64) (local.set 3 ${callOther})
      (if (i64.lt_s (local.get 3) (i64.const 0)) (then
        (i64.store8 (i32.const 200) (i64.sub (i64.const 48) (local.get 3)))
        (return (i64.const 0xc800000001))))
      (local.get 3)`
    expect(text(run(hosted(level), {}, withOther(level)).output)).toBe('5')
  })

  test('calls that all trap are run twice at most, however deep they nest', () => {
    let instances = 0
    const counting: Engine = {
      instantiate: (...parameters) => {
        instances += 1
        return native.instantiate(...parameters)
      },
    }
    // What is left after the call divides by zero: a trap after which optimistic metering repeats the run.
    const level = `(drop ${callOther}) (i64.div_u (i64.const 1) (i64.extend_i32_u (local.get 2)))`
    const result = executeOn(counting, requestOf(hosted(level)), withOther(level))
    expect(result).toMatchObject({ error: 'trap: integer divide by zero' })
    expect(instances).toBe(2 * 9)
  })
})

import { beforeEach, describe, expect, test } from 'vitest'
import { emptyState, type StateReader } from '../execution.ts'
import { interpreter } from '../interpreter/interpreter.ts'
import { native } from '../native/native.ts'
import { callHost, hostCalls, hosted as hostedWith, requestOf, run, text } from '../testing/guests.ts'
import { executeOn } from './call.ts'
import type { Engine } from './instance.ts'

describe('the host', () => {
  /** The address of another module. */
  let other = ''
  let modules = 0
  beforeEach(() => {
    // A module of its own for each test: compiled code is kept by address.
    modules += 1
    other = `0x${modules.toString(16).padStart(64, '0')}`
  })
  const { get, set, emit, other: callOther } = hostCalls
  const hosted = (entry: string) => hostedWith(entry, other)
  const withOther = (entry: string): StateReader => {
    const wasm = hosted(entry)
    return {
      module: (address) => (address === other ? { wasm, functions: ['f'] } : null),
      stored: () => null,
    }
  }

  test('an empty value and a deletion remove the key; a missing one is empty', () => {
    for (const entry of [callHost('set', 0, 3, 8, 0), callHost('del', 0, 3)])
      expect(run(hosted(`${entry} ${get}`))).toMatchObject({
        output: new Uint8Array(),
        writes: [{ key: '6b6579', value: null }],
      })
  })

  test('a failed run leaves no write and no event', () => {
    expect(run(hosted(`${set} ${emit} unreachable`))).toMatchObject({
      error: 'trap: unreachable',
      writes: [],
      events: [],
    })
  })

  test.each([
    ['an empty key', callHost('set', 0, 0, 8, 5), 'trap: empty storage key'],
    ['a pointer out of bounds', callHost('log', 65_535, 2), 'trap: pointer out of bounds'],
    ['a negative length', callHost('log', 0, -1), 'out of gas'],
    ['text that is no UTF-8', callHost('log', 104, 2), 'trap: text is not valid UTF-8'],
    ['an event without name', callHost('emit', 0, 0, 16, 7), 'trap: malformed event name'],
    ['event data that is no JSON', callHost('emit', 0, 3, 0, 3), 'trap: event data is not acceptable JSON'],
    ['65 events', emit.repeat(65), 'trap: too many events'],
    ['a load out of bounds', '(drop (i32.load (i32.const 262140)))', 'trap: memory access out of bounds'],
    ['an abort with a message', callHost('abort', 0, 3), 'aborted: key'],
    ['a negative result', '(return (i64.const -7))', 'guest returned error code -7'],
    ['output out of bounds', '(return (i64.const 0xfffff000000ff))', 'trap: output out of bounds'],
    ['output that is no UTF-8', '(return (i64.const 0x6800000002))', 'output is not valid UTF-8'],
  ])('%s ends the run: %s', (_, entry, error) => {
    expect(run(hosted(`${entry} (unreachable)`))).toMatchObject({ success: false, error })
  })

  const scriptAbort = (pointer: number) => `${callHost('envAbort', pointer, 0, 0, 0)} (i64.const 0)`
  const stored = (message: string) =>
    Array.from(Buffer.from(message, 'utf16le'))
      .map((byte, at) => `(i32.store8 (i32.const ${204 + at}) (i32.const ${byte}))`)
      .join(' ')
  const withString = (message: string, length = 2 * message.length) =>
    `(i32.store (i32.const 200) (i32.const ${length})) ${stored(message)} ${scriptAbort(204)}`

  test.each([
    ['its message', withString('größer 🙂'), 'aborted: größer 🙂'],
    ['its first KiB, in whole characters', withString('€'.repeat(400)), `aborted: ${'€'.repeat(341)}`],
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
    const wasm = hosted(`${emit} (i64.const 0)`)
    const { gasUsed } = run(wasm)
    expect(gasUsed).toBeGreaterThan(520)
    expect(run(wasm, { gasLimit: gasUsed })).toMatchObject({ success: true })
    expect(run(wasm, { gasLimit: 520 })).toMatchObject({ error: 'out of gas', gasUsed: 520, events: [] })
  })

  test('calls another module with its own storage, and keeps its effects', () => {
    const result = run(
      hosted(callOther),
      { address: 'caller' },
      withOther(`${set} ${emit} (i64.const 0x800000005)`),
    )
    expect(text(result.output)).toBe('value')
    expect(result).toMatchObject({ writes: [{ address: other }], events: [{ name: 'key', data: { a: 1 } }] })
  })

  test('a callee that fails returns -3, its effects are dropped, and its gas is charged', () => {
    const failing = `${emit} (unreachable)`
    const check = `(if (i64.ne ${callOther} (i64.const -3)) (then unreachable)) (i64.const 0)`
    const result = run(hosted(check), {}, withOther(failing))
    expect(result).toMatchObject({ success: true, events: [] })
    expect(result.gasUsed).toBeGreaterThan(10_000 + 67 + 500)
  })

  test.each([
    ['an unknown module', callOther, emptyState, -1],
    ['an unknown function', callHost('call', 32, 66, 0, 3, 0, 0), undefined, -2],
    ['a malformed address', callHost('call', 32, 65, 100, 1, 0, 0), emptyState, -6],
    ['an address behind a byte order mark', callHost('call', 29, 69, 100, 1, 0, 0), undefined, -6],
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
    // The code after the call divides by zero: a trap after which optimistic metering repeats the run.
    const level = `(drop ${callOther}) (i64.div_u (i64.const 1) (i64.extend_i32_u (local.get 2)))`
    const result = executeOn(counting, requestOf(hosted(level)), withOther(level))
    expect(result).toMatchObject({ error: 'trap: integer divide by zero' })
    expect(instances).toBe(2 * 9)
  })
})

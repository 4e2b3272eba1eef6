import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import wabt from 'wabt'
import { createReceipt, hashReceipt } from '../../../protocol/execution/index.ts'
import { echoAddress, echoWasm } from '../../../protocol/hbc/testing/artifacts.ts'
import { readModule } from '../../../protocol/wasm/module.ts'
import { WasmError } from '../../../protocol/wasm/reader.ts'
import { executeOn } from './call.ts'
import { executeWith } from './engines.ts'
import type { ExecutionRequest, Surroundings } from './execution.ts'
import type { Engine } from './instance.ts'
import { meterExports, meterModule, stopped } from './meter.ts'
import { native, nativeWith } from './native.ts'
import { meterOptimistically } from './optimistic.ts'
import { rewriteModule } from './rewrite-module.ts'
import { runOnce } from './run-once.ts'
import { rewriteStack } from './stack-rewrite.ts'
import { compareInThread } from './testing/compare-worker.ts'

type Wabt = Awaited<ReturnType<typeof wabt>>
let tools: Wabt

beforeAll(async () => {
  tools = await wabt()
})

const assemble = (text: string): Uint8Array =>
  tools.parseWat('test.wat', text, { tail_call: true, simd: true, multi_value: true }).toBinary({}).buffer

/** A guest around a body for its entry; `more` goes before it. */
const guest = (entry: string, more = ''): Uint8Array =>
  assemble(`(module ${more.includes('(memory') ? '' : '(memory (export "memory") 1 4)'} ${more}
    (global $heap (mut i32) (i32.const 1024))
    (func (export "__alloc") (param i32) (result i32)
      (global.set $heap (i32.add (global.get $heap) (local.get 0)))
      (i32.sub (global.get $heap) (local.get 0)))
    (func (export "__hive_entry") (param i32 i32 i32) (result i64) ${entry}))`)

/** V8's own object, as far as it is used here. */
interface WebAssemblyNamespace {
  validate: (bytes: Uint8Array) => boolean
  Module: new (bytes: Uint8Array) => object
  Instance: new (
    module: object,
    imports: object,
  ) => { exports: Record<string, ((...values: number[]) => unknown) & { value: unknown }> }
}
const webAssembly = (globalThis as unknown as { WebAssembly: WebAssemblyNamespace }).WebAssembly

const alone: Surroundings = { module: () => null, stored: () => null }
const gasLimit = 10_000_000
const request = (wasm: Uint8Array, change: Partial<ExecutionRequest> = {}): ExecutionRequest => ({
  address: `test ${counter++}`,
  wasm,
  functionId: 0,
  input: new Uint8Array(),
  gasLimit,
  ...change,
})
let counter = 0

const run = (wasm: Uint8Array, change: Partial<ExecutionRequest> = {}, surroundings = alone) =>
  executeWith('native', request(wasm, change), surroundings)
const text = (bytes: Uint8Array | null) => (bytes === null ? null : new TextDecoder().decode(bytes))
const empty = '(i64.const 0)'

describe('the known answers', () => {
  const input = new TextEncoder().encode('{"msg":"hi"}')

  test('echo: output, event, gas and receipt hash', () => {
    const result = run(echoWasm, { input, address: echoAddress })
    expect(result).toMatchObject({
      success: true,
      gasUsed: 581,
      events: [{ name: 'echoed', data: { msg: 'hi' } }],
    })
    expect(text(result.output)).toBe('{"msg":"hi"}')
    const receipt = createReceipt({
      module_address: echoAddress,
      function: 'echo',
      input,
      output: result.output ?? new Uint8Array(),
      events: result.events,
      gas_used: result.gasUsed,
      success: result.success,
    })
    expect(hashReceipt(receipt)).toBe('0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6')
  })

  test('echo may overdraw: it succeeds down to a limit of 570 and is out of gas at 569', () => {
    for (const limit of [580, 575, 570])
      expect(run(echoWasm, { input, gasLimit: limit })).toMatchObject({ success: true, gasUsed: limit })
    for (const limit of [569, 500, 10, 1])
      expect(run(echoWasm, { input, gasLimit: limit })).toMatchObject({ error: 'out of gas', gasUsed: limit })
  })

  test.each([
    [
      'a function that calls itself',
      '(func $f (param i32 i32) (result i32) (call $f (local.get 0) (local.get 1)))',
      '(drop (call $f (i32.const 0) (i32.const 0)))',
      98_313,
    ],
    ['an empty function that calls itself', '(func $g (call $g))', '(call $g)', 163_839],
  ])('runaway recursion of %s ends at the stack limit', async (_, more, entry, gas) => {
    // The entry takes what is left over from the recorded programs into account by calling nothing else.
    const result = await runOnce('native', request(guest(`${entry} ${empty}`, more)), null, 30)
    expect(result.error).toBe('stack limit exceeded')
    expect(Math.abs(result.gasUsed - gas)).toBeLessThan(40)
  })

  test('a tail call 100,000 deep needs no stack', () => {
    const loop =
      '(func $f (param i32) (if (local.get 0) (then (return_call $f (i32.sub (local.get 0) (i32.const 1))))))'
    expect(run(guest(`(call $f (i32.const 100000)) ${empty}`, loop))).toMatchObject({ success: true })
  })
})

describe('metering', () => {
  test.each(['trees', 'code'] as const)(
    'every engine agrees with the plain reference of the rules on random modules of %s, at every limit',
    async (writer) => {
      const { differences, runs, outcomes } = await compareInThread(writer, 1, 40)
      expect(differences).toEqual([])
      expect(outcomes).not.toHaveProperty('invalid module')
      expect(runs).toBeGreaterThan(300)
      // The corpus is worth something only if it ends in many ways.
      expect(Object.keys(outcomes).length).toBeGreaterThan(4)
    },
  )

  const ten =
    '(loop $l (local.set 0 (i32.add (local.get 0) (i32.const 1))) (br_if $l (i32.lt_u (local.get 0) (i32.const 10))))'
  const worker = (body: string) => `(func $empty) (func $work (local i32) ${ten} ${body})`

  test('a trap reports what was saved at the last call or return, an unreachable everything', () => {
    const gasOf = (body: string, more = '') =>
      run(guest(`(call $work) ${empty}`, more + worker(body))).gasUsed
    const before = gasOf('(drop (i32.div_u (i32.const 1) (i32.const 0)))')
    expect(gasOf('(drop (i32.load (i32.const 70000)))')).toBe(before)
    const unreachable = gasOf('(unreachable)')
    expect(unreachable).toBeGreaterThan(before)
    expect(gasOf('(call $empty) (drop (i32.div_u (i32.const 1) (i32.const 0)))')).toBeGreaterThan(unreachable)
    // An access that can never be in bounds is counted up to itself; one that only is not now is an ordinary trap.
    expect(gasOf('(drop (i32.load offset=262144 (i32.const 0)))')).toBe(unreachable + 2)
    expect(gasOf('(drop (i32.load offset=262144 (i32.const 0)))', '(memory (export "memory") 1)')).toBe(
      before,
    )
  })

  test('the start function is metered and runs under the limit', () => {
    const wasm = guest(empty, '(func $start (loop $l (br $l))) (start $start)')
    expect(run(wasm, { gasLimit: 5000 })).toMatchObject({ error: 'out of gas', gasUsed: 5000 })
  })

  test('an active segment out of bounds fails with no gas used', () => {
    expect(run(guest(empty, '(data (i32.const 65535) "xx")'))).toMatchObject({
      error: 'trap: memory access out of bounds',
      gasUsed: 0,
    })
  })

  test('every NaN an operation makes is the canonical one, and signs put on it later stay', () => {
    const wasm = guest(
      `(f32.store (i32.const 0) (f32.div (f32.const 0) (f32.const 0)))
       (f64.store (i32.const 8) (f64.mul (f64.const -nan:0xc000000000001) (f64.const 1)))
       (f32.store (i32.const 16) (f32.neg (f32.sqrt (f32.const -1))))
       (f32.store (i32.const 20) (f32.demote_f64 (f64.const -nan:0xfff)))
       (i64.store (i32.const 24) (i64.extend_i32_u (i32.and
         (i32.eq (i32.load (i32.const 0)) (i32.const 0x7fc00000))
         (i32.and (i32.eq (i32.load (i32.const 16)) (i32.const 0xffc00000))
           (i32.and (i32.eq (i32.load (i32.const 20)) (i32.const 0x7fc00000))
             (i64.eq (i64.load (i32.const 8)) (i64.const 0x7ff8000000000000)))))))
       (i32.store8 (i32.const 32) (i32.add (i32.load (i32.const 24)) (i32.const 48)))
       (i64.const 0x2000000001)`,
    )
    expect(text(run(wasm).output)).toBe('1')
  })

  test('memory and tables do not grow past their caps, whatever they state', () => {
    const wasm = guest(
      `(if (i32.ne (memory.grow (i32.const 1023)) (i32.const 1)) (then unreachable))
       (if (i32.ne (memory.grow (i32.const 1)) (i32.const -1)) (then unreachable))
       (if (i32.ne (table.grow $t (ref.null extern) (i32.const 100000)) (i32.const -1)) (then unreachable))
       (if (i32.eq (table.grow $t (ref.null extern) (i32.const 99999)) (i32.const -1)) (then unreachable)) ${empty}`,
      '(memory (export "memory") 1) (table $t 1 externref)',
    )
    expect(run(wasm)).toMatchObject({ success: true })
  })

  test('memory that the machine does not give is a fault of the node, not an answer of the guest', () => {
    // Three pages that the rules allow, and one that they do not.
    const wasm = guest(`(if (i32.ne (memory.grow (i32.const 3)) (i32.const 1)) (then unreachable))
      (if (i32.ne (memory.grow (i32.const 1)) (i32.const -1)) (then unreachable)) ${empty}`)
    expect(run(wasm)).toMatchObject({ success: true })
    /** V8 refuses what the module was metered to be given. */
    const poor = (metered: Uint8Array): Uint8Array => {
      const module = readModule(metered)
      const bodies = module.bodies.map(({ bytes, at, end }) => bytes.subarray(at, end))
      const caps = { pages: 2, elements: 100_000 }
      return rewriteModule(metered, module, { bodies, types: [], globals: [], caps })
    }
    const exact = nativeWith((original) => poor(meterModule(original)))
    expect(() => executeOn(exact, request(wasm), alone)).toThrowError('the machine has no memory left')

    const { Module, Instance } = webAssembly
    const fast = new Instance(new Module(poor(meterOptimistically(wasm)!.wasm)), {}).exports
    fast[meterExports.fuel]!.value = -1_000_000n
    fast[meterExports.budget]!.value = 65_536
    expect(() => fast.__hive_entry!(0, 0, 0)).toThrowError(/unreachable/)
    expect(fast[meterExports.status]!.value).toBe(stopped.noMemory)
  })

  test('the exact rewrite and the fast one give valid modules', () => {
    for (const rewritten of [rewriteStack(echoWasm), meterModule(echoWasm)]) {
      expect(webAssembly.validate(rewritten)).toBe(true)
      expect(readModule(rewritten).exports.map(({ name }) => name)).toContain('__hive_entry')
    }
  })
})

describe('validation', () => {
  test.each([
    ['an operand of another type', '(func (i32.add (i64.const 1) (i32.const 1)) drop)'],
    ['a missing operand', '(func (result i32) i32.const 1 i32.add)'],
    ['a value left over', '(func i32.const 1)'],
    ['a missing result', '(func (result i32))'],
    ['a branch with the wrong value', '(func (block (result i32) (br 0 (i64.const 1))) drop)'],
    [
      'an if without else that gives something',
      '(func (if (result i32) (i32.const 1) (then (i32.const 1))) drop)',
    ],
    ['a constant global that is set', '(global $g i32 (i32.const 1)) (func (global.set $g (i32.const 2)))'],
    ['a function referred to that is named nowhere', '(func $f (drop (ref.func $f)))'],
    ['a tail call that gives something else', '(func $f (result i32) (i32.const 1)) (func (return_call $f))'],
    ['a select of two types', '(func (drop (select (i32.const 1) (i64.const 1) (i32.const 1))))'],
  ])('refuses %s, with no gas used', (_, more) => {
    const parsed = tools.parseWat(
      'bad.wat',
      `(module (memory (export "memory") 1)
      (func (export "__alloc") (param i32) (result i32) (i32.const 0))
      (func (export "__hive_entry") (param i32 i32 i32) (result i64) (i64.const 0)) ${more})`,
      { tail_call: true },
    )
    const wasm = parsed.toBinary({ write_debug_names: false }).buffer
    expect(() => meterModule(wasm)).toThrowError(WasmError)
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
    ['a select of nothing that is there', '(block unreachable select drop)'],
  ])('takes, where nothing leads, %s', async (_, body) => {
    const wasm = guest(`${body} ${empty}`)
    const [native, pulley] = (['native', 'pulley'] as const).map((engine) =>
      executeWith(engine, request(wasm), alone),
    )
    expect(native).toMatchObject({ error: 'trap: unreachable' })
    expect(pulley).toEqual(native)
  })
})

describe('the host', () => {
  const imports = `
    (import "hive" "call" (func $call (param i32 i32 i32 i32 i32 i32) (result i64)))
    (import "hive" "emit" (func $emit (param i32 i32 i32 i32)))
    (import "hive" "abort" (func $abort (param i32 i32)))
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
  const withOther = (entry: string): Surroundings => {
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
    ['an unknown module', callOther, alone, -1],
    [
      'an unknown function',
      callOther.replace('(i32.const 100) (i32.const 1)', '(i32.const 0) (i32.const 3)'),
      undefined,
      -2,
    ],
    ['a malformed address', callOther.replace('(i32.const 66)', '(i32.const 65)'), alone, -6],
    [
      'an address behind a byte order mark',
      callOther.replace('(i32.const 32) (i32.const 66)', '(i32.const 29) (i32.const 69)'),
      undefined,
      -6,
    ],
  ])('%s is %i', (_, call, surroundings, code) => {
    const wasm = hosted(`(if (i64.ne ${call} (i64.const ${code})) (then unreachable)) (i64.const 0)`)
    expect(run(wasm, {}, surroundings ?? withOther('(i64.const 0)'))).toMatchObject({ success: true })
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
    // What is left after the call divides by zero: a trap after which the fast way of metering begins anew.
    const level = `(drop ${callOther}) (i64.div_u (i64.const 1) (i64.extend_i32_u (local.get 2)))`
    const result = executeOn(counting, request(hosted(level)), withOther(level))
    expect(result).toMatchObject({ error: 'trap: integer divide by zero' })
    expect(instances).toBe(2 * 9)
  })

  test('a run that takes too long is a fault of the node, without a result', async () => {
    const slow = guest(
      '(loop $l (memory.fill (i32.const 0) (i32.const 0) (i32.const 262144)) (br $l)) (i64.const 0)',
      '(memory (export "memory") 4)',
    )
    await expect(
      runOnce('native', request(slow, { gasLimit: 10_000_000_000 }), null, 0.5),
    ).rejects.toThrowError(/took longer than/)
  })
})

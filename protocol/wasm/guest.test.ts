import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import wabt from 'wabt'
import { echoWasm } from '../hbc/testing/artifacts.ts'
import { bodies, buildWasm, importing, leb, vector } from '../hbc/testing/wasm-builder.ts'
import { readLocals } from './body.ts'
import { checkGuest, guestImports } from './guest.ts'
import { WasmError, WasmReader } from './reader.ts'

/** V8's own validator; the project's types have no browser library to name it. */
const { validate } = (globalThis as unknown as { WebAssembly: { validate: (bytes: Uint8Array) => boolean } })
  .WebAssembly

/** Something of everything guests may use. */
const everything = `(module
  (import "hive" "call" (func $call (param i32 i32 i32 i32 i32 i32) (result i64)))
  (import "storage" "get" (func $get (param i32 i32) (result i64)))
  (import "env" "abort" (func (param i32 i32 i32 i32)))
  (type $pair (func (param i32) (result i32 i64)))
  (memory (export "memory") 1 1024)
  (table $functions 2 10 funcref)
  (table $objects 1 externref)
  (global $mutable (mut i32) (i32.const -5))
  (global $wide i64 (i64.const 9223372036854775807))
  (global $vector v128 (v128.const i32x4 1 2 3 4))
  (global $null externref (ref.null extern))
  (global $reference funcref (ref.func $pair))
  (elem (table $functions) (i32.const 0) func $pair $double)
  (elem $passive funcref (ref.func $double) (ref.null func))
  (elem declare func $pair)
  (data (i32.const 8) "active")
  (data $later "passive")
  (func $pair (type $pair) local.get 0 i64.const 1)
  (func $double (param f64) (result f64) local.get 0 local.get 0 f64.add)
  (func (export "__alloc") (param i32) (result i32)
    (local v128 i64)
    i32.const 0 i32.const 0 i32.const 4 memory.init $later
    data.drop $later
    i32.const 0 i32.const 1 i32.const 2 memory.copy
    i32.const 0 i32.const 1 i32.const 2 memory.fill
    i32.const 0 i32.const 0 i32.const 1 table.init $functions $passive
    elem.drop $passive
    i32.const 0 i32.const 0 i32.const 1 table.copy $functions $functions
    ref.null extern i32.const 1 table.grow $objects drop
    i32.const 0 ref.null extern i32.const 1 table.fill $objects
    local.get 1 v128.const i64x2 1 2 i8x16.shuffle 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 31
    i32x4.extract_lane 3 drop
    f64.const 1.5 i64.trunc_sat_f64_s i64.extend32_s local.set 2
    i32.const 0 i32.const 0 v128.load offset=16 align=8 v128.store8_lane 15
    block (result i32)
      local.get 0
      (block (loop (br_table 0 1 0 (local.get 0))))
    end
    call $pair drop
    (if (result i32) (then i32.const 1) (else i32.const 2))
    memory.grow)
  (func (export "__hive_entry") (param i32 i32 i32) (result i64)
    local.get 0
    if
      f64.const 0 i32.const 1 return_call_indirect $functions (param f64) (result i64)
    end
    i64.const 1 i64.const 2 i32.const 1 select (result i64))
)`

let accepted: Uint8Array

beforeAll(async () => {
  const parsed = (await wabt()).parseWat('everything.wat', everything, { tail_call: true, simd: true })
  accepted = parsed.toBinary({}).buffer
})

describe('checkGuest', () => {
  test('accepts every feature guests may use, and says what is imported', () => {
    expect(validate(accepted)).toBe(true)
    expect(checkGuest(accepted)).toMatchObject({
      imports: ['hive.call', 'storage.get', 'env.abort'],
      stateless: false,
    })
    expect(checkGuest(buildWasm())).toMatchObject({ imports: [], stateless: true })
  })

  test.each(['hive.call', 'storage.get', 'storage.set', 'storage.del'])(
    '%s makes a module stateful',
    (name) => {
      const [module = '', field = ''] = name.split('.')
      const { params, result } = guestImports[name as keyof typeof guestImports]
      // Types of the builder: 2 takes four i32 and gives nothing, 3 takes two and gives an i64.
      const type = params === 4 && !result ? 2 : params === 2 && result ? 3 : -1
      if (type < 0) return
      expect(checkGuest(importing(module, field, type)).stateless).toBe(false)
    },
  )

  test('property: a truncated module is refused, unless it is still a valid module', () => {
    for (const wasm of [accepted, echoWasm])
      for (let length = 0; length < wasm.length; length++) {
        try {
          checkGuest(wasm.subarray(0, length))
        } catch (error) {
          expect(error).toBeInstanceOf(WasmError)
          expect((error as WasmError).offset ?? 0).toBeLessThanOrEqual(length)
          continue
        }
        // Only whole sections may be missing, and then nothing else refers to them.
        expect(validate(wasm.slice(0, length))).toBe(true)
      }
  })

  test('property: a changed module that V8 accepts is accepted, or breaks a rule for guests only', () => {
    fc.assert(
      fc.property(fc.nat(accepted.length - 1), fc.nat(255), (at, value) => {
        const changed = accepted.slice()
        changed[at] = value
        let kind: WasmError['kind'] | 'accepted' = 'accepted'
        try {
          checkGuest(changed)
        } catch (error) {
          expect(error).toBeInstanceOf(WasmError)
          kind = (error as WasmError).kind
        }
        if (validate(changed)) expect(kind).not.toBe('malformed')
      }),
      { numRuns: 5000 },
    )
  })

  test('takes time proportional to the bytes, whatever counts they state', () => {
    // A vector that claims four thousand million elements, in every section that has one.
    const huge = new Uint8Array([0xff, 0xff, 0xff, 0xff, 0x0f])
    for (const id of [1, 2, 3, 4, 5, 6, 7, 9, 10, 11])
      expect(() => checkGuest(buildWasm({ [id]: huge }))).toThrowError(WasmError)
    // A function that claims as many locals.
    const locals = new Uint8Array([
      2, 4, 0, 0x41, 0, 0x0b, 9, 1, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x7f, 0x42, 0x0b,
    ])
    expect(() => checkGuest(buildWasm({ 10: locals }))).toThrowError(/50000 locals/)
  })

  test('counts the parameters among the locals of a function', () => {
    // __alloc has one parameter.
    const withLocals = (count: number) =>
      buildWasm({ 10: new Uint8Array([2, 8, 1, ...leb(count), 0x7f, 0x41, 0, 0x0b, 4, 0, 0x42, 0, 0x0b]) })
    expect(() => checkGuest(withLocals(49_999))).not.toThrow()
    expect(() => checkGuest(withLocals(50_000))).toThrowError(/50000 locals, its parameters counted/)
  })

  const repeated = (count: number, item: number[]) =>
    new Uint8Array([...leb(count), ...Array.from({ length: count }, () => item).flat()])
  // Of 12 MiB of these, whose archive has a few kilobytes, an object each would take hundreds of megabytes.
  test.each([
    ['types', 1, [0x60, 0, 0]],
    ['tables', 4, [0x70, 0, 0]],
    ['memories', 5, [0, 0]],
    ['globals', 6, [0x7f, 0, 0x41, 0, 0x0b]],
    ['element segments', 9, [1, 0, 0]],
    ['data segments', 11, [1, 0]],
  ])('refuses more than a hundred thousand %s', (_, id, item) => {
    expect(() => checkGuest(buildWasm({ [id]: repeated(100_001, item) }))).toThrowError(
      expect.objectContaining({ kind: 'abi', message: expect.stringContaining('at most 100000') }),
    )
  })

  test('refuses types of more than a million parameters in all', () => {
    const type = [0x60, ...leb(1000), ...Array<number>(1000).fill(0x7f), 0]
    expect(() => checkGuest(buildWasm({ 1: repeated(1001, type) }))).toThrowError(
      expect.objectContaining({ kind: 'abi' }),
    )
  })

  test('ignores empty groups of locals, and reads blocks of any depth', () => {
    const count = 200_000
    const locals = [...leb(count), ...Array.from({ length: count }, () => [0, 0x7f]).flat()]
    const deep = [...Array.from({ length: count }, () => [0x02, 0x40]).flat(), ...Array(count).fill(0x0b)]
    const alloc = [...locals, ...deep, 0x41, 0, 0x0b]
    const code = new Uint8Array([2, ...leb(alloc.length), ...alloc, 4, 0, 0x42, 0, 0x0b])
    const { module } = checkGuest(buildWasm({ 10: code }))
    const { bytes, at, end } = module.bodies[0]!
    expect(at).toBe(end)
    const reader = new WasmReader(bytes, end - alloc.length, end)
    expect(readLocals(reader, ['i32'])).toEqual([{ type: 'i32', end: 1 }])
  })

  test('shows only the beginning of a long name in its error', () => {
    const name = 'n'.repeat(100_000)
    for (const wasm of [importing(name, 'f', 2), importing('hive', name, 2)])
      expect(() => checkGuest(wasm)).toThrowError(/^the import "[^"]{65}" is not a function of the host/)
  })

  test.each([
    ['an i32', [0x41], 5],
    ['an i64', [0x42], 10],
  ])('refuses %s that takes more bytes than its bits need', (_, operator, bytesMax) => {
    const padded = (bytes: number) => {
      const code = [...operator, ...Array<number>(bytes - 1).fill(0x80), 0, 0x1a]
      return buildWasm({ 10: bodies([0x41, 0], [...code, 0x42, 0]) })
    }
    expect(() => checkGuest(padded(bytesMax))).not.toThrow()
    expect(() => checkGuest(padded(bytesMax + 1))).toThrowError(
      expect.objectContaining({ kind: 'malformed' }),
    )
  })

  test('refuses the type of a block as a negative number of two bytes, however many types there are', () => {
    const types = Array.from({ length: 20_000 }, () => [0x60, 0, 0])
    types[0] = [0x60, 1, 0x7f, 1, 0x7f]
    types[1] = [0x60, 3, 0x7f, 0x7f, 0x7f, 1, 0x7e]
    const withBlock = (...type: number[]) =>
      buildWasm({ 1: vector(...types), 10: bodies([0x41, 0], [0x02, ...type, 0x0b, 0x42, 0]) })
    // 16,383, which is the same seven bits without the sign.
    expect(() => checkGuest(withBlock(0xff, 0xff, 0x00))).not.toThrow()
    for (const last of [0x7f, 0x7e, 0x40])
      expect(() => checkGuest(withBlock(0xff, last))).toThrowError(
        expect.objectContaining({ kind: 'malformed' }),
      )
  })

  test.each([
    ['a branch out of the function', [0x0c, 0x01]],
    ['a local that does not exist', [0x20, 0x03]],
    ['a global that does not exist', [0x23, 0x00]],
    ['a function that does not exist', [0x10, 0x02]],
    ['a table that does not exist', [0x25, 0x00]],
    ['an else without if', [0x05]],
    ['an access aligned beyond its size', [0x41, 0, 0x28, 0x03, 0x00, 0x1a]],
    ['a data segment without a count', [0xfc, 0x09, 0x00]],
  ])('refuses %s', (_, code) => {
    expect(() => checkGuest(buildWasm({ 10: bodies([0x41, 0], [...code, 0x42, 0]) }))).toThrowError(
      expect.objectContaining({ kind: 'malformed' }),
    )
  })
})

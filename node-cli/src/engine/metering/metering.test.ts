import { describe, expect, test } from 'vitest'
import { echoWasm } from '../../../../protocol/hbc/testing/artifacts.ts'
import { readModule } from '../../../../protocol/wasm/module.ts'
import { emptyState } from '../execution.ts'
import { executeOn } from '../host/call.ts'
import type { Engine } from '../host/instance.ts'
import { interpreter } from '../interpreter/interpreter.ts'
import { native, nativeWith } from '../native/native.ts'
import { webAssembly } from '../native/web-assembly.ts'
import { compareInThread } from '../testing/compare-worker.ts'
import { empty, guest, requestOf, run } from '../testing/guests.ts'
import { rewriteStack } from '../testing/stack-rewrite.ts'
import { meterExactly } from './exact-module.ts'
import { meterExports, stopped } from './meter-state.ts'
import { meterOptimistically } from './optimistic-module.ts'
import { rewriteModule } from './rewrite-module.ts'

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

  test('a trap reports the gas saved at the last call or return, and unreachable reports all of it', () => {
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

  test('a NaN in a large module that hardly computes with floats needs no second run', () => {
    /** Whether each instance of a run was metered exactly. */
    const attempts = (more: string, operations: number): boolean[] => {
      const seen: boolean[] = []
      const watched: Engine = {
        instantiate: (wasm, gasLimit, host, exact) => {
          seen.push(exact)
          return native.instantiate(wasm, gasLimit, host, exact)
        },
      }
      const nan = '(f64.store (i32.const 0) (f64.div (f64.const 0) (f64.const 0)))'
      const given = requestOf(guest(`${nan.repeat(operations)} ${empty}`, more))
      const result = executeOn(watched, given, emptyState)
      expect(result).toEqual(executeOn(interpreter, given, emptyState))
      expect(result.success).toBe(true)
      return seen
    }
    const large = `(func ${'nop '.repeat(65 * 1024)})`
    expect(attempts(large, 1)).toEqual([false])
    expect(attempts('', 1)).toEqual([false, true])
    // Numeric code is faster where NaNs are only looked for.
    expect(attempts(large, 150)).toEqual([false, true])
  })

  test('memory and tables do not grow beyond their caps, whatever they declare', () => {
    const wasm = guest(
      `(if (i32.ne (memory.grow (i32.const 1023)) (i32.const 1)) (then unreachable))
       (if (i32.ne (memory.grow (i32.const 1)) (i32.const -1)) (then unreachable))
       (if (i32.ne (table.grow $t (ref.null extern) (i32.const 100000)) (i32.const -1)) (then unreachable))
       (if (i32.eq (table.grow $t (ref.null extern) (i32.const 99999)) (i32.const -1)) (then unreachable)) ${empty}`,
      '(memory (export "memory") 1) (table $t 1 externref)',
    )
    expect(run(wasm)).toMatchObject({ success: true })
  })

  test('memory that the machine cannot provide is a fault of the node, not an answer of the guest', () => {
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
    const exact = nativeWith((original) => poor(meterExactly(original)))
    expect(() => executeOn(exact, requestOf(wasm), emptyState)).toThrowError('the machine has no memory left')

    const { Module, Instance } = webAssembly
    const fast = new Instance(new Module(poor(meterOptimistically(wasm)!.wasm)), {}).exports as Record<
      string,
      ((...values: number[]) => unknown) & { value: unknown }
    >
    fast[meterExports.fuel]!.value = -1_000_000n
    fast[meterExports.budget]!.value = 65_536
    expect(() => fast.__hive_entry!(0, 0, 0)).toThrowError(/unreachable/)
    expect(fast[meterExports.status]!.value).toBe(stopped.noMemory)
  })

  test('the exact rewrite and the fast one give valid modules', () => {
    for (const rewritten of [rewriteStack(echoWasm), meterExactly(echoWasm)]) {
      expect(webAssembly.validate(rewritten)).toBe(true)
      expect(readModule(rewritten).exports.map(({ name }) => name)).toContain('__hive_entry')
    }
  })
})

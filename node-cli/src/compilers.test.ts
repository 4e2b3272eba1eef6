import v8 from 'node:v8'
import { expect, test } from 'vitest'
import { withBaselineWasm, withoutCompilers } from './compilers.ts'
import { webAssembly } from './engine/native/web-assembly.ts'
import { assemble } from './engine/testing/guests.ts'

v8.setFlagsFromString('--allow-natives-syntax')

/** Whether V8 compiles a function that is called often, in a thread of its own: on a busy machine it may still be at it. */
function isCompiled(): boolean {
  // A new one each time: what was compiled once stays so.
  const work = new Function('a', 'let sum = 0; for (let i = 0; i < a; i++) sum += i ^ a; return sum')
  // Bits of V8's answer: by Maglev, by Turbofan.
  const optimized = (1 << 4) | (1 << 5)
  const statusOf = new Function('f', 'return %GetOptimizationStatus(f)')
  for (let call = 0; call < 30_000; call++) {
    work(200)
    if ((statusOf(work) & optimized) !== 0) return true
  }
  return false
}

test('a small run is not compiled, but code after it is', async () => {
  const compileAgain = withoutCompilers(16 * 1024)
  expect(isCompiled()).toBe(false)
  compileAgain()
  await expect.poll(isCompiled).toBe(true)
})

test('a larger run is compiled', async () => {
  withoutCompilers(16 * 1024 + 1)
  await expect.poll(isCompiled).toBe(true)
})

/** Whether V8 optimizes a WebAssembly function that is called often. @param name Another one each time: V8 knows bytes again. */
async function isOptimized(name: string): Promise<boolean> {
  const text = `(module (func (export "${name}") (param i32)
    (loop (br_if 0 (local.tee 0 (i32.sub (local.get 0) (i32.const 1)))))))`
  const { Instance, Module } = webAssembly
  const { exports } = new Instance(new Module(new Uint8Array(assemble(text))), {})
  const run = exports[name] as (times: number) => void
  const statusOf = new Function('f', 'return %IsTurboFanFunction(f)')
  for (let call = 0; call < 20; call++) {
    run(2_000_000)
    // It optimizes in another thread.
    await new Promise(setImmediate)
    if (statusOf(run)) return true
  }
  return false
}

test('WebAssembly is not optimized while a compiler runs once, but modules loaded later are', async () => {
  expect(await withBaselineWasm(() => isOptimized('meanwhile'))).toBe(false)
  await expect(withBaselineWasm(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  let later = 0
  await expect.poll(() => isOptimized(`later${later++}`)).toBe(true)
})

import v8 from 'node:v8'
import { expect, test } from 'vitest'
import { withoutCompilers } from './compilers.ts'

v8.setFlagsFromString('--allow-natives-syntax')

/** Whether V8 compiles a function that is called often. */
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

test('a small run is not compiled, and what follows it is', () => {
  const compileAgain = withoutCompilers(16 * 1024)
  expect(isCompiled()).toBe(false)
  compileAgain()
  expect(isCompiled()).toBe(true)
})

test('a larger run is compiled', () => {
  withoutCompilers(16 * 1024 + 1)
  expect(isCompiled()).toBe(true)
})

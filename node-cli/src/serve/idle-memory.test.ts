import { describe, expect, test } from 'vitest'
import { IdleMemory, processMemory } from './idle-memory.ts'

const mebibyte = 1024 * 1024

/** A process whose heap shrinks to 16 MiB when it is collected. */
function createProcess() {
  const state = { cpuMs: 0, heapBytes: 18 * mebibyte, collections: 0 }
  const idle = new IdleMemory({
    cpuMs: () => state.cpuMs,
    heapBytes: () => state.heapBytes,
    collect: () => {
      state.collections += 1
      state.heapBytes = 16 * mebibyte
    },
  })
  const look = (work: { cpuMs: number; heapBytes?: number }): number => {
    state.cpuMs += work.cpuMs
    state.heapBytes = work.heapBytes ?? state.heapBytes
    idle.look(15_000)
    return state.collections
  }
  return { look }
}

describe('IdleMemory', () => {
  test('collects once the work is over, and not again until memory grows', () => {
    const { look } = createProcess()
    expect(look({ cpuMs: 9_000, heapBytes: 60 * mebibyte })).toBe(0)
    expect(look({ cpuMs: 20 })).toBe(1)
    for (let i = 0; i < 10; i++) expect(look({ cpuMs: 20, heapBytes: 17 * mebibyte })).toBe(1)
  })

  test('collects again after further work', () => {
    const { look } = createProcess()
    expect(look({ cpuMs: 20 })).toBe(1)
    expect(look({ cpuMs: 9_000, heapBytes: 40 * mebibyte })).toBe(1)
    expect(look({ cpuMs: 20 })).toBe(2)
  })

  test('never collects while there is work', () => {
    const { look } = createProcess()
    for (let i = 0; i < 10; i++) expect(look({ cpuMs: 400, heapBytes: 100 * mebibyte })).toBe(0)
  })
})

test('unreferenced memory is gone after a collection, and no collector stays', async () => {
  const held = new WeakRef({ of: 'nobody' })
  // A reference that was looked at lives until the turn ends.
  await new Promise(setImmediate)
  processMemory.collect()
  expect(held.deref()).toBeUndefined()
  expect(globalThis.gc).toBeUndefined()
  expect(processMemory.heapBytes()).toBeGreaterThan(0)
})

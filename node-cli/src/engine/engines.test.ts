import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { createReceipt, hashReceipt } from '../../../protocol/execution/index.ts'
import { echoAddress, echoWasm } from '../../../protocol/hbc/testing/artifacts.ts'
import { emptyState } from './execution.ts'
import { empty, guest, requestOf, run, text } from './testing/guests.ts'
import { closeIdleThreads, keepIdleThreads, runInThread } from './thread/thread-pool.ts'

afterAll(closeIdleThreads)

test('a thread that is not used ends, and the next run starts another one', async () => {
  const workers: Worker[] = []
  const count = (worker: Worker) => void workers.push(worker)
  process.on('worker', count)
  onTestFinished(() => void process.off('worker', count))
  onTestFinished(() => keepIdleThreads(2, 60_000))
  await closeIdleThreads()
  keepIdleThreads(2, 0)
  const runOnce = () =>
    runInThread(
      'native',
      requestOf(echoWasm, { input: new TextEncoder().encode('{}'), address: echoAddress }),
      emptyState,
      { timeoutSeconds: 60, signal: undefined },
    )
  for (const runs of [1, 2]) {
    expect(await runOnce()).toMatchObject({ success: true })
    expect(workers).toHaveLength(runs)
    await once(workers.at(-1)!, 'exit')
  }
})

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
    const result = await runInThread('native', requestOf(guest(`${entry} ${empty}`, more)), emptyState, {
      timeoutSeconds: 30,
      signal: undefined,
    })
    expect(result.error).toBe('stack limit exceeded')
    expect(Math.abs(result.gasUsed - gas)).toBeLessThan(40)
  })

  test('a tail call 100,000 deep needs no stack', () => {
    const loop =
      '(func $f (param i32) (if (local.get 0) (then (return_call $f (i32.sub (local.get 0) (i32.const 1))))))'
    expect(run(guest(`(call $f (i32.const 100000)) ${empty}`, loop))).toMatchObject({ success: true })
  })
})

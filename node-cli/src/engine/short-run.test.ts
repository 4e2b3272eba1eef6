import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { echoAddress, echoWasm } from '../../../protocol/hbc/testing/artifacts.ts'
import { temporaryFolder } from '../../../testing/node/folders.ts'
import { engines } from './engines.ts'
import { type ExecutionRequest, emptyState } from './execution.ts'
import { executeOn } from './host/call.ts'
import { closeThreads, execute } from './index.ts'
import { interpreterWith } from './interpreter/interpreter.ts'
import { runShortly } from './short-run.ts'
import { assemble, requestOf } from './testing/guests.ts'

afterAll(closeThreads)

const guest = (entry: string, more = ''): Uint8Array =>
  assemble(`(module (import "crypto" "hash" (func $hash (param i32 i32) (result i64)))
    (import "hive" "call" (func $call (param i32 i32 i32 i32 i32 i32) (result i64)))
    (memory (export "memory") 16) ${more}
    (func (export "__alloc") (param i32) (result i32) ${more.includes('$alloc') ? '(call $alloc)' : ''} (i32.const 1024))
    (func (export "__hive_entry") (param i32 i32 i32) (result i64) ${entry}))`)

const request = (wasm: Uint8Array, change: Partial<ExecutionRequest> = {}): ExecutionRequest =>
  requestOf(wasm, { address: echoAddress, gasLimit: 1_000_000_000, ...change })

describe('a short run', () => {
  test('ends in this thread as it would in another', () => {
    const input = new TextEncoder().encode('{"msg":"hi"}')
    for (const gasLimit of [1_000_000, 570, 569]) {
      const given = request(echoWasm, { input, gasLimit })
      expect(runShortly(given, emptyState)).toEqual(executeOn(engines.native, given, emptyState))
    }
  })

  const loop = (body: string) => `(loop $l ${body} (br $l)) (i64.const 0)`
  test.each([
    [
      'hashes much memory',
      guest(
        '(drop (memory.grow (i32.const 1008))) (drop (call $hash (i32.const 0) (i32.const 67108864))) (i64.const 0)',
      ),
    ],
    ['computes for long', guest(loop(''))],
    ['moves memory cheaply', guest(loop('(memory.fill (i32.const 0) (i32.const 0) (i32.const 1048576))'))],
    [
      'goes deeper through the host than this stack',
      guest(
        '(call $hash (i32.const 0) (i32.const 1))',
        '(func $alloc (drop (call $hash (i32.const 0) (i32.const 1))))',
      ),
    ],
    ['is of a large module', guest('(i64.const 0)', `(data (i32.const 0) "${'x'.repeat(300_000)}")`)],
  ])('is not one that %s', (_, wasm) => {
    expect(runShortly(request(wasm), emptyState)).toBeNull()
  })
})

test('a short run does not prepare large modules that it calls', () => {
  const caller = guest(
    `(drop (call $call (i32.const 0) (i32.const 66) (i32.const 66) (i32.const 1) (i32.const 0) (i32.const 0))) (i64.const 0)`,
    `(data (i32.const 0) "${echoAddress}f")`,
  )
  const runWith = (wasm: Uint8Array) =>
    runShortly(request(caller, { gasLimit: 1_000_000 }), {
      module: () => ({ wasm, functions: ['f'] }),
      stored: () => null,
    })
  expect(runWith(guest('(i64.const 0)'))).toMatchObject({ success: true })
  // Were it looked at, it would be one that is not valid, which is an answer to the guest.
  expect(runWith(new Uint8Array(256 * 1024))).toBe(null)
})

test.each([
  ['starts no thread: a short run in the foreground', 'auto', { foreground: true }, 0],
  ['starts a thread: the same where only V8 may run it', 'native', { foreground: true }, 1],
  ['starts a thread: a run that the process does not wait for', 'auto', {}, 1],
] as const)('%s, on %s', async (_, engine, foreground, threads) => {
  await closeThreads()
  let started = 0
  const count = () => {
    started += 1
  }
  process.on('worker', count)
  onTestFinished(() => void process.off('worker', count))
  const { wasm, functionId: _id, ...given } = request(guest('(i64.const 0)'))
  const module = { wasm, functions: ['f'] }
  // How many threads there are when the run leaves this one.
  const left: number[] = []
  const onLeft = () => void left.push(started)
  const result = await execute({ ...given, engine, module, function: 'f', onLeft, ...foreground })
  expect(result).toMatchObject({ success: true })
  expect(started).toBe(threads)
  expect(left).toEqual('foreground' in foreground ? [0] : [])
})

test('a longer run goes on in a thread, with the same outcome', async () => {
  const count =
    '(local i32) (loop $l (br_if $l (i32.lt_u (local.tee 3 (i32.add (local.get 3) (i32.const 1))) (i32.const 3000000)))) (i64.const 0)'
  const { wasm, functionId: _, ...given } = request(guest(count))
  const module = { wasm, functions: ['f'] }
  const [auto, native, pulley] = await Promise.all(
    (['auto', 'native', 'pulley'] as const).map((engine) =>
      execute({ ...given, engine, module, function: 'f', foreground: true }),
    ),
  )
  expect(auto).toMatchObject({ success: true })
  expect(auto).toEqual(native)
  expect(auto).toEqual(pulley)
})

test('pauses after memory moves and after host calls change nothing, whatever gas is left', () => {
  const much = '(memory.fill (i32.const 0) (i32.const 7) (i32.const 67108864))'
  // Costs gas for each byte of its input, though it finds no module.
  const dear =
    '(drop (call $call (i32.const 0) (i32.const 66) (i32.const 0) (i32.const 1) (i32.const 0) (i32.const 100000)))'
  const wasm = guest(
    `(drop (memory.grow (i32.const 1008))) ${much.repeat(7)} ${dear.repeat(12)} ${much.repeat(5)} (i64.const 0)`,
  )
  const limited = (gasLimit: number) => {
    const given = request(wasm, { gasLimit })
    const native = executeOn(engines.native, given, emptyState)
    let pauses = 0
    expect(
      executeOn(
        interpreterWith(() => void pauses++),
        given,
        emptyState,
      ),
    ).toEqual(native)
    expect(pauses).toBeGreaterThan(2)
    return native
  }
  const { error, gasUsed } = limited(1_000_000_000)
  expect(error).toBe(null)
  expect(limited(gasUsed).error).toBe(null)
  for (const little of [gasUsed - 5000, gasUsed - 100_000, 100])
    expect(limited(little).error).toBe('out of gas')
})

describe('the clock ends the run, its thread and the process', () => {
  const folder = temporaryFolder()
  const all = 64 * 1024 * 1024
  const fill = `(memory.fill (i32.const 0) (i32.const 0) (i32.const ${all}))`
  const inFullMemory = (work: string) => guest(`(drop (memory.grow (i32.const 1008))) ${work} (i64.const 0)`)
  const modules = {
    'fills memory in a loop': inFullMemory(`(loop $l ${fill} (br $l))`),
    'fills memory without a loop': inFullMemory(fill.repeat(20_000)),
    'hashes memory without a loop': inFullMemory(
      `(drop (call $hash (i32.const 0) (i32.const ${all})))`.repeat(140),
    ),
    'copies a table in a loop': guest(
      '(loop $l (table.copy (i32.const 0) (i32.const 1) (i32.const 99999)) (br $l)) (i64.const 0)',
      '(table 100000 funcref)',
    ),
    'calls itself last': guest(
      '(call $again (v128.const f64x2 2 2)) (i64.const 0)',
      `(func $again (param v128) local.get 0 ${'f64x2.sqrt '.repeat(2000)} return_call $again)`,
    ),
  }

  test.for(
    Object.keys(modules).flatMap((name) =>
      (['auto', 'pulley'] as const).map((engine) => [name, engine] as const),
    ),
  )('of a module that %s, on %s', async ([name, engine], { onTestFinished }) => {
    const file = path.join(folder, 'guest.wasm')
    writeFileSync(file, modules[name as keyof typeof modules])
    const program = path.join(import.meta.dirname, 'testing/run-limited.ts')
    const child = spawn(process.execPath, [program, file, engine, '0.5'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    const [[code], said] = await Promise.all([once(child, 'exit'), text(child.stdout)])
    expect(said).toBe('the run took longer than 0.5 s\n')
    expect(code).toBe(0)
  })
})

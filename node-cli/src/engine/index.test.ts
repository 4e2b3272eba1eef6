import { afterAll, describe, expect, test } from 'vitest'
import { echoAddress, echoManifest, echoWasm } from '../../../protocol/hbc/testing/artifacts.ts'
import { readModule } from '../../../protocol/wasm/module.ts'
import { emptyState } from './execution.ts'
import {
  closeThreads,
  type EngineChoice,
  type ExecuteRequest,
  ExecutionRefused,
  engineNames,
  execute,
  limits,
  NodeFault,
} from './index.ts'
import { rewriteModule } from './metering/rewrite-module.ts'
import { hostCalls, hosted, text } from './testing/guests.ts'

const functions = ['f']
const callee = `0x${'5a'.repeat(32)}`
const { get, set, emit, log, other: callOther } = hostCalls
const moduleOf = (entry: string) => ({ wasm: hosted(entry, callee), functions })
const calling = moduleOf(callOther)
const usual = {
  engine: 'auto' as EngineChoice,
  address: `0x${'00'.repeat(32)}`,
  function: 'f',
  input: new Uint8Array(),
  gasLimit: 1_000_000,
}
const fault = (message: string) => expect.objectContaining({ name: 'NodeFault', message })
const onBoth = (request: Omit<ExecuteRequest, 'engine'>) =>
  Promise.all((['auto', 'pulley'] as const).map((engine) => execute({ ...request, engine })))

afterAll(closeThreads)

describe.each(engineNames)('execute on %s', (engine) => {
  const base = { ...usual, engine }

  test('gives the known answer: output, event and gas', async () => {
    const input = new TextEncoder().encode('{"msg":"hi"}')
    const module = { wasm: echoWasm, functions: echoManifest.functions }
    const ran = await execute({ ...base, address: echoAddress, module, function: 'echo', input })
    expect(ran).toMatchObject({ success: true, gasUsed: 581, writes: [] })
    expect(text(ran.output)).toBe('{"msg":"hi"}')
    expect(ran.events).toEqual([{ name: 'echoed', data: { msg: 'hi' } }])
  })

  test('storage may answer asynchronously; writes are returned and not stored', async () => {
    let questions = 0
    const stored = async () => {
      questions += 1
      return Buffer.from('old')
    }
    const module = moduleOf(`(local $old i64) (local.set $old ${get}) ${set} (local.get $old)`)
    for (const round of [1, 2]) {
      const ran = await execute({ ...base, address: callee, module, state: { ...emptyState, stored } })
      expect(text(ran.output)).toBe('old')
      expect(ran.writes).toEqual([
        { address: callee, key: '6b6579', value: new TextEncoder().encode('value') },
      ])
      expect(questions).toBe(round)
    }
  })

  test('a callee is resolved by the caller of execute, and its writes carry its address', async () => {
    const other = moduleOf(`${set} ${get}`)
    const module = async (address: string) => (address === callee ? other : null)
    const ran = await execute({ ...base, module: calling, state: { ...emptyState, module } })
    expect(text(ran.output)).toBe('value')
    expect(ran.writes).toMatchObject([{ address: callee }])
  })

  test('the running module finds itself, even if the caller of execute does not know it', async () => {
    const levels = moduleOf(`(local $below i64) (local.set $below ${callOther})
      (if (result i64) (i64.lt_s (local.get $below) (i64.const 0)) (then ${set} ${get}) (else (local.get $below)))`)
    const asked: string[] = []
    const module = async (address: string) => {
      asked.push(address)
      return null
    }
    const run = { ...base, address: callee, module: levels }
    const ran = await execute({ ...run, state: { ...emptyState, module } })
    expect(text(ran.output)).toBe('value')
    expect(ran).toEqual(await execute(run))
    expect(asked).toEqual([])
  })

  test('a callee that cannot be looked up is a fault of the node, not an outcome', async () => {
    const module = () => Promise.reject(new Error('the peer is away'))
    const asking = execute({ ...base, module: calling, state: { ...emptyState, module } })
    await expect(asking).rejects.toThrowError(fault('the peer is away'))
  })

  test('a repeated run keeps nothing of the first run: one event, one log line, one query', async () => {
    let questions = 0
    const stored = () => {
      questions += 1
      return null
    }
    // The NaN of the division is stored, which no fast run may decide about.
    const wasm = hosted(
      `(drop ${get}) ${emit} ${log} ${set}
       (f64.store (i32.const 200) (f64.div (f64.const 0) (global.get $zero)))
       (i64.store (i32.const 208) (i64.add (i64.shr_u (i64.load (i32.const 200)) (i64.const 60)) (i64.const 48)))
       (i64.const 0xd000000001)`,
      callee,
      '(global $zero f64 (f64.const 0))',
    )
    const ran = await execute({ ...base, module: { wasm, functions }, state: { ...emptyState, stored } })
    expect(ran).toMatchObject({ success: true, events: [{ name: 'key' }], logs: ['value'] })
    expect(text(ran.output)).toBe('7')
    expect(ran.writes).toHaveLength(1)
    expect(questions).toBe(1)
  })

  test('after a run that the clock has ended the next one is not affected', async () => {
    const endless = moduleOf(
      '(loop $l (memory.fill (i32.const 0) (i32.const 0) (i32.const 65536)) (br $l)) (i64.const 0)',
    )
    const running = execute({ ...base, module: endless, gasLimit: 10_000_000_000, timeoutSeconds: 0.2 })
    await expect(running).rejects.toThrowError(fault('the run took longer than 0.2 s'))
    expect(await execute({ ...base, module: moduleOf('(i64.const 0)') })).toMatchObject({ success: true })
  })

  test('an aborted signal ends a run, and prevents its start', async () => {
    const endless = moduleOf('(loop $l (br $l)) (i64.const 0)')
    const stop = new AbortController()
    const run = { ...base, module: endless, gasLimit: 10_000_000_000, signal: stop.signal }
    const running = execute(run)
    stop.abort()
    await expect(running).rejects.toThrowError(fault('the run was given up'))
    await expect(execute(run)).rejects.toThrowError(fault('the run was given up'))
  })

  test('the log of a module is bounded in lines and bytes, and logging beyond them costs the same', async () => {
    const logging = (lines: number, bytes: number) =>
      moduleOf(
        `(local i32) (loop $l (call $log (i32.const 4096) (i32.const ${bytes}))
           (br_if $l (i32.lt_u (local.tee 3 (i32.add (local.get 3) (i32.const 1))) (i32.const ${lines}))))
         (i64.const 0)`,
      )
    const gasLimit = 100_000_000
    const many = await execute({ ...base, module: logging(limits.logLines + 500, 1), gasLimit })
    expect(many.logs).toHaveLength(limits.logLines)
    const long = await execute({ ...base, module: logging(500, limits.logLine), gasLimit })
    expect(long.logs.join('')).toHaveLength(limits.logBytes)
    expect(long.gasUsed).toBeGreaterThan(500 * (limits.logLine + 100))
  })

  test('a module is identified by its bytes, not by its address', async () => {
    const one = { ...base, address: callee }
    expect(text((await execute({ ...one, module: moduleOf(`${set} ${get}`) })).output)).toBe('value')
    expect(text((await execute({ ...one, module: moduleOf('(i64.const 0)') })).output)).toBe('')
  })

  test('many runs at once do not mix', async () => {
    const module = moduleOf(
      '(i64.or (i64.shl (i64.extend_i32_u (local.get 1)) (i64.const 32)) (i64.const 2))',
    )
    const inputs = Array.from({ length: 6 }, (_, index) => new TextEncoder().encode(`${index}${index}`))
    const ran = await Promise.all(inputs.map((input) => execute({ ...base, module, input })))
    expect(ran.map(({ output }) => text(output))).toEqual(['00', '11', '22', '33', '44', '55'])
  })
})

describe('a module that V8 refuses and the rules allow', () => {
  const answer = '(i64.store (i32.const 0) (i64.const 0x37)) (i64.const 1)'
  // v128.const 0; drop: a body of many bytes in operators that are few, for each is looked at several times.
  const longOperator = [0xfd, 0x0c, ...new Array<number>(16).fill(0), 0x1a]
  const lengthened = (count: number): Uint8Array => {
    const { wasm } = moduleOf(answer)
    const module = readModule(wasm)
    const bodies = module.bodies.map((body, index) => {
      const original = body.bytes.subarray(body.at, body.end)
      if (index < module.bodies.length - 1) return original
      // The padding follows the declarations of locals, which are empty.
      const padded = new Uint8Array(original.length + count).fill(0x01)
      padded[0] = 0
      for (let at = 1; at + longOperator.length <= 1 + count; at += longOperator.length)
        padded.set(longOperator, at)
      padded.set(original.subarray(1), 1 + count)
      return padded
    })
    return rewriteModule(wasm, module, { bodies, types: [], globals: [] })
  }

  test.each([
    ['too many locals once two are added', () => moduleOf(`(local ${'i32 '.repeat(49_997)}) ${answer}`).wasm],
    ['a body longer than V8 takes', () => lengthened(7_700_000)],
    ['a body that is longer than V8 takes only once it counts its gas', () => lengthened(7_654_300)],
  ])('%s: runs on the interpreter, unless that is forbidden', async (_, make) => {
    const module = { wasm: make(), functions }
    const [auto, pulley] = await onBoth({ ...usual, module })
    expect(text(auto!.output)).toBe('7')
    expect(auto).toEqual(pulley)
    await expect(execute({ ...usual, module, engine: 'native' })).rejects.toThrowError(NodeFault)
  })

  test('calls a module that V8 accepts, and is called by it', async () => {
    const large = moduleOf(`(local ${'i32 '.repeat(49_997)}) ${set} ${get}`)
    const state = { ...emptyState, module: () => large }
    const [auto, pulley] = await onBoth({ ...usual, module: calling, state })
    expect(text(auto!.output)).toBe('value')
    expect(auto).toEqual(pulley)
  })
})

describe('execute refuses, before anything runs,', () => {
  test.each([
    ['no gas', 'gas_limit', { gasLimit: 0 }],
    ['a fraction of gas', 'gas_limit', { gasLimit: 1.5 }],
    ['more gas than there is', 'gas_limit', { gasLimit: 10_000_000_001 }],
    ['an input over the limit', 'input', { input: new Uint8Array(1024 * 1024 + 1) }],
    ['a function that is not exported', 'function', { function: 'other' }],
  ])('%s', async (_, reason, change) => {
    const refused = execute({ ...usual, module: moduleOf('(i64.const 0)'), ...change })
    await expect(refused).rejects.toThrowError(ExecutionRefused)
    await expect(refused).rejects.toMatchObject({ reason })
  })
})

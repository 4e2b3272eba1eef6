import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { deflateRawSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Artifact, openArtifact } from '../protocol/hbc/artifact.ts'
import { newEntryRatioMax } from '../protocol/hbc/zip.ts'
import { filledAscHome } from '../testing/node/folders.ts'
import { compileModule } from './src/compiler/compile-module.ts'
import { project } from './src/compiler/testing/project.ts'
import {
  type CallableModule,
  closeThreads,
  type ExecuteRequest,
  engineNames,
  execute,
  limits,
  NodeFault,
} from './src/engine/index.ts'
import { assemble, text } from './src/engine/testing/guests.ts'

// A busy machine is no reason to fail: what is bounded here is gas and memory.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 })

const folder = path.join(import.meta.dirname, '../examples')
const artifacts = new Map<string, Artifact>()

beforeAll(async () => {
  process.env.NODE_ASC_HOME = filledAscHome()
  for (const file of readdirSync(folder).filter((one) => one.endsWith('.ts'))) {
    const name = file.replace('.ts', '')
    const { bytes } = await compileModule({ source: path.join(folder, file), name })
    artifacts.set(name, openArtifact(bytes))
  }
})

afterAll(closeThreads)

const addressOf = (name: string): string => artifacts.get(name)!.manifestAddress

function exampleAt(address: string): CallableModule | null {
  const found = [...artifacts.values()].find(({ manifestAddress }) => manifestAddress === address)
  return found === undefined ? null : { wasm: found.wasm, functions: found.manifest.functions }
}

/** Runs a function of an example where all examples can be called. */
async function run(name: string, functionName: string, input: string, change: Partial<ExecuteRequest> = {}) {
  const { wasm, manifest, manifestAddress } = artifacts.get(name)!
  const result = await execute({
    engine: 'native',
    address: manifestAddress,
    module: { wasm, functions: manifest.functions },
    function: functionName,
    input: new TextEncoder().encode(input),
    gasLimit: 1_000_000_000,
    state: { module: exampleAt, stored: () => null },
    timeoutSeconds: 300,
    ...change,
  })
  return { ...result, output: text(result.output) }
}

/** Runs on both engines, which must agree, and gives what they agree on. */
async function runOnBoth(...[name, functionName, input, change]: Parameters<typeof run>) {
  const native = await run(name, functionName, input, change)
  expect(await run(name, functionName, input, { ...change, engine: 'pulley' })).toEqual(native)
  return native
}

test('the modules of the README return what the README shows', async () => {
  const readme = readFileSync(path.join(import.meta.dirname, 'README.md'), 'utf8')
  const [source = '', imports, ...visits] = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, one]) => one!)
  const file = path.join(project({ 'hello.ts': source }), 'hello.ts')
  const { bytes, wasmBytes } = await compileModule({ source: file, name: 'hello' })
  artifacts.set('hello of the README', openArtifact(bytes))
  const { output, gasUsed } = await run('hello of the README', 'greet', 'Ada')
  expect(readme).toContain(`"wasm_bytes": ${wasmBytes},\n  "hbc_bytes": ${bytes.length}\n`)
  expect(readme).toContain(`"output": "${output}",`)
  expect(readme).toContain(`"gas_used": ${gasUsed},`)
  expect(readme).toContain(`greet("Ada") = "${output}"  ${gasUsed} gas`)
  expect(readFileSync('docs/publish-a-project.md', 'utf8')).toContain(source)

  const all = `${imports}export function all(): void { emit("named", hash("text")) }`
  for (const [at, text] of [all, ...visits].entries()) {
    const name = `module ${at} of the README`
    const compiled = await compileModule({ source: path.join(project({ 'm.ts': text }), 'm.ts'), name: 'm' })
    artifacts.set(name, openArtifact(compiled.bytes))
    if (at > 0) expect((await run(name, 'visit', 'Ada')).output).toBe('1')
  }
})

describe('the examples', () => {
  test('stay far below the maximum compression ratio of new artifacts', () => {
    const ratios = [...artifacts.values()].map(
      ({ wasm }) => wasm.length / deflateRawSync(wasm, { level: 9 }).length,
    )
    expect(Math.max(...ratios)).toBeLessThan(newEntryRatioMax / 5)
  })

  test.each([
    ['hello', 'greet', 'Ada', 'Hello, Ada!'],
    ['sha256', 'sha256', 'abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    ['nbody', 'simulate', '0', '{"x":"4.841431","y":"-1.16032","z":"-0.103622"}'],
    ['counter', 'increment', '2', '2'],
    ['defined', 'visit', 'Ada', '1'],
  ])('%s %s', async (name, functionName, input, output) => {
    expect((await runOnBoth(name, functionName, input)).output).toBe(output)
  })

  test('nbody gives the same last digit after thousands of steps', async () => {
    const { output, success } = await runOnBoth('nbody', 'simulate', '20000')
    expect(success).toBe(true)
    expect(Object.keys(JSON.parse(output!))).toEqual(['x', 'y', 'z'])
  })

  test('calls asks another module, goes on after a failure, and is stopped eight levels deep', async () => {
    const asked = await runOnBoth('calls', 'ask', `${addressOf('hello')} greet Ada`)
    expect(asked.output).toBe('Hello, Ada!')
    const failed = await runOnBoth('calls', 'attempt', `${addressOf('counter')} increment -1`)
    expect(failed).toMatchObject({
      output: 'failed with code -3',
      events: [{ name: 'attempted', data: { code: -3 } }],
      writes: [],
    })
    expect((await runOnBoth('calls', 'descend', addressOf('calls'))).output).toBe('8')
  })
})

describe('an adversary', () => {
  test.each([
    ['forever', 'out of gas'],
    ['recurse', 'stack limit exceeded'],
    ['exhaust', 'trap: unreachable'],
    ['flood', 'trap: too many events'],
    ['scribble', 'trap: too much written to storage', 200_000_000],
    ['digest', 'out of gas'],
  ])('%s ends with: %s', async (functionName, error, gasLimit = 20_000_000) => {
    const ended = await runOnBoth('adversary', functionName, '', { gasLimit })
    expect(ended).toMatchObject({ success: false, error, events: [], writes: [] })
  })

  test('hoard gets 64 MiB and no more', async () => {
    expect((await runOnBoth('adversary', 'hoard', '')).output).toBe('1024')
  })

  test('nan sees the canonical NaN, with the signs and payloads that the rules keep', async () => {
    expect((await runOnBoth('adversary', 'nan', '')).output).toBe(
      '7ff8000000000000 7ff8000000000000 7ff8000000000000 fff8000000000000 7ff8000000000000 7fc00000 7ff4000000000123 7ff8000000000000',
    )
  })

  test('chatter cannot exceed the log limit', async () => {
    const { logs, error } = await runOnBoth('adversary', 'chatter', '', { gasLimit: 50_000_000 })
    expect(error).toBe('out of gas')
    expect(logs.join('').length).toBeLessThanOrEqual(limits.logBytes)
  })

  test('tower has a memory on each of nine levels, storm has one after another', async () => {
    const address = addressOf('adversary')
    const before = process.memoryUsage.rss()
    expect((await runOnBoth('adversary', 'tower', address)).output).toBe('3')
    expect((await runOnBoth('adversary', 'storm', address)).output).toBe('10')
    // Ten memories of 64 MiB are 640 MiB; what a call has left behind must not wait for them all.
    expect(process.memoryUsage.rss() - before).toBeLessThan(0.5 * 1024 ** 3)
  })

  test.each(engineNames)(
    'stall is ended by the clock on %s, and the next run is not affected',
    async (engine) => {
      const change = { engine, gasLimit: 10_000_000_000, timeoutSeconds: 0.3 }
      await expect(run('adversary', 'stall', '', change)).rejects.toThrowError(NodeFault)
      expect((await run('hello', 'greet', 'Ada', { engine })).output).toBe('Hello, Ada!')
    },
  )
})

describe('modules written by hand', () => {
  const runText = async (file: string, engine: (typeof engineNames)[number]) => {
    const address = `0x${'00'.repeat(32)}`
    const wasm = assemble(readFileSync(path.join(folder, 'wat', file), 'utf8'))
    const module = { wasm, functions: ['f'] }
    const state = { module: () => module, stored: () => null }
    const input = new TextEncoder().encode(address)
    const run = { engine, address, module, state, function: 'f', input, gasLimit: 100_000_000 }
    const result = await execute({ ...run, timeoutSeconds: 300 })
    return { ...result, output: text(result.output) }
  }

  test.each([
    ['bulk-memory.wat', { output: 'ok', gasUsed: 77 }],
    ['multi-value.wat', { output: 'ok', gasUsed: 2211 }],
    ['simd.wat', { output: 'ok', gasUsed: 165 }],
    ['tables.wat', { output: 'ok', gasUsed: 181 }],
    ['tail-calls.wat', { output: 'ok', gasUsed: 23_500_051 }],
    ['host-recursion.wat', { error: 'stack limit exceeded', gasUsed: 1_994_115 }],
    ['host-tower.wat', { output: 'ok' }],
  ])('%s', async (file, expected) => {
    const native = await runText(file, 'native')
    expect(native).toMatchObject(expected)
    expect(await runText(file, 'pulley')).toEqual(native)
  })
})

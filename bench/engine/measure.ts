/** Measures kernels and passes in a thread with the stack that runs have; see speed.ts. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import type { HostFunctions, Instance } from '../../node-cli/src/engine/host/instance.ts'
import { interpreter } from '../../node-cli/src/engine/interpreter/interpreter.ts'
import { translateModule } from '../../node-cli/src/engine/interpreter/translation/translate-module.ts'
import { meterExactly } from '../../node-cli/src/engine/metering/exact-module.ts'
import { meterOptimistically } from '../../node-cli/src/engine/metering/optimistic-module.ts'
import { rewriteModule } from '../../node-cli/src/engine/metering/rewrite-module.ts'
import { native } from '../../node-cli/src/engine/native/native.ts'
import { webAssembly } from '../../node-cli/src/engine/native/web-assembly.ts'
import { validateBodies } from '../../node-cli/src/engine/validation/validator.ts'
import { readModule } from '../../protocol/wasm/module.ts'
import { median } from '../result.ts'
import type { Kernel } from './kernels.ts'

export const rounds = 15
const warmUps = 3

/** Milliseconds, medians. */
export interface KernelTimes {
  readonly name: string
  readonly about: string
  readonly gas: number
  readonly plain: number
  readonly metered: number
  readonly exact: number
  readonly interpreted: number
}

/** Milliseconds per megabyte of code, warm, and how many times as large the result is. */
export interface PassTimes {
  readonly name: string
  readonly milliseconds: number
  readonly growth: number | null
}

export interface Measurements {
  readonly kernels: readonly KernelTimes[]
  readonly passes: readonly PassTimes[]
  readonly passBytes: number
}

export async function measureInThread(kernels: readonly Kernel[]): Promise<Measurements> {
  const options = { workerData: { kernels }, resourceLimits: { stackSizeMb: 256 } }
  const [measured] = await once(new Worker(new URL(import.meta.url), options), 'message')
  return measured as Measurements
}

interface Runnable {
  allocate: (bytes: number) => number
  memory: () => Uint8Array
  enter: (pointer: number, length: number) => bigint
}

const host: HostFunctions = new Proxy({}, { get: () => () => 0 })
const plenty = 10 ** 15

const engines: Record<'plain' | 'metered' | 'exact' | 'interpreted', (wasm: Uint8Array) => Runnable> = {
  plain: instantiatePlainly,
  metered: (wasm) => runnable(native.instantiate(wasm, plenty, host, false)),
  exact: (wasm) => runnable(native.instantiate(wasm, plenty, host, true)),
  interpreted: (wasm) => runnable(interpreter.instantiate(wasm, plenty, host, false)),
}
type EngineKind = keyof typeof engines

function runnable(instance: Instance): Runnable {
  instance.start()
  return {
    allocate: (bytes) => instance.allocate(bytes, false),
    memory: () => instance.memory(),
    enter: (pointer, length) => instance.enter(0, pointer, length),
  }
}

interface PlainExports {
  memory: { buffer: ArrayBuffer }
  __alloc: (bytes: number) => number
  __hive_entry: (id: number, pointer: number, length: number) => bigint
}

const plainModules = new Map<Uint8Array, object>()

function instantiatePlainly(wasm: Uint8Array): Runnable {
  const module = plainModules.get(wasm) ?? new webAssembly.Module(wasm)
  plainModules.set(wasm, module)
  const abort = () => {
    throw new Error('the kernel aborted')
  }
  const instance = new webAssembly.Instance(module, { env: { abort } })
  const exports = instance.exports as unknown as PlainExports
  return {
    allocate: exports.__alloc,
    memory: () => new Uint8Array(exports.memory.buffer),
    enter: (pointer, length) => exports.__hive_entry(0, pointer, length),
  }
}

/** The entry with an input that is in memory already. */
function prepared({ allocate, memory, enter }: Runnable, input: Uint8Array): () => bigint {
  const pointer = allocate(input.length)
  memory().set(input, pointer)
  return () => enter(pointer, input.length)
}

/** Every engine runs once in each round, in a new instance, so that what else the machine does falls on all alike. */
function measureKernel({ name, about, wasm, input }: Kernel): KernelTimes {
  const kinds = Object.keys(engines) as EngineKind[]
  const times: Record<EngineKind, number[]> = { plain: [], metered: [], exact: [], interpreted: [] }
  const outputs = new Set<string>()
  const bytes = new TextEncoder().encode(input)
  for (let round = -warmUps; round < rounds; round++)
    for (const kind of kinds) {
      // The interpreter is warm after its first kernel, and the slowest by far.
      if (kind === 'interpreted' && round % 5 !== 0) continue
      const one = engines[kind](wasm)
      const run = prepared(one, bytes)
      let result = 0n
      const milliseconds = timed(() => {
        result = run()
      })
      const at = Number(result >> 32n)
      outputs.add(Buffer.from(one.memory().slice(at, at + Number(result & 0xffffffffn))).toString())
      if (round >= 0) times[kind].push(milliseconds)
    }
  if (outputs.size !== 1) throw new Error(`${name} answers ${[...outputs].join(' and ')}`)
  const gas = gasOf(wasm, bytes)
  const [plain, metered, exact, interpreted] = kinds.map((kind) => median(times[kind]))
  return { name, about, gas, plain: plain!, metered: metered!, exact: exact!, interpreted: interpreted! }
}

function gasOf(wasm: Uint8Array, input: Uint8Array): number {
  const instance = native.instantiate(wasm, plenty, host, true)
  prepared(runnable(instance), input)()
  return instance.gasUsed
}

/** A real module of half a megabyte, compiled from C: the codec of a development dependency. */
function measurePasses(): Pick<Measurements, 'passes' | 'passBytes'> {
  const resolved = createRequire(import.meta.url).resolve('playwright-core/package.json')
  const wasm = asGuest(readFileSync(path.join(path.dirname(resolved), 'lib/webp_codec.wasm')))
  const bytes = readModule(wasm).bodies.reduce((sum, body) => sum + body.end - body.at, 0)
  const pass = (name: string, work: () => Uint8Array | null): PassTimes => {
    let result: Uint8Array | null = null
    const times = Array.from({ length: 16 }, () =>
      timed(() => {
        result = work()
      }),
    )
    const warm = median(times.slice(4))
    return {
      name,
      milliseconds: (warm / bytes) * 1e6,
      growth: result === null ? null : (result as Uint8Array).length / wasm.length,
    }
  }
  const passes = [
    pass('validate', () => {
      validateBodies(readModule(wasm))
      return null
    }),
    pass('validate and meter, for a first run', () => meterOptimistically(wasm)!.wasm),
    pass('validate and meter exactly, for a repeated run', () => meterExactly(wasm)),
    pass('translate for the interpreter', () => {
      const { code } = translateModule(wasm, readModule(wasm))
      return new Uint8Array(code.buffer, 0, code.byteLength)
    }),
  ]
  return { passes, passBytes: bytes }
}

/** A module with the exports of a guest, whatever they do: metering looks for their names. */
function asGuest(wasm: Uint8Array): Uint8Array {
  const module = readModule(wasm)
  const bodies = module.bodies.map((body) => body.bytes.subarray(body.at, body.end))
  const exports = ['__alloc', '__hive_entry'].map((name) => ({
    name,
    kind: 0,
    index: module.importedFunctions,
  }))
  return rewriteModule(wasm, module, {
    bodies,
    types: [],
    globals: [],
    exports: [{ name: 'memory', kind: 2, index: 0 }, ...exports],
  })
}

function timed(work: () => void): number {
  const started = performance.now()
  work()
  return performance.now() - started
}

const given = workerData as { kernels?: Kernel[] } | null
if (!isMainThread && given?.kernels !== undefined)
  parentPort?.postMessage({
    kernels: given.kernels.map(measureKernel),
    ...measurePasses(),
  } satisfies Measurements)

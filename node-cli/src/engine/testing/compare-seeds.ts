import { createReceipt, hashReceipt } from '../../../../protocol/execution/index.ts'
import { type ExecutionResult, outOfGas, type StateReader } from '../execution.ts'
import { executeOn } from '../host/call.ts'
import type { Engine } from '../host/instance.ts'
import { interpreter } from '../interpreter/interpreter.ts'
import { native, nativeWith, optimisticWith } from '../native/native.ts'
import { webAssembly } from '../native/web-assembly.ts'
import { assemble } from './guests.ts'
import { randomCode } from './random-code.ts'
import { randomModuleAddress } from './random-host.ts'
import { randomModule } from './random-module.ts'
import { referenceMeter } from './reference-meter.ts'

export interface Comparison {
  runs: number
  differences: string[]
  /** How many modules ended how. */
  outcomes: Record<string, number>
}

/** Engines that must agree with {@link native}. The first makes NaNs canonical, as native does for large modules only. */
const others = [optimisticWith('canonical'), nativeWith(referenceMeter), interpreter]

/** Ways to write random modules: trees of expressions, or one operator after the other. */
export const writers = { trees: randomModule, code: randomCode } as const
export type Writer = keyof typeof writers

/** Runs random modules on every engine and with the plain way of metering, under limits around what each uses. */
export async function compareSeeds(
  writer: Writer,
  first: number,
  modules: number,
  progress: (done: number) => void = () => {},
): Promise<Comparison> {
  const comparison: Comparison = { runs: 0, differences: [], outcomes: {} }
  for (let seed = first; seed < first + modules; seed++) {
    const wasm = assemble(writers[writer](seed))
    const accepted = webAssembly.validate(wasm)
    const run = runner(wasm)
    const { gasUsed, error } = run(gasPlenty, native)
    const outcome = error?.startsWith('invalid module') ? 'invalid module' : (error ?? 'success')
    comparison.outcomes[outcome] = (comparison.outcomes[outcome] ?? 0) + 1
    if (accepted !== (outcome !== 'invalid module'))
      comparison.differences.push(`seed ${seed}: V8 ${accepted ? 'accepts' : 'refuses'} it, and ${error}`)
    const isEndless = error === outOfGas
    const threshold = isEndless ? 0 : gasWithout(gasUsed + 1, (limit) => run(limit, native))
    // A module without an end uses up any limit, and a small one takes less time.
    const used = isEndless ? gasPlenty >> 4 : gasUsed
    const limits = [gasPlenty, used + 1, used, used - 1, used >> 1, 30]
    for (const limit of new Set([...limits, threshold + 1, threshold, threshold - 1])) {
      if (limit < 1) continue
      comparison.runs += 1
      const fast = shown(run(limit, native))
      for (const engine of others) {
        const other = shown(run(limit, engine))
        if (fast !== other)
          comparison.differences.push(`seed ${seed}, gas limit ${limit}: ${fast} and ${other}`)
      }
    }
    if ((seed - first + 1) % 2000 === 0) progress(seed - first + 1)
  }
  return comparison
}

/** More than a module uses that comes to an end. */
const gasPlenty = 1_000_000

type Run = (gasLimit: number, engine: Engine) => ExecutionResult

/** Runs a module that finds itself under its address, and something in its storage. */
function runner(wasm: Uint8Array): Run {
  const state: StateReader = {
    module: (address) => (address === randomModuleAddress ? { wasm, functions: ['f'] } : null),
    stored: (_, key) => (key === '6b6579' ? new TextEncoder().encode('stored') : null),
  }
  return (gasLimit, engine) => {
    const request = { address: randomModuleAddress, wasm, functionId: 0, input: new Uint8Array(), gasLimit }
    return executeOn(engine, request, state)
  }
}

/**
 * The lowest gas limit under which a run does not end for want of gas: one above what was used at the last place that
 * asks. All other places lie below it, and there the gas used is the limit, whatever the place.
 */
function gasWithout(plenty: number, run: (gasLimit: number) => ExecutionResult): number {
  // Mostly it is close to what was used, so this goes down in steps that grow, before it halves what is between.
  let [low, high] = [plenty - 1, plenty]
  for (let step = 1; low > 0 && run(low).error !== outOfGas; step *= 2)
    [low, high] = [Math.max(0, low - step), low]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (run(middle).error === outOfGas) low = middle
    else high = middle
  }
  return high
}

/** Everything of an outcome that nodes must agree on, and the receipt they sign. */
function shown(result: ExecutionResult): string {
  const { success, error, gasUsed, events, writes, logs } = result
  const output = result.output ?? new Uint8Array()
  const receipt = createReceipt({
    module_address: randomModuleAddress,
    function: 'f',
    input: new Uint8Array(),
    output,
    events,
    gas_used: gasUsed,
    success,
  })
  const hex = (value: Uint8Array | null) => value && Buffer.from(value).toString('hex')
  const kept = writes.map(({ address, key, value }) => [address, key, hex(value)])
  const text = new TextDecoder().decode(output)
  return JSON.stringify({ error, gasUsed, text, events, kept, logs, receipt: hashReceipt(receipt) })
}

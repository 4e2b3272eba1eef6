import { availableParallelism } from 'node:os'
import { table } from '../result.ts'
import type { ColdTimes } from './cold.ts'
import { type KernelTimes, type Measurements, rounds } from './measure.ts'

const cores = availableParallelism()
const ms = (value: number): string => value.toFixed(1)
const times = (value: number): string => value.toFixed(2)
const mean = (values: number[]): number =>
  Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length)

export function kernelPart(kernels: readonly KernelTimes[]): string {
  const metered = kernels.map((one) => one.metered / one.plain)
  const exact = kernels.map((one) => one.exact / one.plain)
  const rate = kernels.map((one) => one.gas / one.interpreted / 1e3)
  const rows = kernels.map(
    (one, index) =>
      `| ${one.name}: ${one.about} | ${ms(one.plain)} | ${ms(one.metered)} | ${times(metered[index]!)} | ${times(exact[index]!)} | ${(one.gas / one.metered / 1e3).toFixed(0)} | ${times(one.interpreted / one.metered)} | ${rate[index]!.toFixed(0)} |`,
  )
  return `## Metered and unmetered

A module with gas metering, stack limit and canonical NaNs takes **${times(mean(metered))}** times as long as the unchanged module in V8 (geometric mean), ${times(Math.max(...metered))} times at worst. If a run traps, or a NaN may have changed it, the engine repeats it with exact metering. This adds ${times(mean(exact))} times the unmetered time (${times(Math.max(...exact))} at worst). The interpreter executes ${Math.min(...rate).toFixed(0)} to ${Math.max(...rate).toFixed(0)} million gas per second. The measurement has ${rounds} rounds.

${table('| kernel | unmetered, ms | metered, ms | ratio | exactly metered, ratio | metered, 10⁶ gas/s | interpreter ÷ metered | interpreter, 10⁶ gas/s |', rows)}`
}

export function passPart({ passes, passBytes }: Measurements): string {
  const rows = passes.map(
    ({ name, milliseconds, growth }) =>
      `| ${name} | ${ms(milliseconds)} | ${growth === null ? '' : times(growth)} |`,
  )
  return `## Before a module runs

A module compiled from C (${(passBytes / 1e6).toFixed(2)} MB of code), measured warm.

${table('| pass | ms per MB of code | size ÷ original size |', rows)}`
}

export function coldPart({ node, commands, load }: ColdTimes): string {
  const rows = commands.map(
    ({ name, first, later }) =>
      `| ${name} | ${ms(later)} | ${ms(later - node)} | ${times(later / node)} | ${ms(first)} | ${ms(first - node)} |`,
  )
  return `## Cold start

CPU time of all threads of the process. It runs the package in its published form, with only \`PATH\` and \`HOME\` in its environment. The first run finds an empty home directory; later runs find the compiled code that the first one saved. Node alone, on an empty file: ${ms(node)} ms. A process takes more CPU time on a busy machine; the load was ${load.toFixed(1)} on ${cores} cores.

${table('| process | later run, ms | minus Node alone | ratio | first run, ms | minus Node alone |', rows)}`
}

/** Milliseconds of wasmtime 38.0.3 on the same modules: compiled, then its interpreter; fuel and canonical NaNs on. */
const wasmtime: Readonly<Record<string, readonly [compiled: number, interpreted: number]>> = {
  as_fib_32_full: [37.5, 813],
  as_sha_6000_full: [4, 103],
  as_sieve_4000000_full: [43, 642],
  as_matmul_20_full: [232, 9018],
  as_nbody_400000_full: [233, 11_437],
  as_mandel_400_full: [119, 5372],
  as_calls_60000000_full: [160, 3034],
  as_sort_400000_full: [121, 2015],
  as_strs_60000_full: [14, 241],
}

export function recordedPart(kernels: readonly KernelTimes[]): string {
  const compared = kernels.filter(({ name }) => wasmtime[name] !== undefined)
  const rows = compared.map((one) => {
    const [compiled, interpreted] = wasmtime[one.name]!
    return `| ${one.name.slice(3, -5)} | ${(one.gas / 1e6).toFixed(1)} | ${ms(one.plain)} | ${ms(one.metered)} | ${times(one.metered / one.plain)} | ${compiled} | ${times(compiled / one.metered)} | ${ms(one.interpreted)} | ${interpreted} | ${times(interpreted / one.interpreted)} |`
  })
  const faster = mean(compared.map((one) => wasmtime[one.name]![0] / one.metered))
  const interpreters = mean(compared.map((one) => wasmtime[one.name]![1] / one.interpreted))
  return `wasmtime 38.0.3 ran these kernels with fuel and canonical NaNs on; all four engines use the same gas. Its times were measured on another day than ours, on a machine of the same kind, so they show only the order of magnitude. On average (geometric mean), wasmtime takes ${times(faster)} times as long compiled and ${times(interpreters)} times as long interpreted.

${table('| kernel | 10⁶ gas | unmetered, ms | ours, ms | ratio | wasmtime, ms | ÷ ours | our interpreter, ms | wasmtime Pulley, ms | ÷ ours |', rows)}`
}

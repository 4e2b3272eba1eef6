import { guestImports } from '../../../../protocol/wasm/guest.ts'
import { GuestFailure, NodeFault, outOfGas, stackLimit } from '../execution.ts'
import {
  type Engine,
  type HostFunctions,
  type Instance,
  orInvalid,
  packResult,
  trap,
  traps,
} from '../host/instance.ts'
import { ModuleCache } from '../module-cache.ts'
import { stackUnits } from '../validation/stack-cost.ts'
import { readValidGuest } from '../validation/valid-guest.ts'
import { slotBytes } from './layout.ts'
import { Machine, sliceGas, status } from './machine.ts'
import { type TranslatedModule, translateModule } from './translation/translate-module.ts'

/** Bytes of the modules whose translations are kept. */
const keptBytesMax = 16 * 1024 * 1024
const known = new ModuleCache<TranslatedModule>(keptBytesMax)

const translate = (wasm: Uint8Array): TranslatedModule =>
  known.get(wasm, () => translateModule(wasm, readValidGuest(wasm).module))

/** Kinds of traps by the numbers of the machine. */
const trapKinds = [
  '',
  traps.unreachable,
  traps.divideByZero,
  traps.overflow,
  traps.conversion,
  traps.memory,
  traps.table,
  traps.indirect,
] as const

class InterpretedInstance implements Instance {
  readonly #machine: Machine
  readonly #gasLimit: number
  readonly #translated: TranslatedModule
  /** Address for the parameters of the next call, which a host function may make. */
  #frame: number
  readonly #paused: () => void

  constructor(module: TranslatedModule, gasLimit: number, host: HostFunctions, paused: () => void) {
    this.#translated = module
    this.#gasLimit = gasLimit
    this.#frame = module.layout.frames
    this.#paused = paused
    const functions = module.module.imports.map(({ module: from, name }) => ({
      run: host[`${from}.${name}`]!,
      ...guestImports[`${from}.${name}` as keyof typeof guestImports],
    }))
    const call = (index: number, frame: number) => {
      const { run, params, result } = functions[index]!
      const view = this.#machine.view()
      const parameters = Array.from({ length: params }, (_, at) =>
        view.getInt32(frame + slotBytes * at, true),
      )
      const outer = this.#frame
      // Behind its parameters, which the caller's units pay for.
      this.#frame = frame + slotBytes * params
      // biome-ignore lint/plugin/noSpreadArguments: The parameters of one function, which the format bounds.
      const given = run(...parameters)
      this.#frame = outer
      if (result) this.#machine.view().setBigInt64(frame, packResult(given), true)
    }
    this.#machine = new Machine(module, call, paused)
    this.#machine.setGas(gasLimit)
    const failed = this.#machine.initialize()
    if (failed !== undefined) throw trap(traps[failed])
  }

  get gasUsed(): number {
    return Math.min(this.#gasLimit, this.#machine.exports.gasUsed())
  }

  charge(gas: number): boolean {
    // Host work for this much gas takes longer than a slice.
    if (gas >= sliceGas) this.#paused()
    return this.#machine.exports.charge(gas) !== 0
  }

  exhaust(): void {
    this.#machine.exports.exhaust()
  }

  memory(): Uint8Array {
    return this.#machine.memory()
  }

  start(): void {
    const { start } = this.#translated.module
    if (start !== undefined) this.#call(start, false, [])
  }

  allocate(bytes: number, within: boolean): number {
    const frame = this.#call(this.#exported('__alloc'), within, [bytes])
    return this.#machine.view().getInt32(frame, true)
  }

  enter(functionId: number, pointer: number, length: number): bigint {
    const frame = this.#call(this.#exported('__hive_entry'), false, [functionId, pointer, length])
    return this.#machine.view().getBigInt64(frame, true)
  }

  #exported(name: string): number {
    return this.#translated.module.exports.find((one) => one.name === name)!.index
  }

  /** @returns The frame in which the result lies. */
  #call(index: number, within: boolean, parameters: readonly number[]): number {
    const frame = this.#frame
    if (frame + slotBytes * parameters.length > this.#translated.layout.functions)
      throw new NodeFault('the machine has no frames left')
    if (!within) this.#machine.exports.setUnits(stackUnits)
    const view = this.#machine.view()
    for (const [at, value] of parameters.entries()) view.setInt32(frame + slotBytes * at, value, true)
    const ended = this.#machine.call(index, frame)
    if (ended !== status.done) throw this.#failure(ended)
    return frame
  }

  #failure(ended: number): Error {
    if (ended === status.outOfGas) return new GuestFailure(outOfGas)
    if (ended === status.stackLimit) return new GuestFailure(stackLimit)
    const kind = trapKinds[this.#machine.exports.trapKind()]
    return kind ? trap(kind) : new NodeFault('the machine has no memory left')
  }
}

/** The interpreter, with something to do after every few milliseconds of a run. */
export const interpreterWith = (paused: () => void): Engine => ({
  instantiate: (wasm, gasLimit, host) =>
    new InterpretedInstance(
      orInvalid(() => translate(wasm)),
      gasLimit,
      host,
      paused,
    ),
})

/** The interpreter. */
export const interpreter: Engine = interpreterWith(() => {})

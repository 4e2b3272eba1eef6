import { headerBytes, pagesMaxOf, slotBytes, tableCapacity } from './layout.ts'
import { type MachineExports, machineModule } from './machine-module.ts'
import type { TranslatedModule } from './translation/translate-module.ts'

/** How the machine's loop ended. */
export const status = { done: 0, paused: 1, outOfGas: 2, stackLimit: 3, trap: 4 } as const

/**
 * Gas between two returns to JavaScript, less where memory is moved: V8 exchanges its quick code for its fast code only
 * when a function is entered, and the caller can look at a clock.
 */
export const sliceGas = 4_000_000

/** The target of an active segment that is out of bounds: instantiation fails. */
export type SegmentFailure = 'memory' | 'table'

/** One instance of a module in a machine of its own. */
export class Machine {
  readonly #translated: TranslatedModule
  readonly #exports: MachineExports
  readonly #paused: () => void

  /**
   * @param host Runs an imported function, by its index, with parameters from a place of the machine's memory.
   * @param paused Called after every slice of a run; it may throw.
   */
  constructor(
    translated: TranslatedModule,
    host: (index: number, frame: number) => void,
    paused: () => void,
  ) {
    this.#translated = translated
    this.#paused = paused
    this.#exports = machineModule.instantiate(host)
    this.#fill()
  }

  get exports(): MachineExports {
    return this.#exports
  }

  /** The guest's memory as it is at this moment. */
  memory(): Uint8Array {
    return new Uint8Array(
      this.#exports.memory.buffer,
      this.#translated.layout.memory,
      this.#exports.memoryBytes(),
    )
  }

  /** A view of the whole memory: parameters and results lie in slots. */
  view(): DataView {
    return new DataView(this.#exports.memory.buffer)
  }

  /** Copies active segments. @returns What failed, with the segments before it copied. */
  initialize(): SegmentFailure | undefined {
    const { initializers, layout, wasm } = this.#translated
    const words = new Uint32Array(this.#exports.memory.buffer)
    for (const [index, { target, references }] of initializers.elements.entries()) {
      if (target === undefined) continue
      const header = (layout.tables + headerBytes * target.table) / 4
      if (target.offset + references.length > words[header]!) return 'table'
      words.set(references, words[header + 2]! / 4 + target.offset)
      words[(layout.elementSegments + headerBytes * index) / 4] = 0
    }
    const memory = this.memory()
    for (const [index, { offset, start, end }] of initializers.data.entries()) {
      if (offset === undefined) continue
      if (offset + end - start > memory.length) return 'memory'
      memory.set(wasm.subarray(start, end), offset)
      words[(layout.dataSegments + headerBytes * index) / 4] = 0
    }
    return undefined
  }

  /** Calls a function whose parameters were put into slots from `frame` on. @returns One of {@link status}. */
  call(functionIndex: number, frame: number): number {
    let ended = this.#exports.call(this.#translated.functions[functionIndex]!, frame)
    while (ended === status.paused) {
      this.#paused()
      ended = this.#exports.resume()
    }
    return ended
  }

  setGas(limit: number): void {
    this.#exports.setGas(limit, sliceGas)
  }

  #fill(): void {
    const { layout, code, functions, signatures, module, initializers, wasm } = this.#translated
    const { memory, setLayout } = this.#exports
    const pages = module.memories[0]?.min ?? 0
    memory.grow(layout.memory / 65_536 + pages - memory.buffer.byteLength / 65_536)
    const words = new Uint32Array(memory.buffer)
    words.set(code, layout.code / 4)
    for (const [index, place] of functions.entries()) {
      words[layout.functions / 4 + 2 * index] = place
      words[layout.functions / 4 + 2 * index + 1] = signatures[module.functions[index]!]!
    }
    for (const [index, bits] of initializers.globals.entries())
      for (let word = 0; word < 4; word++)
        words[(layout.globals + slotBytes * index) / 4 + word] = Number(
          BigInt.asUintN(32, bits >> BigInt(32 * word)),
        )
    let elements = layout.elements
    const header = (at: number, length: number, max: number, place: number): void => {
      words[at / 4] = length
      words[at / 4 + 1] = max
      words[at / 4 + 2] = place
    }
    for (const [index, { min, max }] of module.tables.entries()) {
      header(layout.tables + headerBytes * index, min, tableCapacity(max), elements)
      elements += 4 * tableCapacity(max)
    }
    for (const [index, { references }] of initializers.elements.entries()) {
      header(layout.elementSegments + headerBytes * index, references.length, 0, elements)
      words.set(references, elements / 4)
      elements += 4 * references.length
    }
    const bytes = new Uint8Array(memory.buffer)
    let data = layout.data
    for (const [index, { start, end }] of initializers.data.entries()) {
      header(layout.dataSegments + headerBytes * index, end - start, 0, data)
      bytes.set(wasm.subarray(start, end), data)
      data += end - start
    }
    setLayout(layout.calls, layout.functions, layout.memory, pages * 65_536, pagesMaxOf(module))
  }
}

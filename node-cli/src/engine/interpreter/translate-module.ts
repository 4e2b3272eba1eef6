import { guestPagesMax, guestTableElementsMax } from '../../../../protocol/wasm/guest.ts'
import type { Module } from '../../../../protocol/wasm/module.ts'
import { readModule } from '../../../../protocol/wasm/module.ts'
import { CodeWriter } from './code-writer.ts'
import type { ModuleAddresses, Relocation } from './function-body.ts'
import { codeOf } from './opcodes.ts'
import { slotBytes } from './operand-stack.ts'
import { type Contents, readContents, signatureIds } from './sections.ts'
import { translateBody } from './translate-body.ts'

/** A module in the form the machine runs. It can be instantiated any number of times. */
export interface TranslatedModule {
  readonly wasm: Uint8Array
  readonly module: Module
  readonly contents: Contents
  readonly layout: Layout
  readonly code: Uint32Array
  /** Bytes of the code of every function, imported ones first. */
  readonly functions: readonly number[]
  readonly signatures: readonly number[]
}

/**
 * The order of everything in the machine's memory:
 *
 * | from             | what                                                    |
 * | ---------------- | ------------------------------------------------------- |
 * | 2,048            | calls: return address and frame, 8 bytes each           |
 * | `frames`         | slots of 16 bytes                                       |
 * | `functions`      | code and signature of every function, 8 bytes each      |
 * | `globals`        | 16 bytes each                                           |
 * | `tables`         | length, largest length, place of the elements, 12 bytes |
 * | `dataSegments`   | the same                                                |
 * | `elementSegments`| the same                                                |
 * | `elements`       | elements of tables, then of segments, 4 bytes each      |
 * | `code`           | instructions                                            |
 * | `data`           | bytes of data segments                                  |
 * | `memory`         | the guest's memory, last so that it can grow            |
 */
export interface Layout {
  readonly calls: number
  readonly frames: number
  readonly functions: number
  readonly globals: number
  readonly tables: number
  readonly dataSegments: number
  readonly elementSegments: number
  readonly elements: number
  readonly code: number
  readonly data: number
  readonly memory: number
}

/** Most elements each table can have. */
export const tableCapacity = (max: number | undefined): number =>
  Math.min(max ?? guestTableElementsMax, guestTableElementsMax)

export const pagesMaxOf = ({ memories }: Module): number =>
  Math.min(memories[0]?.max ?? guestPagesMax, guestPagesMax)

export const headerBytes = 12
/** A function costs 4 units at least, and one more may be on its way in; calls of the host come between. */
const callsMax = 40_960
/**
 * One slot for every stack unit, for a function's units cover its locals and operands. A function of the host that is
 * called last has up to 6 parameters that nobody's units pay for, and each costs the 6 units of the `__alloc` that the
 * host calls next: as many slots again.
 */
const slotsMax = 2 * 65_536 + 64

/** Translates a module that is known to be valid. */
export function translateModule(wasm: Uint8Array): TranslatedModule {
  const module = readModule(wasm)
  const contents = readContents(wasm)
  const signatures = signatureIds(module)
  const before = layOut(module, contents)
  const addresses: ModuleAddresses = {
    code: before.code,
    global: (index) => before.globals + slotBytes * index,
    table: (index) => before.tables + headerBytes * index,
    dataSegment: (index) => before.dataSegments + headerBytes * index,
    elementSegment: (index) => before.elementSegments + headerBytes * index,
    signatures,
    addressable: addressableBytes(module),
  }
  const writer = new CodeWriter()
  const relocations: Relocation[] = []
  const target = { module, addresses, writer, relocations }
  const functions: number[] = []
  for (const [index, type] of module.functions.entries()) {
    functions.push(before.code + 4 * writer.length)
    const defined = index - module.importedFunctions
    if (defined < 0) {
      writer.three(codeOf.get('host')!, index, codeOf.get('leave')!)
      continue
    }
    translateBody(target, module.types[type]!, module.bodies[defined]!)
  }
  for (const relocation of relocations) writer.words[relocation.at] = functions[relocation.target]!
  const code = writer.words.slice(0, writer.length)
  const data = before.code + 4 * code.length
  const dataBytes = contents.data.reduce((sum, { start, end }) => sum + end - start, 0)
  const memory = Math.ceil((data + dataBytes) / 65_536) * 65_536
  return { wasm, module, contents, layout: { ...before, data, memory }, code, functions, signatures }
}

function layOut(module: Module, contents: Contents): Omit<Layout, 'data' | 'memory'> {
  const calls = 2048
  const frames = calls + 8 * callsMax
  const functions = frames + slotBytes * slotsMax
  const globals = align(functions + 8 * module.functions.length)
  const tables = globals + slotBytes * module.globals.length
  const dataSegments = tables + headerBytes * module.tables.length
  const elementSegments = dataSegments + headerBytes * contents.data.length
  const elements = elementSegments + headerBytes * contents.elements.length
  const elementCount =
    module.tables.reduce((sum, { max }) => sum + tableCapacity(max), 0) +
    contents.elements.reduce((sum, { references }) => sum + references.length, 0)
  const code = align(elements + 4 * elementCount)
  return { calls, frames, functions, globals, tables, dataSegments, elementSegments, elements, code }
}

const align = (bytes: number): number => Math.ceil(bytes / 16) * 16

/** Bytes no access goes beyond, whatever the caps: what the module states. */
function addressableBytes({ memories }: Module): number {
  const max = memories[0]?.max
  return max === undefined ? 2 ** 32 : max * 65_536
}

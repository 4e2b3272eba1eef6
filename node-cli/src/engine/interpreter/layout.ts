import { guestPagesMax, guestTableElementsMax } from '../../../../protocol/wasm/guest.ts'
import type { Module } from '../../../../protocol/wasm/module.ts'
import type { Initializers } from './initializers.ts'

/** Most pages the memory can have. Not that of metering/, which is compared with it. */
export const pagesMaxOf = ({ memories }: Module): number =>
  Math.min(memories[0]?.max ?? guestPagesMax, guestPagesMax)

/** Bytes of a slot: what holds a local, an operand or a global. */
export const slotBytes = 16

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

/** Bytes of what the table calls length, largest length and place. */
export const headerBytes = 12
/** A function costs 4 units at least, and one more may be on its way in; calls of the host come between. */
const callsMax = 40_960
/**
 * One slot for every stack unit, for a function's units cover its locals and operands. A function of the host that is
 * called last has up to 6 parameters that no units pay for, and each costs the 6 units of the `__alloc` that the
 * host calls next: as many slots again.
 */
const slotsMax = 2 * 65_536 + 64

/** Lays out what a module has; the code is translated before its length is known. */
export function layOut(module: Module, initializers: Initializers): Omit<Layout, 'data' | 'memory'> {
  const calls = 2048
  const frames = calls + 8 * callsMax
  const functions = frames + slotBytes * slotsMax
  const globals = align(functions + 8 * module.functions.length)
  const tables = globals + slotBytes * module.globals.length
  const dataSegments = tables + headerBytes * module.tables.length
  const elementSegments = dataSegments + headerBytes * initializers.data.length
  const elements = elementSegments + headerBytes * initializers.elements.length
  const elementCount =
    module.tables.reduce((sum, { max }) => sum + tableCapacity(max), 0) +
    initializers.elements.reduce((sum, { references }) => sum + references.length, 0)
  const code = align(elements + 4 * elementCount)
  return { calls, frames, functions, globals, tables, dataSegments, elementSegments, elements, code }
}

const align = (bytes: number): number => Math.ceil(bytes / 16) * 16

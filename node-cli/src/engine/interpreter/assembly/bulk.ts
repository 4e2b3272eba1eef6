import { machine, Trap, trapped } from './machine'
import { Op } from './opcodes'
import { first, left, put, right } from './slots'

/** The header of a segment or table: its length, for a table its maximum length, and the address of its elements. */

// @ts-ignore: a decorator of the compiler
@inline function lengthOf(header: u32): u32 {
  return load<u32>(header)
}

// @ts-ignore: a decorator of the compiler
@inline function elementsOf(header: u32): u32 {
  return load<u32>(header, 8)
}

// @ts-ignore: a decorator of the compiler
@inline function outOf(start: u32, count: u32, length: u64): bool {
  return <u64>start + <u64>count > length
}

/** Work that costs one gas whatever its length must not keep the host from its clock: the slice ends earlier. */
function shortenSlice(bytes: u32): void {
  machine.bound -= <i64>(bytes >> 6)
}

function fault(kind: Trap): u32 {
  trapped(kind)
  return 0
}

function fillTable(header: u32, start: u32, reference: u32, count: u32): void {
  shortenSlice(16 * count)
  const place = elementsOf(header) + 4 * start
  for (let index: u32 = 0; index < count; index++) store<u32>(place + 4 * index, reference)
}

/** Runs an instruction on tables, segments or stretches of memory. @returns The next instruction, or 0 after a trap. */
export function runBulk(code: u32, pc: u32, fp: u32): u32 {
  switch (code) {
    case Op.memory_init: {
      const to = first<u32>(pc, fp)
      const from = left<u32>(pc, fp)
      const count = right<u32>(pc, fp)
      const segment = load<u32>(pc, 16)
      if (outOf(from, count, lengthOf(segment)) || outOf(to, count, machine.memoryBytes)) return fault(Trap.memory)
      shortenSlice(count)
      memory.copy(machine.memoryBase + to, elementsOf(segment) + from, count)
      return pc + 20
    }
    case Op.data_drop:
    case Op.elem_drop:
      store<u32>(load<u32>(pc, 4), 0)
      return pc + 8
    case Op.memory_copy: {
      const to = first<u32>(pc, fp)
      const from = left<u32>(pc, fp)
      const count = right<u32>(pc, fp)
      if (outOf(from, count, machine.memoryBytes) || outOf(to, count, machine.memoryBytes)) return fault(Trap.memory)
      shortenSlice(count)
      memory.copy(machine.memoryBase + to, machine.memoryBase + from, count)
      return pc + 16
    }
    case Op.memory_fill: {
      const to = first<u32>(pc, fp)
      const count = right<u32>(pc, fp)
      if (outOf(to, count, machine.memoryBytes)) return fault(Trap.memory)
      shortenSlice(count)
      memory.fill(machine.memoryBase + to, left<u8>(pc, fp), count)
      return pc + 16
    }
    case Op.table_init: {
      const to = first<u32>(pc, fp)
      const from = left<u32>(pc, fp)
      const count = right<u32>(pc, fp)
      const segment = load<u32>(pc, 16)
      const table = load<u32>(pc, 20)
      if (outOf(from, count, lengthOf(segment)) || outOf(to, count, lengthOf(table))) return fault(Trap.table)
      shortenSlice(4 * count)
      memory.copy(elementsOf(table) + 4 * to, elementsOf(segment) + 4 * from, 4 * count)
      return pc + 24
    }
    case Op.table_copy: {
      const to = first<u32>(pc, fp)
      const from = left<u32>(pc, fp)
      const count = right<u32>(pc, fp)
      const target = load<u32>(pc, 16)
      const source = load<u32>(pc, 20)
      if (outOf(from, count, lengthOf(source)) || outOf(to, count, lengthOf(target))) return fault(Trap.table)
      shortenSlice(4 * count)
      memory.copy(elementsOf(target) + 4 * to, elementsOf(source) + 4 * from, 4 * count)
      return pc + 24
    }
    case Op.table_grow: {
      const table = load<u32>(pc, 16)
      const before = lengthOf(table)
      const count = right<u32>(pc, fp)
      if (outOf(before, count, load<u32>(table, 4))) put<i32>(pc, fp, -1)
      else {
        fillTable(table, before, left<u32>(pc, fp), count)
        store<u32>(table, before + count)
        put<u32>(pc, fp, before)
      }
      return pc + 20
    }
    case Op.table_size:
      put<u32>(pc, fp, lengthOf(load<u32>(pc, 8)))
      return pc + 12
    case Op.table_fill: {
      const start = first<u32>(pc, fp)
      const count = right<u32>(pc, fp)
      const table = load<u32>(pc, 16)
      if (outOf(start, count, lengthOf(table))) return fault(Trap.table)
      fillTable(table, start, left<u32>(pc, fp), count)
      return pc + 20
    }
    case Op.table_get: {
      const index = left<u32>(pc, fp)
      const table = load<u32>(pc, 12)
      if (index >= lengthOf(table)) return fault(Trap.table)
      put<u32>(pc, fp, load<u32>(elementsOf(table) + 4 * index))
      return pc + 16
    }
    case Op.table_set: {
      const index = first<u32>(pc, fp)
      const table = load<u32>(pc, 12)
      if (index >= lengthOf(table)) return fault(Trap.table)
      store<u32>(elementsOf(table) + 4 * index, left<u32>(pc, fp))
      return pc + 16
    }
    default:
      return fault(Trap.fault)
  }
}

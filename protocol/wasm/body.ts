import type { Module } from './module.ts'
import { type Operator, operatorAt, refusedFeature } from './operators.ts'
import type { WasmReader } from './reader.ts'
import { readIndex, readReferenceType, readValueType } from './values.ts'

/** Most locals one function may declare, parameters not counted; every engine refuses more. */
const localsMax = 50_000

/**
 * Walks the body of a defined function: every operator is allowed, every index exists, and blocks close where the body
 * ends. The types of operands are the engine's affair.
 *
 * @param type Index of the function's type.
 * @throws {@link WasmError}
 */
export function checkBody(module: Module, type: number, reader: WasmReader): void {
  const locals = readLocals(reader) + module.types[type]!.params.length
  // Whether each open block is an `if` whose `else` has not come yet; the function is the outermost.
  const blocks = [false]
  while (blocks.length > 0) {
    const operator = readOperator(reader)
    switch (operator.name) {
      case 'block':
      case 'loop':
      case 'if':
        blocks.push(operator.name === 'if')
        break
      case 'else':
        if (!blocks.at(-1)) reader.fail('an else is in no if')
        blocks[blocks.length - 1] = false
        break
      case 'end':
        blocks.pop()
    }
    readImmediates(reader, operator, module, locals, blocks.length)
  }
  if (!reader.done) reader.fail('bytes follow the end of a function')
}

function readLocals(reader: WasmReader): number {
  let total = 0
  for (let groups = reader.u32(); groups > 0; groups--) {
    total += reader.u32()
    if (total > localsMax) reader.fail(`a function declares more than ${localsMax} locals`)
    readValueType(reader)
  }
  return total
}

function readOperator(reader: WasmReader): Operator {
  const start = reader.at
  const first = reader.byte()
  const prefix = first === 0xfc || first === 0xfd || first === 0xfb || first === 0xfe ? first : 0
  const opcode = prefix === 0 ? first : reader.u32()
  const operator = operatorAt(prefix, opcode)
  if (operator !== undefined) return operator
  reader.at = start
  const name = prefix === 0 ? hex(first) : `${hex(prefix)} ${opcode}`
  const feature = refusedFeature(prefix, opcode)
  return feature === undefined
    ? reader.fail(`there is no operator ${name}`)
    : reader.fail(`${feature}: operator ${name} is not allowed`, 'feature')
}

const hex = (byte: number): string => `0x${byte.toString(16).padStart(2, '0')}`

function readImmediates(
  reader: WasmReader,
  operator: Operator,
  module: Module,
  locals: number,
  depth: number,
): void {
  switch (operator.immediates) {
    case 'none':
      return
    case 'block':
      return readBlockType(reader, module)
    case 'label':
      return readLabel(reader, depth)
    case 'labels':
      for (let count = reader.u32(); count >= 0; count--) readLabel(reader, depth)
      return
    case 'function':
      readIndex(reader, module.functions, 'function')
      return
    case 'type-table':
      readIndex(reader, module.types, 'type')
      if (module.tables[readIndex(reader, module.tables, 'table')]!.type !== 'funcref')
        reader.fail('an indirect call goes through a table of functions')
      return
    case 'value-types':
      if (reader.u32() !== 1) reader.fail('a select gives one value')
      readValueType(reader)
      return
    case 'local':
      if (reader.u32() >= locals) reader.fail('there is no such local')
      return
    case 'global':
      readIndex(reader, module.globals, 'global')
      return
    case 'table':
      readIndex(reader, module.tables, 'table')
      return
    case 'memarg':
      return readMemoryArgument(reader, operator, module)
    case 'memarg-lane':
      readMemoryArgument(reader, operator, module)
      return readLane(reader, operator)
    case 'memory':
      return readMemory(reader, module)
    case 'memory-memory':
      readMemory(reader, module)
      return readMemory(reader, module)
    case 'data-memory':
      readData(reader, module)
      return readMemory(reader, module)
    case 'data':
      return readData(reader, module)
    case 'element-table':
      readIndex(reader, module.elements, 'element segment')
      readIndex(reader, module.tables, 'table')
      return
    case 'element':
      readIndex(reader, module.elements, 'element segment')
      return
    case 'table-table':
      readIndex(reader, module.tables, 'table')
      readIndex(reader, module.tables, 'table')
      return
    case 'reference':
      readReferenceType(reader)
      return
    case 'i32':
      return reader.skipSigned(32)
    case 'i64':
      return reader.skipSigned(64)
    case 'f32':
      return reader.skip(4)
    case 'f64':
      return reader.skip(8)
    case 'v128':
      return reader.skip(16)
    case 'shuffle':
      for (let lane = 0; lane < 16; lane++) if (reader.byte() >= 32) reader.fail('there is no such lane')
      return
    case 'lane':
      return readLane(reader, operator)
  }
}

function readBlockType(reader: WasmReader, module: Module): void {
  const first = reader.bytes[reader.at]
  if (first === 0x40) return reader.skip(1)
  // One byte with bit 6 is negative and names a value type; everything else is the index of a type.
  if (first !== undefined && first >= 0x40 && first < 0x80) {
    readValueType(reader)
    return
  }
  const start = reader.at
  reader.skipSigned(33)
  reader.at = start
  let index = 0
  for (let shift = 0, byte = 0x80; byte >= 0x80; shift += 7) {
    byte = reader.byte()
    index += (byte & 0x7f) * 2 ** shift
  }
  if (index >= module.types.length) reader.fail(`there is no type ${index}`)
}

function readLabel(reader: WasmReader, depth: number): void {
  if (reader.u32() >= depth) reader.fail('a branch goes to a block that is not there')
}

function readMemory(reader: WasmReader, module: Module): void {
  if (reader.byte() !== 0) {
    reader.at -= 1
    reader.fail('several memories are not allowed', 'feature')
  }
  if (module.memories.length === 0) reader.fail('there is no memory')
}

function readMemoryArgument(reader: WasmReader, operator: Operator, module: Module): void {
  const alignment = reader.u32()
  if (alignment & 0x40) reader.fail('several memories are not allowed', 'feature')
  if (alignment > 31 || 2 ** alignment > operator.accessBytes)
    reader.fail(`${operator.name} is aligned to more than it accesses`)
  reader.u32()
  if (module.memories.length === 0) reader.fail('there is no memory')
}

function readData(reader: WasmReader, module: Module): void {
  if (module.dataCount === undefined) reader.fail('a data segment is named without a data count section')
  readIndex(reader, { length: module.dataCount ?? 0 }, 'data segment')
}

function readLane(reader: WasmReader, operator: Operator): void {
  if (reader.byte() >= operator.lanes) reader.fail('there is no such lane')
}

import type { FunctionType, Module } from './module.ts'
import type { ValueType } from './operator-row.ts'
import { type Operator, operatorAt, refusedFeature } from './operators.ts'
import type { WasmReader } from './reader.ts'
import { readIndex, readReferenceType, readValueType } from './values.ts'

/** Most labels of a `br_table` beside the default; V8 refuses more. */
const branchTableMax = 65_520

const none: readonly ValueType[] = []
const oneResult = new Map<ValueType, FunctionType>()
const noResult: FunctionType = { params: none, results: none }

/**
 * Reads the operators of one function body, one at a time, with their immediates. Indices, lanes and alignments are
 * checked; types are not. One object is reused for every operator, for a body has millions of them.
 */
export class OperatorDecoder {
  operator!: Operator
  /** Offsets of the operator and of the next one in the module's bytes. */
  start = 0
  end = 0
  /** The first index: function, type, local, global, table, segment, label; the constant of an `i32.const` is not kept. */
  index = 0
  /** The second index, where there are two. */
  second = 0
  /** The labels of a `br_table`, the default last. */
  labels: number[] = []
  /** The offset of a memory access. */
  offset = 0
  /** The type of a block. */
  block: FunctionType = noResult
  /** The type a `select` or a `ref.null` names. */
  type: ValueType = 'i32'

  readonly #module: Module
  readonly #reader: WasmReader
  readonly #locals: number

  /** @param locals Number of locals, parameters included. */
  constructor(module: Module, reader: WasmReader, locals: number) {
    this.#module = module
    this.#reader = reader
    this.#locals = locals
  }

  /**
   * Reads the next operator.
   *
   * @param depth Number of labels a branch can name.
   * @throws {@link WasmError}
   */
  read(depth: number): void {
    const reader = this.#reader
    this.start = reader.at
    this.operator = readOperator(reader)
    this.#readImmediates(depth)
    this.end = reader.at
  }

  #readImmediates(depth: number): void {
    const reader = this.#reader
    const { functions, types, tables, globals, elements } = this.#module
    switch (this.operator.immediates) {
      case 'none':
        return
      case 'block':
        this.block = readBlockType(reader, types)
        return
      case 'label':
        this.index = readLabel(reader, depth)
        return
      case 'labels': {
        const count = reader.u32()
        if (count > branchTableMax) reader.fail(`a branch table has more than ${branchTableMax} labels`)
        this.labels = Array.from({ length: count + 1 }, () => readLabel(reader, depth))
        return
      }
      case 'function':
        this.index = readIndex(reader, functions, 'function')
        return
      case 'type-table':
        this.index = readIndex(reader, types, 'type')
        this.second = readIndex(reader, tables, 'table')
        if (tables[this.second]!.type !== 'funcref')
          reader.fail('an indirect call goes through a table of functions')
        return
      case 'value-types':
        if (reader.u32() !== 1) reader.fail('a select gives one value')
        this.type = readValueType(reader)
        return
      case 'local':
        this.index = reader.u32()
        if (this.index >= this.#locals) reader.fail(`there is no local ${this.index}`)
        return
      case 'global':
        this.index = readIndex(reader, globals, 'global')
        return
      case 'table':
        this.index = readIndex(reader, tables, 'table')
        return
      case 'memarg':
        return this.#readMemoryArgument()
      case 'memarg-lane':
        this.#readMemoryArgument()
        return readLane(reader, this.operator)
      case 'memory':
        return this.#readMemory()
      case 'memory-memory':
        this.#readMemory()
        return this.#readMemory()
      case 'data-memory':
        this.#readData()
        return this.#readMemory()
      case 'data':
        return this.#readData()
      case 'element-table':
        this.index = readIndex(reader, elements, 'element segment')
        this.second = readIndex(reader, tables, 'table')
        return
      case 'element':
        this.index = readIndex(reader, elements, 'element segment')
        return
      case 'table-table':
        this.index = readIndex(reader, tables, 'table')
        this.second = readIndex(reader, tables, 'table')
        return
      case 'reference':
        this.type = readReferenceType(reader)
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
        return readLane(reader, this.operator)
    }
  }

  #readMemory(): void {
    const reader = this.#reader
    if (reader.byte() !== 0) {
      reader.at -= 1
      reader.fail('several memories are not allowed', 'feature')
    }
    if (this.#module.memories.length === 0) reader.fail('there is no memory')
  }

  #readMemoryArgument(): void {
    const reader = this.#reader
    const alignment = reader.u32()
    if (alignment & 0x40) reader.fail('several memories are not allowed', 'feature')
    if (alignment > 31 || 2 ** alignment > this.operator.accessBytes)
      reader.fail(`${this.operator.name} is aligned to more than it accesses`)
    this.offset = reader.u32()
    if (this.#module.memories.length === 0) reader.fail('there is no memory')
  }

  #readData(): void {
    const { dataCount } = this.#module
    if (dataCount === undefined) this.#reader.fail('a data segment is named without a data count section')
    this.index = readIndex(this.#reader, { length: dataCount! }, 'data segment')
  }
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

export function readBlockType(reader: WasmReader, types: Module['types']): FunctionType {
  const first = reader.bytes[reader.at]
  if (first === 0x40) {
    reader.skip(1)
    return noResult
  }
  // One byte with bit 6 is negative and names a value type; everything else is the index of a type.
  if (first !== undefined && first >= 0x40 && first < 0x80) return giving(readValueType(reader))
  const start = reader.at
  reader.skipSigned(33)
  reader.at = start
  let index = 0
  let byte = 0x80
  for (let shift = 0; byte >= 0x80; shift += 7) {
    byte = reader.byte()
    index += (byte & 0x7f) * 2 ** shift
  }
  // A negative number: engines differ over a value type in more than one byte.
  if (byte & 0x40) reader.fail('the type of a block is negative')
  return types[index] ?? reader.fail(`there is no type ${index}`)
}

function giving(type: ValueType): FunctionType {
  const known = oneResult.get(type)
  if (known) return known
  const made: FunctionType = { params: none, results: [type] }
  oneResult.set(type, made)
  return made
}

function readLabel(reader: WasmReader, depth: number): number {
  const label = reader.u32()
  if (label >= depth) reader.fail('a branch goes to a block that does not exist')
  return label
}

function readLane(reader: WasmReader, operator: Operator): void {
  if (reader.byte() >= operator.lanes) reader.fail('there is no such lane')
}

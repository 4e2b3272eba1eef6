import { readConstant } from './constant.ts'
import { type ElementSegment, readElementSegment } from './element-segment.ts'
import type { ReferenceType, ValueType } from './operator-row.ts'
import { WasmReader } from './reader.ts'
import { each, itemsMax, readIndex, readValueType, shownName, signatureMax } from './values.ts'

export interface FunctionType {
  readonly params: readonly ValueType[]
  readonly results: readonly ValueType[]
}

export interface Limits {
  readonly min: number
  /** undefined when the module states none. */
  readonly max: number | undefined
}

export interface Table extends Limits {
  readonly type: ReferenceType
}

export interface Global {
  readonly type: ValueType
  readonly mutable: boolean
}

/** Only functions can be imported by a guest; other kinds are kept so that the refusal can name them. */
export interface Import {
  readonly module: string
  readonly name: string
  readonly kind: 'function' | 'table' | 'memory' | 'global'
  /** Index into the types, for a function. */
  readonly type: number
}

export interface Export {
  readonly name: string
  readonly kind: 'function' | 'table' | 'memory' | 'global'
  readonly index: number
}

/** The sections of a module, with the code bodies left in place. */
export interface Module {
  readonly types: readonly FunctionType[]
  readonly imports: readonly Import[]
  /** Type index of every function, imported ones first. */
  readonly functions: readonly number[]
  readonly importedFunctions: number
  readonly tables: readonly Table[]
  readonly memories: readonly Limits[]
  readonly globals: readonly Global[]
  readonly exports: readonly Export[]
  readonly start: number | undefined
  readonly elements: readonly ElementSegment[]
  /** Functions that initialisers of globals refer to. */
  readonly declaredReferences: readonly number[]
  /** Number of data segments. */
  readonly data: number
  /** The number a data count section announces ahead of the code; bodies may name segments only with it. */
  readonly dataCount: number | undefined
  /** One reader per defined function, over its locals and operators. */
  readonly bodies: readonly WasmReader[]
}

/** Most parameters and results of all types together, for the same reason as {@link itemsMax}. */
const typeValuesMax = 1_000_000
const sectionOrder = [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 10, 11]
const kinds = ['function', 'table', 'memory', 'global'] as const

/**
 * Reads the sections of a module, in time linear in its bytes: no count is trusted before the bytes that make it up were
 * seen. Counts have limits of their own, for a module of 12 MiB can be an upload of a few kilobytes.
 *
 * @throws {@link WasmError} with the offset.
 */
export function readModule(bytes: Uint8Array): Module {
  const reader = new WasmReader(bytes)
  if (bytes.length < 8 || !header.every((byte, index) => bytes[index] === byte))
    reader.fail('the module does not begin with the magic number and version 1')
  reader.skip(8)

  const module = new ModuleBuilder()
  let lastPlace = -1
  while (!reader.done) {
    const id = reader.byte()
    const section = reader.part(reader.u32())
    if (id === 0) {
      section.text()
      continue
    }
    if (id === 13) section.fail('exceptions are not allowed: a tag section', 'feature')
    const place = sectionOrder.indexOf(id)
    if (place < 0) section.fail(`there is no section ${id}`)
    if (place <= lastPlace) section.fail(`section ${id} is out of order or occurs twice`)
    lastPlace = place
    module.readSection(id, section)
    if (!section.done) section.fail(`section ${id} is longer than its contents`)
  }
  return module.finish(reader)
}

const header = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00]

class ModuleBuilder implements Module {
  readonly types: FunctionType[] = []
  readonly imports: Import[] = []
  readonly functions: number[] = []
  importedFunctions = 0
  readonly tables: Table[] = []
  readonly memories: Limits[] = []
  readonly globals: Global[] = []
  readonly exports: Export[] = []
  start: number | undefined
  readonly elements: ElementSegment[] = []
  readonly declaredReferences: number[] = []
  data = 0
  dataCount: number | undefined
  readonly bodies: WasmReader[] = []
  readonly #exportNames = new Set<string>()
  #typeValues = 0

  readSection(id: number, reader: WasmReader): void {
    switch (id) {
      case 1:
        return each(reader, () => this.#readType(reader), itemsMax)
      case 2:
        return each(reader, () => this.#readImport(reader), itemsMax)
      case 3:
        return each(reader, () => this.functions.push(readIndex(reader, this.types, 'type')), itemsMax)
      case 4:
        return each(reader, () => this.tables.push(readTable(reader)), itemsMax)
      case 5:
        return each(reader, () => this.memories.push(readLimits(reader, 'memory')), itemsMax)
      case 6:
        return each(reader, () => this.#readGlobal(reader), itemsMax)
      case 7:
        return each(reader, () => this.#readExport(reader), itemsMax)
      case 8:
        return this.#readStart(reader)
      case 9:
        return each(reader, () => this.elements.push(readElementSegment(reader, this)), itemsMax)
      case 12:
        this.dataCount = reader.u32()
        return
      case 10:
        return each(reader, () => this.bodies.push(reader.part(reader.u32())), itemsMax)
      case 11:
        return each(reader, () => this.#readData(reader), itemsMax)
    }
  }

  /** Checks what several sections must agree on. */
  finish(reader: WasmReader): Module {
    const defined = this.functions.length - this.importedFunctions
    if (this.bodies.length !== defined)
      reader.fail(`${defined} functions are declared and ${this.bodies.length} have a body`)
    if (this.dataCount !== undefined && this.dataCount !== this.data)
      reader.fail(`${this.dataCount} data segments are announced but ${this.data} exist`)
    return this
  }

  #readType(reader: WasmReader): void {
    const type = readFunctionType(reader)
    this.#typeValues += type.params.length + type.results.length
    if (this.#typeValues > typeValuesMax)
      reader.fail(`the types have more than ${typeValuesMax} parameters and results in all`, 'abi')
    this.types.push(type)
  }

  #readImport(reader: WasmReader): void {
    const [module, name] = [reader.text(), reader.text()]
    const tag = reader.byte()
    if (tag === 4) reader.fail('exceptions are not allowed: an imported tag', 'feature')
    const kind = kinds[tag] ?? reader.fail(`there is no import kind ${tag}`)
    let type = 0
    if (kind === 'function') {
      type = readIndex(reader, this.types, 'type')
      this.functions.push(type)
      this.importedFunctions += 1
    } else if (kind === 'table') this.tables.push(readTable(reader))
    else if (kind === 'memory') this.memories.push(readLimits(reader, 'memory'))
    else this.globals.push(readGlobalType(reader))
    this.imports.push({ module, name, kind, type })
  }

  #readGlobal(reader: WasmReader): void {
    const global = readGlobalType(reader)
    const reference = readConstant(reader, global.type, this.functions.length)
    if (reference !== undefined) this.declaredReferences.push(reference)
    this.globals.push(global)
  }

  #readExport(reader: WasmReader): void {
    const name = reader.text()
    if (this.#exportNames.has(name)) reader.fail(`the export ${shownName(name)} occurs twice`)
    this.#exportNames.add(name)
    const tag = reader.byte()
    if (tag === 4) reader.fail('exceptions are not allowed: an exported tag', 'feature')
    const kind = kinds[tag] ?? reader.fail(`there is no export kind ${tag}`)
    const space = {
      function: this.functions,
      table: this.tables,
      memory: this.memories,
      global: this.globals,
    }[kind]
    this.exports.push({ name, kind, index: readIndex(reader, space, kind) })
  }

  #readStart(reader: WasmReader): void {
    this.start = readIndex(reader, this.functions, 'function')
    const { params, results } = this.types[this.functions[this.start]!]!
    if (params.length + results.length > 0) reader.fail('the start function has parameters or results')
  }

  #readData(reader: WasmReader): void {
    const form = reader.u32()
    if (form > 2) reader.fail(`there is no data segment form ${form}`)
    if (form === 2 && reader.u32() !== 0) reader.fail('several memories are not allowed', 'feature')
    if (form !== 1) {
      if (this.memories.length === 0) reader.fail('a data segment is for a memory that does not exist')
      readConstant(reader, 'i32', this.functions.length)
    }
    reader.skip(reader.u32())
    this.data += 1
  }
}

function readFunctionType(reader: WasmReader): FunctionType {
  const form = reader.byte()
  if (form !== 0x60) {
    reader.at -= 1
    const proposal = form >= 0x4d && form <= 0x5f
    reader.fail(
      proposal ? 'garbage-collected types are not allowed' : `0x${form.toString(16)} is not a function type`,
      proposal ? 'feature' : 'malformed',
    )
  }
  const params: ValueType[] = []
  const results: ValueType[] = []
  each(reader, () => params.push(readValueType(reader)), signatureMax)
  each(reader, () => results.push(readValueType(reader)), signatureMax)
  return { params, results }
}

function readLimits(reader: WasmReader, what: 'memory' | 'table'): Limits {
  const flags = reader.byte()
  if (flags > 1) {
    reader.at -= 1
    if (flags & 0x08) reader.fail('custom page sizes are not allowed', 'feature')
    if (flags & 0x04) reader.fail(`64-bit ${what} is not allowed`, 'feature')
    if (flags & 0x02) reader.fail(`shared ${what} is not allowed`, 'feature')
    reader.fail(`0x${flags.toString(16)} is not a form of limits`)
  }
  const min = reader.u32()
  const max = flags === 1 ? reader.u32() : undefined
  if (max !== undefined && max < min) reader.fail(`the maximum of a ${what} is below its minimum`)
  if (what === 'memory' && Math.max(min, max ?? 0) > 65_536) reader.fail('a memory has more than 65536 pages')
  return { min, max }
}

function readTable(reader: WasmReader): Table {
  if (reader.bytes[reader.at] === 0x40) reader.fail('tables with an initialiser are not allowed', 'feature')
  const type = readValueType(reader)
  if (type !== 'funcref' && type !== 'externref') reader.fail('a table holds references')
  return { type: type as ReferenceType, ...readLimits(reader, 'table') }
}

function readGlobalType(reader: WasmReader): Global {
  const type = readValueType(reader)
  const mutable = reader.byte()
  if (mutable > 1) reader.fail('a global is neither constant nor mutable')
  return { type, mutable: mutable === 1 }
}

import type { ValueType } from './operator-row.ts'
import type { WasmReader } from './reader.ts'

const valueTypes: Readonly<Record<number, ValueType>> = {
  127: 'i32',
  126: 'i64',
  125: 'f32',
  124: 'f64',
  123: 'v128',
  112: 'funcref',
  111: 'externref',
}

/**
 * Most types, imports, functions, globals, exports and segments of a module, each. The data kept of a
 * module stays far below the memory of one isolate, even if its archive is small.
 */
export const itemsMax = 100_000
/** Most parameters, and most results, of a function; every engine refuses more. */
export const signatureMax = 1000

/** Most elements one vector of a module may have. */
const elementsMax = 200_000

/** Reads a vector; the count is not trusted, every element must be there. */
export function each(
  reader: WasmReader,
  read: (index: number) => void,
  max = Number.POSITIVE_INFINITY,
): void {
  const count = reader.u32()
  // Each element becomes an object here; no real module comes near.
  if (count > elementsMax) reader.fail(`a vector has more than ${elementsMax} elements`)
  if (count > max) reader.fail(`a list has ${count} items; at most ${max} are allowed`, 'abi')
  // Every element takes a byte at least.
  if (count > reader.end - reader.at) reader.fail('a count is larger than the rest of the section')
  for (let index = 0; index < count; index++) read(index)
}

/** Reads an index of something that is in `space`. */
export function readIndex(reader: WasmReader, space: { readonly length: number }, what: string): number {
  const index = reader.u32()
  if (index >= space.length) reader.fail(`there is no ${what} ${index}`)
  return index
}

export function readValueType(reader: WasmReader): ValueType {
  const byte = reader.byte()
  const type = valueTypes[byte]
  if (type === undefined) {
    reader.at -= 1
    const proposal = byte >= 0x63 && byte <= 0x74
    reader.fail(
      proposal ? 'typed references are not allowed' : `0x${byte.toString(16)} is not a value type`,
      proposal ? 'feature' : 'malformed',
    )
  }
  return type!
}

/** Reads the type of a reference; typed and garbage-collected ones are other proposals'. */
export function readReferenceType(reader: WasmReader): 'funcref' | 'externref' {
  const byte = reader.byte()
  if (byte === 0x70) return 'funcref'
  if (byte === 0x6f) return 'externref'
  reader.at -= 1
  return reader.fail('references are to functions or to objects of the host only', 'feature')
}

/** A name of the module in a message: its beginning, for names can be megabytes. */
export function shownName(name: string): string {
  return JSON.stringify(name.length > 64 ? `${name.slice(0, 64).toWellFormed()}…` : name)
}

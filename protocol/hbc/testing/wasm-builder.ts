import { concatBytes, utf8 } from '../../encoding/index.ts'

/** A section to append or to put in another's place, by id. */
export type Sections = Readonly<Record<number, Uint8Array | undefined>>

const order = [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 10, 11]

const types = vector(
  [0x60, 1, 0x7f, 1, 0x7f], // 0: (i32) -> i32
  [0x60, 3, 0x7f, 0x7f, 0x7f, 1, 0x7e], // 1: (i32, i32, i32) -> i64
  [0x60, 4, 0x7f, 0x7f, 0x7f, 0x7f, 0], // 2: (i32, i32, i32, i32) -> ()
  [0x60, 2, 0x7f, 0x7f, 1, 0x7e], // 3: (i32, i32) -> i64
)

/** The smallest guest: `__alloc` gives 0 and `__hive_entry` gives the empty string. */
const smallest: Sections = {
  1: types,
  3: vector([0], [1]),
  5: vector([0, 1]),
  7: exportsOf(['memory', 2, 0], ['__alloc', 0, 0], ['__hive_entry', 0, 1]),
  10: bodies([0x41, 0], [0x42, 0]),
}

/** The smallest guest with some sections exchanged; undefined removes one. */
export function buildWasm(changes: Sections = {}): Uint8Array {
  const sections = { ...smallest, ...changes }
  const parts = order.flatMap((id) => {
    const content = sections[id]
    return content ? [new Uint8Array([id, ...leb(content.length)]), content] : []
  })
  return concatBytes(new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]), ...parts)
}

/** A guest that imports one function; the indices of its own move up by one. */
export function importing(module: string, name: string, type: number): Uint8Array {
  return buildWasm({
    2: vector([...named(module), ...named(name), 0, type]),
    7: exportsOf(['memory', 2, 0], ['__alloc', 0, 1], ['__hive_entry', 0, 2]),
  })
}

/** Function bodies without locals; the final `end` is added. */
export function bodies(...codes: number[][]): Uint8Array {
  return vector(...codes.map((code) => [...leb(code.length + 2), 0, ...code, 0x0b]))
}

export function exportsOf(...entries: [name: string, kind: number, index: number][]): Uint8Array {
  return vector(...entries.map(([name, kind, index]) => [...named(name), kind, index]))
}

export function vector(...items: number[][]): Uint8Array {
  return new Uint8Array([...leb(items.length), ...items.flat()])
}

export function named(name: string): number[] {
  return [...leb(utf8(name).length), ...utf8(name)]
}

export function leb(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  do {
    bytes.push((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0))
    rest >>>= 7
  } while (rest > 0)
  return bytes
}

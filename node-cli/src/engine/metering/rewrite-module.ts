import type { FunctionType, Module } from '../../../../protocol/wasm/module.ts'
import type { ValueType } from '../../../../protocol/wasm/operator-row.ts'
import { WasmReader } from '../../../../protocol/wasm/reader.ts'
import { ByteWriter } from './byte-writer.ts'

/** The parts of a module that a rewrite adds or replaces; everything else is copied byte for byte. */
export interface ModuleRewrite {
  /** One new body per defined function, without its length. */
  bodies: readonly Uint8Array[]
  /** Types to append, in order. */
  types: readonly FunctionType[]
  /** Types of all functions that have a body, where they change. */
  functions?: readonly number[]
  /** Exports in the place of the original ones. */
  exports?: readonly { name: string; kind: number; index: number }[]
  /** Mutable globals, appended last, each exported. */
  globals: readonly { type: 'i32' | 'i64'; initial: number; exportName: string }[]
  /** Caps every memory and table, stated maximum or not. */
  caps?: { pages: number; elements: number }
}

/** The name a removed start function is exported under. */
export const startExport = '__ndsr_start'

const valueTypeBytes: Readonly<Record<ValueType, number>> = {
  i32: 0x7f,
  i64: 0x7e,
  f32: 0x7d,
  f64: 0x7c,
  v128: 0x7b,
  funcref: 0x70,
  externref: 0x6f,
}

export const valueTypeByte = (type: ValueType): number => valueTypeBytes[type]

const order = [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 10, 11]

/** Writes a module with new bodies. Missing sections are made in their place; custom sections stay where they are. */
export function rewriteModule(wasm: Uint8Array, module: Module, rewrite: ModuleRewrite): Uint8Array {
  const output = new ByteWriter()
  output.range(wasm, 0, 8)
  const reader = new WasmReader(wasm, 8)
  let place = 0
  const make = (until: number) => {
    for (; place < until; place++)
      writeSection(output, order[place]!, rewrittenSection(order[place]!, null, module, rewrite))
  }
  while (!reader.done) {
    const start = reader.at
    const id = reader.byte()
    const content = reader.part(reader.u32())
    if (id === 0) {
      output.range(wasm, start, reader.at)
      continue
    }
    make(order.indexOf(id))
    const rewritten = rewrittenSection(id, content, module, rewrite)
    if (rewritten === unchanged) output.range(wasm, start, reader.at)
    else writeSection(output, id, rewritten)
    place += 1
  }
  make(order.length)
  return output.view().slice()
}

function writeSection(output: ByteWriter, id: number, content: Uint8Array | null): void {
  if (content === null) return
  output.byte(id)
  output.u32(content.length)
  output.bytes(content)
}

/** Stands for a section that keeps its bytes, a size with more of them than it needs included. */
const unchanged = new Uint8Array()

/** The new content of a section, or {@link unchanged}; null leaves it out. */
function rewrittenSection(
  id: number,
  reader: WasmReader | null,
  module: Module,
  rewrite: ModuleRewrite,
): Uint8Array | null {
  const section = new ByteWriter()
  switch (id) {
    case 1:
      return appended(section, reader, rewrite.types.length, () => {
        for (const { params, results } of rewrite.types) {
          section.byte(0x60)
          for (const list of [params, results]) {
            section.u32(list.length)
            section.bytes(list.map(valueTypeByte))
          }
        }
      })
    case 3:
      if (rewrite.functions === undefined) break
      section.u32(rewrite.functions.length)
      for (const type of rewrite.functions) section.u32(type)
      return section.view()
    case 4:
      if (rewrite.caps === undefined || reader === null) break
      section.u32(module.tables.length)
      for (const { type, min, max } of module.tables) {
        section.byte(valueTypeByte(type))
        writeLimits(section, min, Math.min(max ?? rewrite.caps.elements, rewrite.caps.elements))
      }
      return section.view()
    case 5:
      if (rewrite.caps === undefined || reader === null) break
      section.u32(module.memories.length)
      for (const { min, max } of module.memories)
        writeLimits(section, min, Math.min(max ?? rewrite.caps.pages, rewrite.caps.pages))
      return section.view()
    case 6:
      return appended(section, reader, rewrite.globals.length, () => {
        for (const { type, initial } of rewrite.globals) {
          section.bytes([valueTypeByte(type), 1, type === 'i32' ? 0x41 : 0x42])
          section.signed(initial)
          section.byte(0x0b)
        }
      })
    case 7: {
      if (rewrite.exports !== undefined) {
        section.u32(rewrite.exports.length)
        for (const { name, kind, index } of rewrite.exports) {
          section.text(name)
          section.byte(kind)
          section.u32(index)
        }
        return section.view()
      }
      const added = rewrite.globals.length + (module.start === undefined ? 0 : 1)
      return appended(section, reader, added, () => {
        for (const [index, { exportName }] of rewrite.globals.entries()) {
          section.text(exportName)
          section.byte(3)
          section.u32(module.globals.length + index)
        }
        if (module.start === undefined) return
        section.text(startExport)
        section.byte(0)
        section.u32(module.start)
      })
    }
    case 8:
      return null
    case 10:
      if (reader === null) break
      section.u32(rewrite.bodies.length)
      for (const body of rewrite.bodies) {
        section.u32(body.length)
        section.bytes(body)
      }
      return section.view()
  }
  return reader === null ? null : unchanged
}

/** A vector with elements appended; null when there is neither an old one nor anything to append. */
function appended(
  section: ByteWriter,
  reader: WasmReader | null,
  count: number,
  append: () => void,
): Uint8Array | null {
  if (reader === null && count === 0) return null
  const before = reader?.u32() ?? 0
  section.u32(before + count)
  if (reader !== null) section.range(reader.bytes, reader.at, reader.end)
  append()
  return section.view()
}

function writeLimits(section: ByteWriter, min: number, max: number): void {
  section.byte(1)
  section.u32(min)
  section.u32(max)
}

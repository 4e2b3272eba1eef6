import { readConstant } from './constant.ts'
import type { ReferenceType } from './operator-row.ts'
import type { WasmReader } from './reader.ts'
import { each, readIndex, readReferenceType } from './values.ts'

export interface ElementSegment {
  readonly type: ReferenceType
  /** Functions the segment names, each once; a body may take a reference only of functions named outside bodies. */
  readonly functions: readonly number[]
}

interface Typed {
  readonly type: ReferenceType
}

interface Spaces {
  readonly tables: readonly Typed[]
  readonly functions: readonly number[]
}

/**
 * Reads an element segment. Its form is three bits:
 *
 * | bit | set                                             | clear                     |
 * | --- | ----------------------------------------------- | ------------------------- |
 * | 0   | passive, or declarative with bit 1              | active: an offset follows |
 * | 1   | a table index, or the declarative form          | table 0, or passive       |
 * | 2   | elements are constant expressions               | they are function indices |
 *
 * @throws {@link WasmError}
 */
export function readElementSegment(reader: WasmReader, { tables, functions }: Spaces): ElementSegment {
  const form = reader.u32()
  if (form > 7) reader.fail(`there is no element segment form ${form}`)
  const active = (form & 1) === 0
  const expressions = (form & 4) !== 0

  let target: Typed | undefined
  if (active) {
    const index = (form & 2) === 0 ? 0 : reader.u32()
    target = tables[index] ?? reader.fail(`an element segment is for table ${index}, which does not exist`)
    readConstant(reader, 'i32', functions.length)
  }
  const type = (form & 3) === 0 ? 'funcref' : readElementType(reader, expressions)
  if (target !== undefined && target.type !== type)
    reader.fail(`a segment of ${type} is for a table of ${target.type}`)

  const named = new Set<number>()
  each(reader, () => {
    const index = expressions
      ? readConstant(reader, type, functions.length)
      : readIndex(reader, functions, 'function')
    if (index !== undefined) named.add(index)
  })
  return { type, functions: [...named] }
}

function readElementType(reader: WasmReader, expressions: boolean): ReferenceType {
  if (!expressions) {
    if (reader.byte() !== 0) reader.fail('an element segment is of an unknown kind')
    return 'funcref'
  }
  return readReferenceType(reader)
}

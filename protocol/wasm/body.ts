import { OperatorDecoder } from './decoder.ts'
import type { Module } from './module.ts'
import type { ValueType } from './operator-row.ts'
import type { WasmReader } from './reader.ts'
import { readValueType } from './values.ts'

/** Most locals of one function, parameters counted; every engine refuses more. */
const localsMax = 50_000

/** Locals of one type in a row: `count` of them end before the index `end`. */
export interface LocalGroup {
  readonly type: ValueType
  readonly end: number
}

/** Reads the declarations of locals at the head of a body; indices go on after the parameters. */
export function readLocals(reader: WasmReader, params: readonly ValueType[]): LocalGroup[] {
  const groups = params.map((type, index) => ({ type, end: index + 1 }))
  // Groups of none may be as many as the bytes allow; they are not kept.
  countLocals(reader, params.length, (type, count, end) => count > 0 && groups.push({ type, end }))
  return groups
}

/**
 * Reads the declarations of locals and keeps nothing: bodies of two bytes may share a type of a thousand parameters.
 *
 * @returns Number of locals, parameters included.
 */
function countLocals(
  reader: WasmReader,
  params: number,
  onGroup?: (type: ValueType, count: number, end: number) => void,
): number {
  let end = params
  for (let rest = reader.u32(); rest > 0; rest--) {
    const count = reader.u32()
    end += count
    if (end > localsMax) reader.fail(`a function has more than ${localsMax} locals, its parameters counted`)
    const type = readValueType(reader)
    onGroup?.(type, count, end)
  }
  return end
}

/**
 * Walks the body of a defined function: every operator is allowed, every index exists, and blocks close where the body
 * ends. The types of operands are the engine's affair: judging them can take a
 * thousand steps for a call of three bytes.
 *
 * @param type Index of the function's type.
 * @throws {@link WasmError}
 */
export function checkBody(module: Module, type: number, reader: WasmReader): void {
  const locals = countLocals(reader, module.types[type]!.params.length)
  const decoder = new OperatorDecoder(module, reader, locals)
  // Whether each open block is an `if` whose `else` has not come yet, a byte each; the function is the outermost.
  let ifs = new Uint8Array(64)
  let depth = 1
  while (depth > 0) {
    decoder.read(depth)
    switch (decoder.operator.name) {
      case 'block':
      case 'loop':
      case 'if':
        if (depth === ifs.length) ifs = doubled(ifs)
        ifs[depth++] = decoder.operator.name === 'if' ? 1 : 0
        break
      case 'else':
        if (ifs[depth - 1] === 0) reader.fail('an else is in no if')
        ifs[depth - 1] = 0
        break
      case 'end':
        depth--
    }
  }
  if (!reader.done) reader.fail('bytes follow the end of a function')
}

function doubled(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(2 * bytes.length)
  larger.set(bytes)
  return larger
}

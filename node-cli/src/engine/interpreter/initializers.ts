import { WasmReader } from '../../../../protocol/wasm/reader.ts'

/** The value of a constant expression: its bits, the low ones first. References are a function's index plus one, or 0. */
export type Bits = bigint

export interface ElementSegment {
  /** Table and offset of an active segment; undefined for a passive or declarative one. */
  readonly target: { readonly table: number; readonly offset: number } | undefined
  /** A declarative segment is dropped from the start. */
  readonly references: readonly number[]
}

export interface DataSegment {
  readonly offset: number | undefined
  readonly start: number
  readonly end: number
}

/** The initial contents of an instance: the first values of its globals, and its segments. */
export interface Initializers {
  readonly globals: readonly Bits[]
  readonly elements: readonly ElementSegment[]
  readonly data: readonly DataSegment[]
}

/** Reads them from a module that is known to be valid. */
export function readInitializers(wasm: Uint8Array): Initializers {
  const globals: Bits[] = []
  const elements: ElementSegment[] = []
  const data: DataSegment[] = []
  const reader = new WasmReader(wasm, 8)
  while (!reader.done) {
    const id = reader.byte()
    const section = reader.part(reader.u32())
    if (id !== 6 && id !== 9 && id !== 11) continue
    for (let rest = section.u32(); rest > 0; rest--) {
      if (id === 6) {
        section.skip(2)
        globals.push(evaluate(section))
      } else if (id === 9) elements.push(readElements(section))
      else data.push(readData(section))
    }
  }
  return { globals, elements, data }
}

function readElements(reader: WasmReader): ElementSegment {
  const flags = reader.u32()
  const active = (flags & 1) === 0
  const table = active && (flags & 2) !== 0 ? reader.u32() : 0
  const target = active ? { table, offset: Number(BigInt.asUintN(32, evaluate(reader))) } : undefined
  if ((flags & 3) !== 0) reader.skip(1)
  const references: number[] = []
  for (let rest = reader.u32(); rest > 0; rest--)
    references.push((flags & 4) === 0 ? reader.u32() + 1 : Number(evaluate(reader)))
  return { target, references: (flags & 3) === 3 ? [] : references }
}

function readData(reader: WasmReader): DataSegment {
  const flags = reader.u32()
  if (flags === 2) reader.u32()
  const offset = flags === 1 ? undefined : Number(BigInt.asUintN(32, evaluate(reader)))
  const length = reader.u32()
  const start = reader.at
  reader.skip(length)
  return { offset, start, end: reader.at }
}

/** Evaluates a constant expression that is known to be valid. */
function evaluate(reader: WasmReader): Bits {
  const stack: bigint[] = []
  const two = (bits: 32 | 64, combine: (a: bigint, b: bigint) => bigint): void => {
    const b = stack.pop()!
    const a = stack.pop()!
    stack.push(BigInt.asUintN(bits, combine(a, b)))
  }
  while (true) {
    const opcode = reader.byte()
    switch (opcode) {
      case 0x0b:
        return stack[0]!
      case 0x41:
        stack.push(BigInt.asUintN(32, readSigned(reader)))
        break
      case 0x42:
        stack.push(BigInt.asUintN(64, readSigned(reader)))
        break
      case 0x43:
        stack.push(readLittleEndian(reader, 4))
        break
      case 0x44:
        stack.push(readLittleEndian(reader, 8))
        break
      case 0xd0:
        reader.skip(1)
        stack.push(0n)
        break
      case 0xd2:
        stack.push(BigInt(reader.u32() + 1))
        break
      case 0xfd:
        reader.u32()
        stack.push(readLittleEndian(reader, 16))
        break
      case 0x6a:
      case 0x7c:
        two(opcode === 0x6a ? 32 : 64, (a, b) => a + b)
        break
      case 0x6b:
      case 0x7d:
        two(opcode === 0x6b ? 32 : 64, (a, b) => a - b)
        break
      case 0x6c:
      case 0x7e:
        two(opcode === 0x6c ? 32 : 64, (a, b) => a * b)
        break
      default:
        reader.fail(`operator 0x${opcode.toString(16)} in a constant expression`)
    }
  }
}

function readSigned(reader: WasmReader): bigint {
  let value = 0n
  let shift = 0n
  while (true) {
    const byte = reader.byte()
    value |= BigInt(byte & 0x7f) << shift
    shift += 7n
    if (byte < 0x80) return BigInt.asIntN(Number(shift), value)
  }
}

function readLittleEndian(reader: WasmReader, count: number): bigint {
  let value = 0n
  for (let index = 0; index < count; index++) value |= BigInt(reader.byte()) << BigInt(8 * index)
  return value
}

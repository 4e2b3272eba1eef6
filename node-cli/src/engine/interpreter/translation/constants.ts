import type { WasmReader } from '../../../../../protocol/wasm/reader.ts'
import { wordAt } from './emitter.ts'
import type { FunctionBody } from './function-body.ts'
import { instruction } from './instructions.ts'
import { width } from './operand-stack.ts'

/** Constants and references, which are indices of functions plus one, or 0. */
export function translateConstant(body: FunctionBody, number: number): void {
  const { reader } = body
  switch (number) {
    case 0x41:
      return push(body, readSigned32(reader), 0, width.bits32)
    case 0x42: {
      const [low, high] = readSigned64(reader)
      return push(body, low, high, width.bits64)
    }
    case 0x43: {
      const { at, bytes } = reader
      reader.skip(4)
      return push(body, wordAt(bytes, at), 0, width.bits32)
    }
    case 0x44: {
      const { at, bytes } = reader
      reader.skip(8)
      return push(body, wordAt(bytes, at), wordAt(bytes, at + 4), width.bits64)
    }
    case 0x20c:
      return vector(body)
    case 0xd0:
      reader.skip(1)
      return push(body, 0, 0, width.bits32)
    case 0xd1:
      if (!body.reachable) return body.adjust(1, 1)
      return body.emitter.write({ code: instruction.isZero32, pops: 1, result: width.bits32 })
    case 0xd2:
      return push(body, reader.u32() + 1, 0, width.bits32)
    default:
      throw new Error(`operator 0x${number.toString(16)} has no translation`)
  }
}

/** Reinterpretations: the result has the bits of the operand. */
export function translateReinterpretation(body: FunctionBody, number: number): void {
  if (!body.reachable) return body.adjust(1, 1)
  body.stack.relabel(number === 0xbd || number === 0xbf ? width.bits64 : width.bits32)
}

function push(body: FunctionBody, low: number, high: number, constantWidth: number): void {
  if (!body.reachable) return body.adjust(0, 1)
  body.stack.pushConstant(low, high, constantWidth)
}

function vector(body: FunctionBody): void {
  const { emitter, reader } = body
  const { at: bytesAt } = reader
  reader.skip(16)
  if (!body.reachable) return body.adjust(0, 1)
  const at = emitter.begin({ code: instruction.constant128, pops: 0, result: width.bits128 })
  emitter.vectorBytes(reader.bytes, bytesAt)
  emitter.end(at, width.bits128)
}

function readSigned32(reader: WasmReader): number {
  let value = 0
  let shift = 0
  while (true) {
    const byte = reader.byte()
    value |= (byte & 0x7f) << shift
    shift += 7
    if (byte < 0x80) return shift < 32 && (byte & 0x40) !== 0 ? value | (-1 << shift) : value
  }
}

function readSigned64(reader: WasmReader): [low: number, high: number] {
  let low = 0
  let high = 0
  let shift = 0
  let byte = 0x80
  while (byte >= 0x80) {
    byte = reader.byte()
    const part = byte & 0x7f
    if (shift < 32) low |= part << shift
    if (shift + 7 > 32) high |= shift >= 32 ? part << (shift - 32) : part >> (32 - shift)
    shift += 7
  }
  if (shift < 64 && (byte & 0x40) !== 0) {
    if (shift < 32) {
      low |= -1 << shift
      high = -1
    } else high |= -1 << (shift - 32)
  }
  return [low, high]
}

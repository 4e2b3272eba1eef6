import type { ValueType } from './operator-row.ts'
import type { WasmReader } from './reader.ts'
import { readReferenceType } from './values.ts'

const integerOperators: Readonly<Record<number, ValueType>> = {
  106: 'i32',
  107: 'i32',
  108: 'i32',
  124: 'i64',
  125: 'i64',
  126: 'i64',
}

/** Most operands a constant expression may hold at once; it needs two per operator and level. */
const operandsMax = 1000

/**
 * Reads a constant expression of one type: constants, references, and add, sub and mul of integers. `global.get` would
 * need an imported global, which guests do not have.
 *
 * @param functions Number of functions a `ref.func` may name.
 * @returns The function a lone `ref.func` names, else undefined.
 * @throws {@link WasmError}
 */
export function readConstant(reader: WasmReader, type: ValueType, functions: number): number | undefined {
  const stack: ValueType[] = []
  let named: number | undefined
  while (true) {
    const opcode = reader.byte()
    if (opcode === 0x0b) break
    const integer = integerOperators[opcode]
    if (integer === undefined) {
      const [pushed, index] = readConstantOperator(reader, opcode, functions)
      if (stack.length === operandsMax) reader.fail(`a constant expression has over ${operandsMax} operands`)
      stack.push(pushed)
      named = index ?? named
    } else if (stack.pop() !== integer || stack.at(-1) !== integer)
      reader.fail('an operator of a constant expression has operands of other types')
  }
  if (stack.length !== 1 || stack[0] !== type) reader.fail(`a constant expression does not give one ${type}`)
  return named
}

function readConstantOperator(
  reader: WasmReader,
  opcode: number,
  functions: number,
): [pushed: ValueType, functionIndex?: number] {
  switch (opcode) {
    case 0x41:
      reader.skipSigned(32)
      return ['i32']
    case 0x42:
      reader.skipSigned(64)
      return ['i64']
    case 0x43:
      reader.skip(4)
      return ['f32']
    case 0x44:
      reader.skip(8)
      return ['f64']
    case 0xd0:
      return [readReferenceType(reader)]
    case 0xd2: {
      const index = reader.u32()
      if (index >= functions) reader.fail(`there is no function ${index}`)
      return ['funcref', index]
    }
    case 0xfd:
      if (reader.u32() !== 12) reader.fail('the operator is not allowed in a constant expression')
      reader.skip(16)
      return ['v128']
    case 0x23:
      return reader.fail(
        'a constant expression may read imported globals only, and guests have none',
        'feature',
      )
    case 0xfb:
      return reader.fail('garbage collection is not allowed in a constant expression', 'feature')
    default:
      return reader.fail(`operator 0x${opcode.toString(16)} is not allowed in a constant expression`)
  }
}

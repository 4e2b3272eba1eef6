import type { FunctionBody } from './function-body.ts'
import { instruction } from './instructions.ts'
import type { Translation } from './operator-table.ts'

/** An operator of operands and a result only, with a constant in the instruction where that can hold one. */
export function translateNumeric(body: FunctionBody, number: number, translation: Translation): void {
  const { code, pops } = translation
  const { emitter } = body
  if (!body.reachable) return body.adjust(pops, 1)
  if (pops === 2 && withConstant(body, number, translation)) return
  if (code === instruction.isZero32 && emitter.invertTop()) return
  emitter.write(translation)
}

/** Writes the instruction that holds one of two operands itself. @returns Whether there is one. */
function withConstant(body: FunctionBody, number: number, translation: Translation): boolean {
  const { emitter, stack } = body
  const position = stack.height - 2
  let code = translation.constantCode
  let value = stack.low(position + 1)
  let variable = position
  if (stack.isSmall(position + 1)) {
    switch (number) {
      case 0x6b:
      case 0x7d:
        // Subtraction adds the opposite.
        code = number === 0x6b ? instruction.add32 : instruction.add64
        if (number === 0x7d && value === -0x80000000) return false
        value = -value | 0
        break
      case 0x78:
        code = instruction.rotateLeft32
        value = (32 - (value & 31)) & 31
        break
      case 0x8a:
        code = instruction.rotateLeft64
        value = (64 - (value & 63)) & 63
        break
      case 0x6e:
      case 0x70:
      case 0x80:
      case 0x82:
        if (value === 0) return false
    }
  } else if (translation.exchangedCode !== 0 && stack.isSmall(position)) {
    code = translation.exchangedCode
    value = stack.low(position)
    variable = position + 1
  } else return false
  if (code === 0) return false
  stack.pop()
  stack.pop()
  const source = stack.source(variable)
  const at = emitter.writer.length
  emitter.writer.four(code, stack.slot(position), source, value)
  emitter.end(at, translation.result)
  return true
}

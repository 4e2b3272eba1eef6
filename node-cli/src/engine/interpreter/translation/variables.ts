import { slotBytes } from '../layout.ts'
import type { FunctionBody } from './function-body.ts'
import { instruction } from './instructions.ts'
import { widthOf } from './operand-stack.ts'

/** Operators that move values: `drop` and `select` (1a to 1c), locals and globals (20 to 24). */
export function translateVariable(body: FunctionBody, number: number): void {
  const { reader, stack } = body
  switch (number) {
    case 0x1a:
      if (!body.reachable) return body.adjust(1, 0)
      return stack.pop()
    case 0x1b:
      return select(body)
    case 0x1c:
      reader.skip(2)
      return select(body)
    case 0x20: {
      const local = reader.u32()
      if (!body.reachable) return body.adjust(0, 1)
      return stack.pushLocal(local, body.localWidth(local))
    }
    case 0x21:
    case 0x22:
      return setLocal(body, reader.u32(), number === 0x22)
    case 0x23:
      return getGlobal(body, reader.u32())
    case 0x24:
      return setGlobal(body, reader.u32())
    default:
      throw new Error(`operator 0x${number.toString(16)} moves no value`)
  }
}

function select(body: FunctionBody): void {
  if (!body.reachable) return body.adjust(3, 1)
  const { emitter, stack } = body
  const result = stack.widths[stack.height - 3]!
  emitter.write({ code: instruction.select32 + result, pops: 3, result })
}

function setLocal(body: FunctionBody, local: number, keep: boolean): void {
  if (!body.reachable) return body.adjust(1, keep ? 1 : 0)
  const { emitter, stack } = body
  const position = stack.height - 1
  const operandWidth = stack.widths[position]!
  if (stack.isLocal(position, local)) {
    if (!keep) stack.pop()
    return
  }
  const slot = local * slotBytes
  // Where it can, the instruction before puts its result into the local in the first place.
  if (!stack.uses(local) && emitter.redirectTop(slot)) stack.pop()
  else {
    stack.pop()
    stack.settleLocal(local)
    stack.copy(position, slot)
  }
  emitter.barrier()
  if (keep) stack.pushLocal(local, operandWidth)
}

function getGlobal(body: FunctionBody, global: number): void {
  if (!body.reachable) return body.adjust(0, 1)
  const { addresses, emitter, module, stack } = body
  const globalWidth = widthOf(module.globals[global]!.type)
  const at = emitter.writer.length
  emitter.writer.three(
    instruction.globalGet32 + globalWidth,
    stack.slot(stack.height),
    addresses.global(global),
  )
  emitter.end(at, globalWidth)
}

function setGlobal(body: FunctionBody, global: number): void {
  if (!body.reachable) return body.adjust(1, 0)
  const { addresses, emitter, module, stack } = body
  stack.pop()
  const source = stack.source(stack.height)
  const globalWidth = widthOf(module.globals[global]!.type)
  emitter.writer.three(instruction.globalSet32 + globalWidth, source, addresses.global(global))
  emitter.barrier()
}

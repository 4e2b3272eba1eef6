import { slotBytes } from '../layout.ts'
import type { FunctionBody } from './function-body.ts'
import { instruction } from './instructions.ts'
import { widthOf } from './operand-stack.ts'

export function drop(body: FunctionBody): void {
  if (!body.reachable) return body.adjust(1, 0)
  body.stack.pop()
}

export function select(body: FunctionBody): void {
  if (!body.reachable) return body.adjust(3, 1)
  const { emitter, stack } = body
  const result = stack.widths[stack.height - 3]!
  emitter.write({ code: instruction.select32 + result, pops: 3, result })
}

export function getLocal(body: FunctionBody, local: number): void {
  if (!body.reachable) return body.adjust(0, 1)
  body.stack.pushLocal(local, body.localWidth(local))
}

export function setLocal(body: FunctionBody, local: number, keep: boolean): void {
  if (!body.reachable) return body.adjust(1, keep ? 1 : 0)
  const { emitter, stack } = body
  const position = stack.height - 1
  const operandWidth = stack.widths[position]!
  if (stack.isLocal(position, local)) {
    if (!keep) stack.pop()
    return
  }
  const slot = local * slotBytes
  // If possible, the previous instruction puts its result directly into the local.
  if (!stack.uses(local) && emitter.redirectTop(slot)) stack.pop()
  else {
    stack.pop()
    stack.settleLocal(local)
    stack.copy(position, slot)
  }
  emitter.barrier()
  if (keep) stack.pushLocal(local, operandWidth)
}

export function getGlobal(body: FunctionBody, global: number): void {
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

export function setGlobal(body: FunctionBody, global: number): void {
  if (!body.reachable) return body.adjust(1, 0)
  const { addresses, emitter, module, stack } = body
  stack.pop()
  const source = stack.source(stack.height)
  const globalWidth = widthOf(module.globals[global]!.type)
  emitter.writer.three(instruction.globalSet32 + globalWidth, source, addresses.global(global))
  emitter.barrier()
}

import { readBlockType } from '../../../../../protocol/wasm/decoder.ts'
import type { FunctionType } from '../../../../../protocol/wasm/module.ts'
import type { ValueType } from '../../../../../protocol/wasm/operator-row.ts'
import { slotBytes } from '../layout.ts'
import { writeReturn } from './calls.ts'
import type { ControlFrame, FunctionBody } from './function-body.ts'
import { invert, loopForm } from './fused-branch.ts'
import { instruction } from './instructions.ts'

/** Opens the block that is the function itself; a branch to it returns. */
export function openFunction(body: FunctionBody): void {
  open(body, 'function', { params: [], results: body.type.results }, -1)
}

function open(body: FunctionBody, kind: ControlFrame['kind'], type: FunctionType, elseAt: number): void {
  body.frames.push({
    kind,
    type,
    height: body.height - type.params.length,
    ends: [],
    header: body.addresses.code + 4 * body.emitter.writer.length,
    elseAt,
    headReachable: body.reachable,
    branched: false,
    unreachable: false,
  })
}

/** Takes the parameters of a block that is not translated, and gives them back within it. */
function adjustParams(body: FunctionBody, { params }: FunctionType, more: number): void {
  body.adjust(more + params.length, 0)
  body.height += params.length
}

export function block(body: FunctionBody): void {
  const type = readBlockType(body.reader, body.module.types)
  if (body.reachable) {
    body.stack.settleAll()
    body.emitter.barrier()
    body.height = body.stack.height
  } else adjustParams(body, type, 0)
  open(body, 'block', type, -1)
}

export function loop(body: FunctionBody): void {
  const { emitter } = body
  const type = readBlockType(body.reader, body.module.types)
  if (body.reachable) {
    body.stack.settleAll()
    emitter.flush()
    body.height = body.stack.height
  } else adjustParams(body, type, 0)
  open(body, 'loop', type, -1)
  if (!body.reachable) return
  emitter.writer.word(instruction.loop)
  emitter.barrier()
}

export function ifBlock(body: FunctionBody): void {
  const { emitter } = body
  const type = readBlockType(body.reader, body.module.types)
  let elseAt = -1
  if (body.reachable) {
    const condition = emitter.condition()
    body.stack.settleAll()
    elseAt = emitter.conditional(invert(condition))
    body.height = body.stack.height
  } else adjustParams(body, type, 1)
  open(body, 'if', type, elseAt)
}

export function elseArm(body: FunctionBody): void {
  const { emitter } = body
  const frame = body.frames.pop()!
  if (body.reachable) {
    body.stack.settleAll()
    frame.ends.push(emitter.writer.length + 1)
    emitter.writer.two(emitter.due(instruction.branch), 0)
  }
  const reached = body.reachable || frame.branched
  body.reachable = frame.headReachable
  emitter.dropPending()
  if (frame.headReachable) emitter.writer.words[frame.elseAt] = body.here()
  body.restore(frame.height, frame.type.params)
  body.frames.push({ ...frame, kind: 'else', elseAt: -1, branched: reached, unreachable: false })
}

export function close(body: FunctionBody): void {
  const { emitter } = body
  const frame = body.frames.pop()!
  const { kind, type, ends } = frame
  const met = kind === 'if' ? frame.headReachable || frame.branched : frame.branched
  if (kind !== 'loop' && met) {
    if (body.reachable) {
      body.stack.settleAll()
      emitter.flush()
    }
    body.reachable = true
    emitter.dropPending()
    const here = body.here()
    for (const at of ends) emitter.writer.words[at] = here
    if (kind === 'if' && frame.headReachable) emitter.writer.words[frame.elseAt] = here
    body.restore(frame.height, type.results)
  } else if (body.reachable) body.height = body.stack.height
  else body.restore(frame.height, type.results)
  if (body.height > body.heightMax) body.heightMax = body.height
  if (kind === 'function' && body.reachable) writeReturn(body)
}

const frameOf = ({ frames }: FunctionBody, label: number): ControlFrame => frames[frames.length - 1 - label]!

/** The types a branch to a block carries. */
const carried = ({ kind, type }: ControlFrame): readonly ValueType[] =>
  kind === 'loop' ? type.params : type.results

/** Fills a word with the target of a branch, or notes it for the end of the block. */
function setTarget({ emitter }: FunctionBody, at: number, frame: ControlFrame): void {
  if (frame.kind === 'loop') emitter.writer.words[at] = frame.header + 4
  else {
    frame.ends.push(at)
    frame.branched = true
  }
}

/** Writes a branch, with the gas that is due at it. */
function writeBranch(body: FunctionBody, frame: ControlFrame): void {
  const { emitter } = body
  const code = frame.kind === 'loop' ? loopForm(instruction.branch) : instruction.branch
  emitter.writer.two(emitter.due(code), 0)
  setTarget(body, emitter.writer.length - 1, frame)
}

export function branch(body: FunctionBody, label: number): void {
  const frame = frameOf(body, label)
  if (body.reachable) {
    if (frame.kind === 'function') writeReturn(body)
    else {
      moveCarried(body, frame)
      writeBranch(body, frame)
    }
  }
  body.leave()
}

export function branchIf(body: FunctionBody, label: number): void {
  const { emitter, stack } = body
  const frame = frameOf(body, label)
  const arity = carried(frame).length
  if (!body.reachable) {
    body.adjust(1, 0)
    // The values are taken and put back, which raises the height where none were.
    body.adjust(arity, arity)
    return
  }
  const condition = emitter.condition()
  if (arity > 0) stack.settleTop(arity)
  if (arity === 0 || stack.height - arity === frame.height) {
    const code = frame.kind === 'loop' ? loopForm(condition.code) : condition.code
    setTarget(body, emitter.conditional({ ...condition, code }), frame)
    return
  }
  const skip = emitter.conditional(invert(condition))
  moveCarried(body, frame)
  writeBranch(body, frame)
  emitter.writer.words[skip] = body.here()
}

/** Puts the top operands where the block expects what a branch carries. */
function moveCarried({ emitter, stack }: FunctionBody, frame: ControlFrame): void {
  const arity = carried(frame).length
  const from = stack.height - arity
  if (arity === 0) return
  if (arity === 1) {
    stack.copy(from, stack.slot(frame.height))
    return
  }
  stack.settleTop(arity)
  if (from !== frame.height)
    emitter.writer.four(instruction.moveMany, stack.slot(frame.height), stack.slot(from), arity * slotBytes)
}

export function branchTable(body: FunctionBody): void {
  const { emitter, reader, stack } = body
  const { writer } = emitter
  const count = reader.u32()
  if (!body.reachable) {
    for (let index = 0; index <= count; index++) reader.u32()
    // Every label takes its values and gives them back; the highest one counts before the block ends here anyway.
    return body.leave()
  }
  stack.pop()
  const index = stack.source(stack.height)
  const start = reader.at
  for (let skipped = 0; skipped < count; skipped++) reader.u32()
  const arity = carried(frameOf(body, reader.u32())).length
  reader.at = start
  stack.settleTop(arity)
  writer.three(emitter.due(instruction.branchTable), index, count)
  writer.two(stack.slot(stack.height - arity), arity * slotBytes)
  for (let row = 0; row <= count; row++) {
    const frame = frameOf(body, reader.u32())
    writer.two(0, stack.slot(frame.height))
    // The header of a loop asks for gas: a row leads to that instruction itself.
    if (frame.kind === 'loop') writer.words[writer.length - 2] = frame.header
    else setTarget(body, writer.length - 2, frame)
  }
  body.leave()
}

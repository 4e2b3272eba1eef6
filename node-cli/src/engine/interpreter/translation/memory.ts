import type { FunctionBody } from './function-body.ts'
import { instruction, trapKind } from './instructions.ts'
import { width } from './operand-stack.ts'
import { format, type Translation } from './operator-table.ts'

/** Loads and stores, those of one lane of a vector included. */
export function translateAccess(body: FunctionBody, translation: Translation): void {
  const { pops, result, accessBytes } = translation
  const { emitter, reader } = body
  const hasLane = translation.format === format.loadLane || translation.format === format.storeLane
  // The alignment, which changes nothing.
  reader.u32()
  const offset = reader.u32()
  const lane = hasLane ? reader.byte() : 0
  if (!body.reachable) return body.adjust(pops, result < 0 ? 0 : 1)
  if (offset + accessBytes > body.addresses.addressable) {
    // Never in bounds, which the rules of gas know beforehand.
    body.height = body.stack.height
    body.trap(trapKind.memory)
    return body.adjust(pops, result < 0 ? 0 : 1)
  }
  const at = emitter.begin(translation)
  emitter.writer.word(offset)
  if (hasLane) emitter.writer.word(lane)
  emitter.end(at, result)
}

/** `memory.size` and `memory.grow`, whose only immediate is the one memory there is. */
export function translateMemorySize(body: FunctionBody, grows: boolean): void {
  body.reader.skip(1)
  const pops = grows ? 1 : 0
  if (!body.reachable) return body.adjust(pops, 1)
  const code = grows ? instruction.memoryGrow : instruction.memorySize
  body.emitter.write({ code, pops, result: width.bits32 })
}

import type { FunctionBody } from './function-body.ts'
import type { Translation } from './operator-table.ts'

/** Operators that name one lane of a vector. */
export function translateLane(body: FunctionBody, translation: Translation): void {
  const { emitter } = body
  const lane = body.reader.byte()
  if (!body.reachable) return body.adjust(translation.pops, 1)
  const at = emitter.begin(translation)
  emitter.writer.word(lane)
  emitter.end(at, translation.result)
}

/** A shuffle names sixteen lanes, which lie in the module as the instruction has them. */
export function translateShuffle(body: FunctionBody, translation: Translation): void {
  const { emitter, reader } = body
  const { at: lanesAt } = reader
  reader.skip(16)
  if (!body.reachable) return body.adjust(translation.pops, 1)
  const at = emitter.begin(translation)
  emitter.vectorBytes(reader.bytes, lanesAt)
  emitter.end(at, translation.result)
}

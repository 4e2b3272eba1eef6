import type { FunctionBody } from './function-body.ts'
import { instruction } from './instructions.ts'
import type { Translation } from './operator-table.ts'

/** Work on tables, on segments, and on stretches of memory. */
export function translateBulk(body: FunctionBody, number: number, translation: Translation): void {
  const { pops, result } = translation
  const { emitter, stack } = body
  const addresses = readAddresses(body, number)
  if (!body.reachable) return body.adjust(pops, result < 0 ? 0 : 1)
  // Constants go to their slots before the poll, which belongs to the instruction right behind it.
  for (let position = stack.height - pops; position < stack.height; position++) stack.source(position)
  emitter.writer.word(instruction.poll)
  const at = emitter.begin(translation)
  for (const address of addresses) emitter.writer.word(address)
  emitter.end(at, result)
}

/** The addresses of the segments and tables that an operator names. */
function readAddresses({ reader, addresses }: FunctionBody, number: number): readonly number[] {
  switch (number) {
    case 0x108: {
      const segment = addresses.dataSegment(reader.u32())
      reader.skip(1)
      return [segment]
    }
    case 0x109:
      return [addresses.dataSegment(reader.u32())]
    case 0x10a:
      reader.skip(2)
      return []
    case 0x10b:
      reader.skip(1)
      return []
    case 0x10c: {
      const segment = addresses.elementSegment(reader.u32())
      return [segment, addresses.table(reader.u32())]
    }
    case 0x10d:
      return [addresses.elementSegment(reader.u32())]
    case 0x10e: {
      const target = addresses.table(reader.u32())
      return [target, addresses.table(reader.u32())]
    }
    default:
      return [addresses.table(reader.u32())]
  }
}

import { ByteWriter, opcode } from './byte-writer.ts'
import type { MeterGlobals } from './meter-state.ts'

/**
 * Operators that work on up to 64 MiB or 100 000 elements at once. Operators that grow something are not in the
 * list: they have work only until it reaches its full size.
 */
export const bulkOperators: readonly string[] = [
  ...['memory.fill', 'memory.copy', 'memory.init'],
  ...['table.fill', 'table.copy', 'table.init'],
]

/** V8 inlines functions of up to this many bytes. */
const inlinedMax = 500

/**
 * A safepoint: a function that does nothing, called before each bulk operator. V8 can stop a thread only where its code
 * checks for an interrupt: on entry to a function that calls one, in optimized loops, and in others once in thousands of
 * rounds, which is minutes when each round fills all memory. So this function calls itself, on a condition that never
 * holds and that no compiler sees through, and is too long to be inlined.
 *
 *     if (status != 0) { call itself; nop … }
 */
export function safepointBody(own: number, { status }: MeterGlobals): Uint8Array {
  const body = new ByteWriter()
  body.byte(0x00)
  body.op(opcode.globalGet, status)
  body.bytes([0x04, 0x40])
  body.op(opcode.call, own)
  body.bytes(new Uint8Array(inlinedMax).fill(0x01))
  body.bytes([0x0b, 0x0b])
  return body.view()
}

import { readModule } from '../../../../protocol/wasm/module.ts'
import type { WasmReader } from '../../../../protocol/wasm/reader.ts'
import { ByteWriter } from '../metering/byte-writer.ts'
import { canonicalized, writeCanonical } from '../metering/canonical-nan.ts'
import { addressableBytes } from '../metering/memory-bounds.ts'
import { meterGlobals, stopped } from '../metering/meter-state.ts'
import { rewriteModule } from '../metering/rewrite-module.ts'
import { BodyValidator, declaredFunctions } from '../validation/validator.ts'
import { rewriteStack } from './stack-rewrite.ts'

const free = new Set(['nop', 'drop', 'block', 'loop', 'unreachable', 'return', 'else', 'end'])
/** Operators before which pending gas goes to the activation's counter. */
const flushing = new Set(['loop', 'br', 'br_if', 'br_table', 'if', 'else', 'end'])
/** Operators before which the activation's counter is saved too. */
const saving = new Set('call call_indirect return return_call return_call_indirect unreachable'.split(' '))

/**
 * The rules of gas, one operator at a time and nothing clever: the module after the real stack rewrite, with three
 * counters that are kept while it runs. Slow, and plain enough to be compared with the rules line by line.
 */
export function referenceMeter(original: Uint8Array): Uint8Array {
  const wasm = rewriteStack(original)
  const module = readModule(wasm)
  const declared = declaredFunctions(module)
  // Never in bounds is what the original states as its maximum; the rewrite does not touch it.
  const addressable = addressableBytes(module)
  const stack = module.exports.find(({ name }) => name === '__ndsr_stack')!.index
  const fuel = module.globals.length
  const status = fuel + 1

  const bodies = module.bodies.map((reader, index) => {
    const type = module.functions[module.importedFunctions + index]!
    const localsStart = reader.at
    const validator = new BodyValidator(module, type, reader, declared)
    const codeStart = reader.at
    const local = validator.localCount
    const pending = local + 1
    const code = new ByteWriter()
    const flush = () => {
      code.op(0x20, local)
      code.op(0x20, pending)
      code.byte(0x7c)
      code.op(0x21, local)
      code.bytes([0x42, 0])
      code.op(0x21, pending)
    }
    const save = () => {
      code.op(0x20, local)
      code.op(0x24, fuel)
    }
    const stopWhen = (condition: () => void, reason: number) => {
      condition()
      code.bytes([0x04, 0x40, 0x41, reason])
      code.op(0x24, status)
      code.bytes([0x00, 0x0b])
    }
    const outOfGas = () => {
      code.op(0x20, local)
      code.bytes([0x42, 0, 0x59])
    }

    code.op(0x23, fuel)
    code.bytes([0x42, 1, 0x7c])
    code.op(0x21, local)
    stopWhen(outOfGas, stopped.outOfGas)
    while (!validator.done) {
      validator.next()
      const { operator, start, end, offset } = validator.decoder
      const { name } = operator
      if (!free.has(name)) {
        code.op(0x20, pending)
        code.bytes([0x42, 1, 0x7c])
        code.op(0x21, pending)
      }
      const neverInBounds = operator.accessBytes > 0 && offset + operator.accessBytes > addressable
      if (flushing.has(name) || saving.has(name) || neverInBounds) flush()
      if (saving.has(name) || neverInBounds || (name === 'end' && validator.controls.length === 1)) save()
      if (name === 'unreachable')
        stopWhen(() => {
          code.op(0x23, stack)
          code.bytes([0x41, 0, 0x48])
        }, stopped.stackLimit)
      code.range(wasm, start, end)
      if (name === 'loop') stopWhen(outOfGas, stopped.outOfGas)
      if (name === 'call' || name === 'call_indirect') {
        code.op(0x23, fuel)
        code.op(0x21, local)
      }
      const nan = canonicalized.get(name)
      if (nan !== undefined) writeCanonical(code, nan, pending + (nan === 'f32' ? 1 : nan === 'f64' ? 2 : 3))
      validator.apply()
    }
    const body = new ByteWriter()
    writeLocals(body, wasm, reader, localsStart, codeStart)
    body.bytes(code.view())
    return body.view()
  })

  return rewriteModule(wasm, module, {
    bodies,
    types: [],
    // The rewritten module keeps its own budget; the one of these is set and never read.
    globals: meterGlobals,
    caps: { pages: 1024, elements: 100_000 },
  })
}

function writeLocals(
  body: ByteWriter,
  wasm: Uint8Array,
  reader: WasmReader,
  start: number,
  end: number,
): void {
  const after = reader.at
  reader.at = start
  const groups = reader.u32()
  body.u32(groups + 4)
  body.range(wasm, reader.at, end)
  // two i64 counters, and a temporary per kind of NaN
  body.bytes([2, 0x7e, 1, 0x7d, 1, 0x7c, 1, 0x7b])
  reader.at = after
}

import { readModule } from '../../../../protocol/wasm/module.ts'
import { BlockTypes } from '../metering/block-types.ts'
import { ByteWriter, opcode } from '../metering/byte-writer.ts'
import { rewriteModule } from '../metering/rewrite-module.ts'
import { stackCost, stackUnits } from '../validation/stack-cost.ts'
import { BodyValidator, declaredFunctions } from '../validation/validator.ts'

/**
 * The stack rewrite that defines what a run costs: every function takes its units from a budget on entry, traps when it
 * is used up, and gives them back on return. Nodes do not run its output, but what they run behaves and costs the same.
 *
 * @throws {@link WasmError} for a module that is not valid.
 */
export function rewriteStack(wasm: Uint8Array): Uint8Array {
  const module = readModule(wasm)
  const declared = declaredFunctions(module)
  const blockTypes = new BlockTypes(module.types.length)
  const budget = module.globals.length
  const bodies = module.bodies.map((reader, index) => {
    const type = module.functions[module.importedFunctions + index]!
    const localsStart = reader.at
    const validator = new BodyValidator(module, type, reader, declared)
    const codeStart = reader.at
    const exits: number[] = []
    while (!validator.done) {
      validator.next()
      const { name } = validator.decoder.operator
      if (name === 'return' || name.startsWith('return_call')) exits.push(validator.decoder.start)
      validator.apply()
    }
    const cost = stackCost(validator.localCount, validator.heightMax)
    const body = new ByteWriter()
    body.range(wasm, localsStart, codeStart)
    changeBudget(body, budget, cost, subtract)
    // global.get; i32.const 0; i32.lt_s; if; unreachable; end; block
    body.op(opcode.globalGet, budget)
    body.bytes([0x41, 0, 0x48, 0x04, 0x40, 0x00, 0x0b, 0x02])
    blockTypes.write(body, module.types[type]!.results)
    let copied = codeStart
    for (const exit of exits) {
      body.range(wasm, copied, exit)
      changeBudget(body, budget, cost, add)
      copied = exit
    }
    body.range(wasm, copied, reader.end)
    changeBudget(body, budget, cost, add)
    body.byte(0x0b)
    return body.view()
  })
  return rewriteModule(wasm, module, {
    bodies,
    types: blockTypes.types(),
    globals: [{ type: 'i32', initial: stackUnits, exportName: '__ndsr_stack' }],
  })
}

const add = 0x6a
const subtract = 0x6b

function changeBudget(body: ByteWriter, budget: number, cost: number, operator: number): void {
  body.op(opcode.globalGet, budget)
  body.i32(cost)
  body.byte(operator)
  body.op(opcode.globalSet, budget)
}

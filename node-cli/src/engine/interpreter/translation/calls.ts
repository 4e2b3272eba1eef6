import { slotBytes } from '../layout.ts'
import { epilogueGas, type FunctionBody } from './function-body.ts'
import { instruction } from './instructions.ts'
import { widthOf } from './operand-stack.ts'

export function writeReturn({ emitter, stack, type, unitWords }: FunctionBody): void {
  const { writer } = emitter
  const { results } = type
  const count = results.length
  const position = stack.height - count
  if (count > 1) stack.settleTop(count)
  const source = count === 1 ? stack.source(position) : 0
  unitWords.push(writer.length + 1)
  writer.two(emitter.due(returnCode(results.map(widthOf)), epilogueGas), 0)
  if (count === 1) writer.word(source)
  else if (count > 1) writer.two(stack.slot(position), count * slotBytes)
  emitter.barrier()
}

function returnCode([width, ...more]: readonly number[]): number {
  if (width === undefined) return instruction.return
  return more.length === 0 ? instruction.return32 + width : instruction.returnMany
}

/** The target of a call: a function, or a type and a table. */
interface Callee {
  readonly index: number
  readonly table: number
  readonly params: number
  readonly results: readonly number[]
}

function readCallee({ reader, module }: FunctionBody, indirect: boolean): Callee {
  const index = reader.u32()
  const table = indirect ? reader.u32() : 0
  const { params, results } = module.types[indirect ? index : module.functions[index]!]!
  return { index, table, params: params.length, results: results.map(widthOf) }
}

/** Takes the index into the table, which is on top of the parameters, and puts those into their slots. */
function settleParams({ stack }: FunctionBody, count: number, indirect: boolean): number {
  let element = 0
  if (indirect) {
    stack.pop()
    element = stack.source(stack.height)
  }
  stack.settleTop(count)
  return element
}

export function call(body: FunctionBody, indirect: boolean): void {
  const { index, table, params, results } = readCallee(body, indirect)
  if (!body.reachable) return body.adjust(params + (indirect ? 1 : 0), results.length)
  const { addresses, emitter, stack } = body
  const { writer } = emitter
  const element = settleParams(body, params, indirect)
  const base = stack.slot(stack.height - params)
  if (indirect) {
    writer.three(emitter.due(instruction.callIndirect), addresses.signatures[index]!, addresses.table(table))
    writer.two(element, base)
  } else {
    body.relocations.push({ at: writer.length + 1, target: index })
    writer.three(emitter.due(instruction.call), 0, base)
  }
  for (let popped = 0; popped < params; popped++) stack.pop()
  for (const width of results) stack.pushSlot(width)
  emitter.barrier()
}

export function tailCall(body: FunctionBody, indirect: boolean): void {
  const { index, table, params } = readCallee(body, indirect)
  if (body.reachable) {
    const { addresses, emitter, stack } = body
    const { writer } = emitter
    const element = settleParams(body, params, indirect)
    const from = stack.slot(stack.height - params)
    if (indirect) {
      const code = emitter.due(instruction.returnCallIndirect, epilogueGas)
      writer.three(code, addresses.signatures[index]!, addresses.table(table))
      writer.three(element, from, params * slotBytes)
    } else {
      body.relocations.push({ at: writer.length + 1, target: index })
      writer.four(emitter.due(instruction.returnCall, epilogueGas), 0, from, params * slotBytes)
    }
    body.unitWords.push(writer.length)
    writer.word(0)
  }
  body.leave()
}

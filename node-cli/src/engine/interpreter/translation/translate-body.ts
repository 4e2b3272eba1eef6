import type { FunctionType } from '../../../../../protocol/wasm/module.ts'
import type { WasmReader } from '../../../../../protocol/wasm/reader.ts'
import { stackUnits } from '../../validation/stack-cost.ts'
import { slotBytes } from '../layout.ts'
import { translateBulk } from './bulk.ts'
import { call, tailCall, writeReturn } from './calls.ts'
import { translateConstant, translateReinterpretation } from './constants.ts'
import {
  block,
  branch,
  branchIf,
  branchTable,
  close,
  elseArm,
  ifBlock,
  loop,
  openFunction,
} from './control.ts'
import { FunctionBody, type TranslationTarget } from './function-body.ts'
import { instruction, trapKind } from './instructions.ts'
import { translateLane, translateShuffle } from './lanes.ts'
import { translateAccess, translateMemorySize } from './memory.ts'
import { translateNumeric } from './numeric.ts'
import { format, translationAt } from './operator-table.ts'
import { drop, getGlobal, getLocal, select, setGlobal, setLocal } from './variables.ts'

/**
 * Translates the body of one function, which is known to be valid, into instructions of the interpreter. It follows the
 * rules of gas and of stack units on its own, independently of the engine that rewrites modules: gas is counted for
 * reachable operators, handed to the run at branches, and saved at calls and returns.
 */
export function translateBody(target: TranslationTarget, type: FunctionType, reader: WasmReader): void {
  const { writer, relocations } = target
  const entry = writer.length
  const body = new FunctionBody(target, type, reader)
  body.unitWords.push(entry + 1)
  writer.four(instruction.enter, 0, type.params.length * slotBytes, body.localCount * slotBytes)
  openFunction(body)
  while (body.frames.length > 0) {
    translateOperator(body)
    if (body.height > body.heightMax) body.heightMax = body.height
    // No run can enter such a function: what it would do does not matter.
    if (unitsOf(body) > stackUnits) {
      writer.length = entry + 4
      writer.words[entry + 1] = stackUnits + 1
      while (relocations.length > 0 && relocations.at(-1)!.at >= entry) relocations.pop()
      return
    }
  }
  for (const at of body.unitWords) writer.words[at] = unitsOf(body)
}

/** Stack units of one activation: a fixed part, its locals, and its highest operand stack. */
const unitsOf = ({ localCount, heightMax }: FunctionBody): number => 4 + localCount + heightMax

function translateOperator(body: FunctionBody): void {
  const number = readOpcode(body.reader)
  const { length } = body.frames
  if (body.reachable) body.emitter.count(isFree(number) ? 0 : 1)
  const translation = translationAt(number)
  switch (translation.format) {
    case format.special:
      translateSpecial(body, number)
      break
    case format.plain:
      translateNumeric(body, number, translation)
      break
    case format.lane:
      translateLane(body, translation)
      break
    case format.shuffle:
      translateShuffle(body, translation)
      break
    case format.bulk:
      translateBulk(body, number, translation)
      break
    default:
      translateAccess(body, translation)
  }
  // Blocks keep the height themselves.
  if (body.reachable && body.frames.length === length) body.height = body.stack.height
}

/** An opcode as one number: those after the prefix fc count from 256 on, after fd from 512 on. */
function readOpcode(reader: WasmReader): number {
  const first = reader.byte()
  if (first === 0xfc) return 0x100 + reader.u32()
  if (first === 0xfd) return 0x200 + reader.u32()
  return first
}

/** Operators that pass control on or move values; each has code of its own. */
function translateSpecial(body: FunctionBody, number: number): void {
  const { reader } = body
  switch (number) {
    case 0x00:
      if (body.reachable) body.trap(trapKind.unreachable)
      return body.leave()
    case 0x01:
      return
    case 0x02:
      return block(body)
    case 0x03:
      return loop(body)
    case 0x04:
      return ifBlock(body)
    case 0x05:
      return elseArm(body)
    case 0x0b:
      return close(body)
    case 0x0c:
      return branch(body, reader.u32())
    case 0x0d:
      return branchIf(body, reader.u32())
    case 0x0e:
      return branchTable(body)
    case 0x0f:
      if (body.reachable) writeReturn(body)
      return body.leave()
    case 0x10:
    case 0x11:
      return call(body, number === 0x11)
    case 0x12:
    case 0x13:
      return tailCall(body, number === 0x13)
    case 0x1a:
      return drop(body)
    case 0x1b:
      return select(body)
    case 0x1c:
      reader.skip(2)
      return select(body)
    case 0x20:
      return getLocal(body, reader.u32())
    case 0x21:
    case 0x22:
      return setLocal(body, reader.u32(), number === 0x22)
    case 0x23:
      return getGlobal(body, reader.u32())
    case 0x24:
      return setGlobal(body, reader.u32())
    case 0x3f:
    case 0x40:
      return translateMemorySize(body, number === 0x40)
    case 0xbc:
    case 0xbd:
    case 0xbe:
    case 0xbf:
      return translateReinterpretation(body, number)
    default:
      return translateConstant(body, number)
  }
}

/** Operators that cost nothing: unreachable, nop, block, loop, else, end, return, drop. */
const isFree = (number: number): boolean =>
  number <= 0x03 || number === 0x05 || number === 0x0b || number === 0x0f || number === 0x1a

import type { FunctionType, Module } from '../../../../protocol/wasm/module.ts'
import type { ValueType } from '../../../../protocol/wasm/operator-row.ts'
import type { WasmReader } from '../../../../protocol/wasm/reader.ts'
import type { CodeWriter } from './code-writer.ts'
import { type FusedBranch, fuse, invert, inverted, loopForm } from './fused-branch.ts'
import { codeOf } from './opcodes.ts'
import { OperandStack, slotBytes, width } from './operand-stack.ts'
import { shape, type Translation, translationAt, widthOf } from './operator-table.ts'

/** Where things of a module lie in the machine's memory. */
export interface Places {
  /** Bytes of the first instruction. */
  readonly code: number
  readonly global: (index: number) => number
  readonly table: (index: number) => number
  readonly dataSegment: (index: number) => number
  readonly elementSegment: (index: number) => number
  /** A number that functions of one signature share. */
  readonly signatures: readonly number[]
  /** Bytes no access can ever go beyond, by the maximum the module states. */
  readonly addressable: number
}

interface Frame {
  readonly kind: 'function' | 'block' | 'loop' | 'if' | 'else'
  readonly type: FunctionType
  /** Operands below. */
  readonly height: number
  /** Words to fill with the place of the end, or of the header of a loop. */
  readonly ends: number[]
  /** Where a loop begins. */
  readonly header: number
  /** The word to fill with the place of the else-arm. */
  elseAt: number
  /** Code at the head can be reached, so that what follows an if without else can. */
  readonly headLive: boolean
  /** A branch that can be reached leads to the end. */
  branched: boolean
  /** Validation treats what follows as code that cannot be reached. */
  unreachable: boolean
}

const stackUnitsMax = 65_536
const code = (name: string): number => codeOf.get(name)!
const op = {
  fuel: code('fuel'),
  enter: code('enter'),
  loop: code('loop'),
  rest: code('rest'),
  br: code('br'),
  brTable: code('br_table'),
  call: code('call'),
  callIndirect: code('call_indirect'),
  returnCall: code('return_call'),
  returnCallIndirect: code('return_call_indirect'),
  ret: code('ret'),
  ret32: code('ret_32'),
  retMany: code('ret_many'),
  trap: code('trap'),
  moveMany: code('mov_many'),
  constant128: code('const_128'),
  select32: code('select_32'),
  globalGet32: code('global_get_32'),
  globalSet32: code('global_set_32'),
  memorySize: code('memory_size'),
  memoryGrow: code('memory_grow'),
  isZero32: code('i32_eqz'),
  rotateLeft32: code('i32_rotl_c'),
  rotateLeft64: code('i64_rotl_c'),
  add32: code('i32_add_c'),
  add64: code('i64_add_c'),
} as const
const trap = { unreachable: 1, memory: 5 } as const

/** Gas of the operators that the stack rewrite puts around a body, and before whatever leaves it. */
const prologueGas = 8
const epilogueGas = 4
/** Gas waits in the upper half of an instruction's first word, and must fit there. */
const pendingMax = 0xff00

const none: FunctionType = { params: [], results: [] }

/**
 * Translates the body of one function, which is known to be valid, into instructions of the interpreter. It follows the
 * rules of gas and of stack units on its own, independently of the engine that rewrites modules: gas is counted for
 * reachable operators, handed to the run at branches, and saved at calls and returns.
 */
export class BodyTranslator {
  readonly #module: Module
  readonly #places: Places
  readonly #writer: CodeWriter
  readonly #calls: { at: number; target: number }[]
  readonly #reader: WasmReader
  readonly #bytes: Uint8Array
  readonly #type: FunctionType
  readonly #localEnds: number[] = []
  readonly #localWidths: number[] = []
  readonly #locals: number
  readonly #stack: OperandStack
  readonly #frames: Frame[] = []
  /** Words that take the units this function costs. */
  readonly #unitWords: number[] = []
  #height = 0
  #heightMax = 0
  #live = true
  #pending = prologueGas
  /** The last instruction while nothing leads to the place behind it, and the word of its result, else -1. */
  #last = -1
  #lastResult = -1

  constructor(
    module: Module,
    places: Places,
    writer: CodeWriter,
    calls: { at: number; target: number }[],
    type: FunctionType,
    reader: WasmReader,
  ) {
    this.#module = module
    this.#places = places
    this.#writer = writer
    this.#calls = calls
    this.#reader = reader
    this.#bytes = reader.bytes
    this.#type = type
    for (const one of type.params) this.#declare(1, widthOf(one))
    for (let groups = reader.u32(); groups > 0; groups--) {
      const count = reader.u32()
      this.#declare(count, widthByByte[reader.byte()]!)
    }
    this.#locals = this.#localEnds.at(-1) ?? 0
    this.#stack = new OperandStack(writer, this.#locals)
  }

  #declare(count: number, localWidth: number): void {
    if (count === 0) return
    this.#localEnds.push((this.#localEnds.at(-1) ?? 0) + count)
    this.#localWidths.push(localWidth)
  }

  #localWidth(local: number): number {
    let low = 0
    let high = this.#localEnds.length - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if (local < this.#localEnds[middle]!) high = middle
      else low = middle + 1
    }
    return this.#localWidths[low]!
  }

  translate(): void {
    const writer = this.#writer
    const params = this.#type.params.length * slotBytes
    const entry = writer.length
    this.#unitWords.push(entry + 1)
    writer.four(op.enter, 0, params, this.#locals * slotBytes)
    this.#open('function', { params: [], results: this.#type.results }, -1)
    while (this.#frames.length > 0) {
      this.#operator()
      if (this.#height > this.#heightMax) this.#heightMax = this.#height
      // No run can enter such a function: what it would do is of no matter.
      if (4 + this.#locals + this.#heightMax > stackUnitsMax) {
        writer.length = entry + 4
        writer.words[entry + 1] = stackUnitsMax + 1
        return this.#forgetCallsFrom(entry)
      }
    }
    const units = 4 + this.#locals + this.#heightMax
    for (const at of this.#unitWords) writer.words[at] = units
  }

  #forgetCallsFrom(entry: number): void {
    while (this.#calls.length > 0 && this.#calls.at(-1)!.at >= entry) this.#calls.pop()
  }

  #operator(): void {
    const first = this.#byte()
    let number = first
    if (first === 0xfc) number = 256 + this.#reader.u32()
    else if (first === 0xfd) number = 512 + this.#reader.u32()
    const { length } = this.#frames
    if (this.#live) {
      if (this.#pending >= pendingMax) this.#flush()
      if (!isFree(number)) this.#pending += 1
    }
    const translation = translationAt(number)
    if (translation.shape === shape.special) this.#special(number)
    else this.#regular(number, translation)
    // Blocks keep the height themselves.
    if (this.#live && this.#frames.length === length) this.#height = this.#stack.height
  }

  #byte(): number {
    return this.#bytes[this.#reader.at++]!
  }

  #signed32(): number {
    let value = 0
    let shift = 0
    while (true) {
      const byte = this.#byte()
      value |= (byte & 0x7f) << shift
      shift += 7
      if (byte < 0x80) return shift < 32 && (byte & 0x40) !== 0 ? value | (-1 << shift) : value
    }
  }

  #blockType(): FunctionType {
    const first = this.#bytes[this.#reader.at]!
    if (first === 0x40) {
      this.#reader.at += 1
      return none
    }
    const single = first >= 0x40 && first < 0x80 ? singles[first] : undefined
    if (single !== undefined) {
      this.#reader.at += 1
      return single
    }
    let index = 0
    for (let shift = 0, byte = 0x80; byte >= 0x80; shift += 7) {
      byte = this.#byte()
      index += (byte & 0x7f) * 2 ** shift
    }
    return this.#module.types[index]!
  }

  /** Heights of code that is not translated still count for the stack cost. */
  #adjust(pops: number, pushes: number): void {
    const frame = this.#frames.at(-1)!
    const left = this.#height - pops
    this.#height = (frame.unreachable ? Math.max(left, frame.height) : left) + pushes
  }

  /** Operators of fixed operands: they become the instruction of their name. */
  #regular(number: number, { code: own, shape: form, pops, result, accessBytes }: Translation): void {
    const reader = this.#reader
    let offset = 0
    let lane = 0
    let bulk: readonly number[] = []
    let bytesAt = 0
    switch (form) {
      case shape.load:
      case shape.store:
        reader.u32()
        offset = reader.u32()
        break
      case shape.loadLane:
      case shape.storeLane:
        reader.u32()
        offset = reader.u32()
        lane = this.#byte()
        break
      case shape.lane:
        lane = this.#byte()
        break
      case shape.shuffle:
        bytesAt = reader.at
        reader.at += 16
        break
      case shape.bulk:
        bulk = this.#bulkPlaces(number)
    }
    if (!this.#live) return this.#adjust(pops, result < 0 ? 0 : 1)
    if (accessBytes > 0 && offset + accessBytes > this.#places.addressable) {
      this.#height = this.#stack.height
      this.#end(trap.memory)
      return this.#adjust(pops, result < 0 ? 0 : 1)
    }
    if (form === shape.plain) return this.#plain(number)

    const stack = this.#stack
    const { height } = stack
    const places: number[] = []
    for (let index = 0; index < pops; index++) stack.pop()
    for (let index = 0; index < pops; index++) places.push(stack.place(height - pops + index))
    const writer = this.#writer
    if (form === shape.bulk) writer.word(op.rest)
    const at = writer.length
    writer.word(own)
    if (result >= 0) writer.word(stack.slot(height - pops))
    for (const place of places) writer.word(place)
    switch (form) {
      case shape.load:
      case shape.store:
        writer.word(offset)
        break
      case shape.loadLane:
      case shape.storeLane:
        writer.two(offset, lane)
        break
      case shape.lane:
        writer.word(lane)
        break
      case shape.shuffle:
        this.#raw(bytesAt, 16)
        break
      case shape.bulk:
        for (const place of bulk) writer.word(place)
    }
    if (result < 0) this.#last = -1
    else this.#pushResult(at, result)
  }

  #raw(start: number, count: number): void {
    const view = this.#bytes
    for (let at = start; at < start + count; at += 4)
      this.#writer.word(
        (view[at]! | (view[at + 1]! << 8) | (view[at + 2]! << 16) | (view[at + 3]! << 24)) >>> 0,
      )
  }

  #bulkPlaces(number: number): readonly number[] {
    const reader = this.#reader
    const places = this.#places
    switch (number) {
      case 0x108: {
        const segment = places.dataSegment(reader.u32())
        reader.skip(1)
        return [segment]
      }
      case 0x109:
        return [places.dataSegment(reader.u32())]
      case 0x10a:
        reader.skip(2)
        return []
      case 0x10b:
        reader.skip(1)
        return []
      case 0x10c: {
        const segment = places.elementSegment(reader.u32())
        return [segment, places.table(reader.u32())]
      }
      case 0x10d:
        return [places.elementSegment(reader.u32())]
      case 0x10e: {
        const target = places.table(reader.u32())
        return [target, places.table(reader.u32())]
      }
      default:
        return [places.table(reader.u32())]
    }
  }

  /** Results and operands only, with constants where the instruction can hold one. */
  #plain(number: number): void {
    const stack = this.#stack
    const writer = this.#writer
    const { code: own, pops, result, constantCode, exchangedCode } = translationAt(number)
    const position = stack.height - pops
    if (pops === 2 && this.#constantOperand(number, constantCode, exchangedCode, result)) return
    if (own === op.isZero32 && this.#invertLast()) return
    for (let index = 0; index < pops; index++) stack.pop()
    const places: [number, number, number] = [0, 0, 0]
    for (let index = 0; index < pops; index++) places[index] = stack.place(position + index)
    const at = writer.length
    writer.two(own, stack.slot(position))
    for (let index = 0; index < pops; index++) writer.word(places[index]!)
    this.#pushResult(at, result)
  }

  #constantOperand(number: number, constantCode: number, exchangedCode: number, result: number): boolean {
    const stack = this.#stack
    const position = stack.height - 2
    let own = constantCode
    let value = stack.low(position + 1)
    let variable = position
    if (stack.isSmall(position + 1)) {
      switch (number) {
        case 0x6b:
        case 0x7d:
          // Subtraction adds the opposite.
          own = number === 0x6b ? op.add32 : op.add64
          if (number === 0x7d && value === -0x80000000) return false
          value = -value | 0
          break
        case 0x78:
          own = op.rotateLeft32
          value = (32 - (value & 31)) & 31
          break
        case 0x8a:
          own = op.rotateLeft64
          value = (64 - (value & 63)) & 63
          break
        case 0x6e:
        case 0x70:
        case 0x80:
        case 0x82:
          if (value === 0) return false
      }
    } else if (exchangedCode !== 0 && stack.isSmall(position)) {
      own = exchangedCode
      value = stack.low(position)
      variable = position + 1
    } else return false
    if (own === 0) return false
    stack.pop()
    stack.pop()
    const place = stack.place(variable)
    const at = this.#writer.length
    this.#writer.four(own, stack.slot(position), place, value)
    this.#pushResult(at, result)
    return true
  }

  /** Turns the comparison just made around instead of asking whether it gave zero. */
  #invertLast(): boolean {
    const { words } = this.#writer
    if (this.#last < 0 || !this.#isTop()) return false
    const opposite = inverted(words[this.#last]! & 0xffff)
    if (opposite === 0) return false
    words[this.#last] = opposite
    return true
  }

  /** Whether the top operand is what the last instruction gave. */
  #isTop(): boolean {
    const top = this.#stack.height - 1
    return (
      this.#lastResult >= 0 &&
      this.#stack.isSlot(top) &&
      this.#writer.words[this.#lastResult] === this.#stack.slot(top)
    )
  }

  #pushResult(at: number, resultWidth: number): void {
    this.#stack.pushSlot(resultWidth)
    this.#last = at
    this.#lastResult = at + 1
  }

  /** Nothing before this place can be changed any more: something may lead here, or it is no result. */
  #barrier(): void {
    this.#last = -1
    this.#lastResult = -1
  }

  /** The first word of an instruction that hands over the gas that is due. */
  #due(instruction: number, extra = 0): number {
    const gas = this.#pending + extra
    this.#pending = 0
    return (instruction | (gas << 16)) >>> 0
  }

  #flush(): void {
    if (this.#pending === 0) return
    this.#writer.two(op.fuel, this.#pending)
    this.#pending = 0
    this.#barrier()
  }

  /** Ends the run where gas is saved first; what follows cannot be reached. */
  #end(kind: number): void {
    this.#writer.two(this.#due(op.trap), kind)
    this.#die()
  }

  #die(): void {
    this.#live = false
    this.#pending = 0
    this.#barrier()
  }

  #here(): number {
    this.#barrier()
    return this.#places.code + 4 * this.#writer.length
  }

  #open(kind: Frame['kind'], type: FunctionType, elseAt: number): void {
    this.#frames.push({
      kind,
      type,
      height: this.#height - type.params.length,
      ends: [],
      header: this.#places.code + 4 * this.#writer.length,
      elseAt,
      headLive: this.#live,
      branched: false,
      unreachable: false,
    })
  }

  #special(number: number): void {
    switch (number) {
      case 0x00:
        if (this.#live) this.#end(trap.unreachable)
        return this.#unreachable()
      case 0x01:
        return
      case 0x02:
      case 0x03:
        return this.#block(number === 0x03)
      case 0x04:
        return this.#if()
      case 0x05:
        return this.#else()
      case 0x0b:
        return this.#close()
      case 0x0c:
        return this.#branch(this.#reader.u32())
      case 0x0d:
        return this.#branchIf(this.#reader.u32())
      case 0x0e:
        return this.#branchTable()
      case 0x0f:
        if (this.#live) this.#return()
        return this.#unreachable()
      case 0x10:
      case 0x11:
        return this.#call(number === 0x11)
      case 0x12:
      case 0x13:
        return this.#tailCall(number === 0x13)
      default:
        return this.#move(number)
    }
  }

  #unreachable(): void {
    const frame = this.#frames.at(-1)!
    frame.unreachable = true
    this.#height = frame.height
    if (this.#live) this.#die()
  }

  #block(loop: boolean): void {
    const type = this.#blockType()
    if (this.#live) {
      this.#stack.settleAll()
      if (loop) this.#flush()
      else if (this.#last >= 0) this.#barrier()
      this.#height = this.#stack.height
    } else {
      this.#adjust(type.params.length, 0)
      this.#height += type.params.length
    }
    this.#open(loop ? 'loop' : 'block', type, -1)
    if (loop && this.#live) {
      this.#writer.word(op.loop)
      this.#barrier()
    }
  }

  #if(): void {
    const type = this.#blockType()
    let elseAt = -1
    if (this.#live) {
      const condition = this.#condition()
      this.#stack.settleAll()
      elseAt = this.#conditional(invert(condition))
      this.#height = this.#stack.height
      this.#barrier()
    } else {
      this.#adjust(1 + type.params.length, 0)
      this.#height += type.params.length
    }
    this.#open('if', type, elseAt)
  }

  #else(): void {
    const frame = this.#frames.pop()!
    if (this.#live) {
      this.#stack.settleAll()
      frame.ends.push(this.#writer.length + 1)
      this.#writer.two(this.#due(op.br), 0)
    }
    const reached = this.#live || frame.branched
    this.#live = frame.headLive
    this.#pending = 0
    if (frame.headLive) this.#writer.words[frame.elseAt] = this.#here()
    this.#restore(frame.height, frame.type.params)
    this.#frames.push({ ...frame, kind: 'else', elseAt: -1, branched: reached, unreachable: false })
  }

  #close(): void {
    const frame = this.#frames.pop()!
    const { kind, type, ends } = frame
    const met = kind === 'if' ? frame.headLive || frame.branched : frame.branched
    if (kind !== 'loop' && met) {
      if (this.#live) {
        this.#stack.settleAll()
        this.#flush()
      }
      this.#live = true
      this.#pending = 0
      const here = this.#here()
      for (const at of ends) this.#writer.words[at] = here
      if (kind === 'if' && frame.headLive) this.#writer.words[frame.elseAt] = here
      this.#restore(frame.height, type.results)
    } else if (this.#live) this.#height = this.#stack.height
    else this.#restore(frame.height, type.results)
    if (this.#height > this.#heightMax) this.#heightMax = this.#height
    if (kind === 'function' && this.#live) this.#return()
  }

  /** The stack where paths meet: everything in its slot. */
  #restore(height: number, types: readonly ValueType[]): void {
    this.#height = height + types.length
    if (!this.#live) return
    this.#stack.reset(height)
    for (let index = 0; index < types.length; index++) this.#stack.pushSlot(widthOf(types[index]!))
  }

  /** Takes the top operand as a condition; a comparison just made becomes part of the branch. */
  #condition(): FusedBranch {
    const stack = this.#stack
    if (this.#last >= 0 && this.#isTop()) {
      const fused = fuse(this.#writer.words, this.#last)
      if (fused !== undefined) {
        this.#writer.length = this.#last
        this.#barrier()
        stack.pop()
        return fused
      }
    }
    stack.pop()
    return { code: code('br_if'), operands: [stack.place(stack.height)] }
  }

  /** Writes a branch on a condition; its target is filled in later. @returns The word of the target. */
  #conditional({ code: own, operands }: FusedBranch): number {
    this.#writer.word(this.#due(own))
    for (const operand of operands) this.#writer.word(operand >>> 0)
    this.#writer.word(0)
    this.#barrier()
    return this.#writer.length - 1
  }

  #target(label: number): Frame {
    return this.#frames[this.#frames.length - 1 - label]!
  }

  /** Fills a word with the target of a branch, or notes it for the end of the block. */
  #aim(at: number, frame: Frame): void {
    if (frame.kind === 'loop') this.#writer.words[at] = frame.header + 4
    else {
      frame.ends.push(at)
      frame.branched = true
    }
  }

  #branch(label: number): void {
    const frame = this.#target(label)
    if (this.#live) {
      if (frame.kind === 'function') this.#return()
      else {
        this.#moveTo(frame)
        const instruction = frame.kind === 'loop' ? loopForm(op.br) : op.br
        this.#writer.two(this.#due(instruction), 0)
        this.#aim(this.#writer.length - 1, frame)
      }
    }
    this.#unreachable()
  }

  #branchIf(label: number): void {
    const frame = this.#target(label)
    const arity = carried(frame).length
    if (!this.#live) {
      this.#adjust(1, 0)
      // The values are taken and put back, which raises the height where none were.
      this.#adjust(arity, arity)
      return
    }
    const condition = this.#condition()
    if (arity > 0) this.#stack.settleTop(arity)
    if (arity === 0 || this.#stack.height - arity === frame.height) {
      const own = frame.kind === 'loop' ? loopForm(condition.code) : condition.code
      this.#aim(this.#conditional({ ...condition, code: own }), frame)
      return
    }
    const skip = this.#conditional(invert(condition))
    this.#moveTo(frame)
    const instruction = frame.kind === 'loop' ? loopForm(op.br) : op.br
    this.#writer.two(instruction, 0)
    this.#aim(this.#writer.length - 1, frame)
    this.#writer.words[skip] = this.#here()
  }

  /** Puts the top operands where the block expects what a branch carries. */
  #moveTo(frame: Frame): void {
    const stack = this.#stack
    const arity = carried(frame).length
    const from = stack.height - arity
    if (arity === 0) return
    if (arity === 1) {
      stack.copy(from, stack.slot(frame.height))
      return
    }
    stack.settleTop(arity)
    if (from !== frame.height)
      this.#writer.four(op.moveMany, stack.slot(frame.height), stack.slot(from), arity * slotBytes)
  }

  #branchTable(): void {
    const reader = this.#reader
    const count = reader.u32()
    if (!this.#live) {
      for (let index = 0; index <= count; index++) reader.u32()
      // Every label takes its values and gives them back; the highest one counts before the block ends here anyway.
      return this.#unreachable()
    }
    const stack = this.#stack
    const writer = this.#writer
    stack.pop()
    const index = stack.place(stack.height)
    const start = reader.at
    for (let skipped = 0; skipped < count; skipped++) reader.u32()
    const arity = carried(this.#target(reader.u32())).length
    reader.at = start
    stack.settleTop(arity)
    writer.three(this.#due(op.brTable), index, count)
    writer.two(stack.slot(stack.height - arity), arity * slotBytes)
    for (let row = 0; row <= count; row++) {
      const frame = this.#target(reader.u32())
      writer.two(0, stack.slot(frame.height))
      // The header of a loop asks for gas: a row leads to that instruction itself.
      if (frame.kind === 'loop') writer.words[writer.length - 2] = frame.header
      else this.#aim(writer.length - 2, frame)
    }
    this.#unreachable()
  }

  #return(): void {
    const stack = this.#stack
    const writer = this.#writer
    const { results } = this.#type
    const count = results.length
    const position = stack.height - count
    if (count > 1) stack.settleTop(count)
    const place = count === 1 ? stack.place(position) : 0
    const first = count === 0 ? op.ret : count === 1 ? op.ret32 + widthOf(results[0]!) : op.retMany
    this.#unitWords.push(writer.length + 1)
    writer.two(this.#due(first, epilogueGas), 0)
    if (count === 1) writer.word(place)
    else if (count > 1) writer.two(stack.slot(position), count * slotBytes)
    this.#barrier()
  }

  #call(indirect: boolean): void {
    const index = this.#reader.u32()
    const table = indirect ? this.#reader.u32() : 0
    const type = this.#module.types[indirect ? index : this.#module.functions[index]!]!
    const count = type.params.length
    if (!this.#live) return this.#adjust(count + (indirect ? 1 : 0), type.results.length)
    const stack = this.#stack
    const writer = this.#writer
    let element = 0
    if (indirect) {
      stack.pop()
      element = stack.place(stack.height)
    }
    stack.settleTop(count)
    const base = stack.slot(stack.height - count)
    if (indirect) {
      writer.three(this.#due(op.callIndirect), this.#places.signatures[index]!, this.#places.table(table))
      writer.two(element, base)
    } else {
      this.#calls.push({ at: writer.length + 1, target: index })
      writer.three(this.#due(op.call), 0, base)
    }
    for (let popped = 0; popped < count; popped++) stack.pop()
    for (const result of type.results) stack.pushSlot(widthOf(result))
    this.#barrier()
  }

  #tailCall(indirect: boolean): void {
    const index = this.#reader.u32()
    const table = indirect ? this.#reader.u32() : 0
    if (this.#live) {
      const type = this.#module.types[indirect ? index : this.#module.functions[index]!]!
      const count = type.params.length
      const stack = this.#stack
      const writer = this.#writer
      let element = 0
      if (indirect) {
        stack.pop()
        element = stack.place(stack.height)
      }
      stack.settleTop(count)
      const from = stack.slot(stack.height - count)
      if (indirect) {
        writer.three(
          this.#due(op.returnCallIndirect, epilogueGas),
          this.#places.signatures[index]!,
          this.#places.table(table),
        )
        writer.three(element, from, count * slotBytes)
      } else {
        this.#calls.push({ at: writer.length + 1, target: index })
        writer.four(this.#due(op.returnCall, epilogueGas), 0, from, count * slotBytes)
      }
      this.#unitWords.push(writer.length)
      writer.word(0)
    }
    this.#unreachable()
  }

  /** Operators that move values. */
  #move(number: number): void {
    const reader = this.#reader
    const stack = this.#stack
    switch (number) {
      case 0x1a:
        if (!this.#live) return this.#adjust(1, 0)
        return stack.pop()
      case 0x1c:
        reader.skip(2)
        return this.#select()
      case 0x1b:
        return this.#select()
      case 0x20: {
        const local = reader.u32()
        if (!this.#live) return this.#adjust(0, 1)
        return stack.pushLocal(local, this.#localWidth(local))
      }
      case 0x21:
      case 0x22:
        return this.#setLocal(reader.u32(), number === 0x22)
      case 0x23: {
        const global = reader.u32()
        if (!this.#live) return this.#adjust(0, 1)
        const globalWidth = widthOf(this.#module.globals[global]!.type)
        const at = this.#writer.length
        this.#writer.three(
          op.globalGet32 + globalWidth,
          stack.slot(stack.height),
          this.#places.global(global),
        )
        return this.#pushResult(at, globalWidth)
      }
      case 0x24: {
        const global = reader.u32()
        if (!this.#live) return this.#adjust(1, 0)
        stack.pop()
        const place = stack.place(stack.height)
        const globalWidth = widthOf(this.#module.globals[global]!.type)
        this.#writer.three(op.globalSet32 + globalWidth, place, this.#places.global(global))
        return this.#barrier()
      }
      case 0x3f: {
        reader.skip(1)
        if (!this.#live) return this.#adjust(0, 1)
        const at = this.#writer.length
        this.#writer.two(op.memorySize, stack.slot(stack.height))
        return this.#pushResult(at, width.bits32)
      }
      case 0x40: {
        reader.skip(1)
        if (!this.#live) return this.#adjust(1, 1)
        stack.pop()
        const place = stack.place(stack.height)
        const at = this.#writer.length
        this.#writer.three(op.memoryGrow, stack.slot(stack.height), place)
        return this.#pushResult(at, width.bits32)
      }
      default:
        return this.#constant(number)
    }
  }

  #constant(number: number): void {
    const reader = this.#reader
    const stack = this.#stack
    const view = this.#bytes
    const word = (at: number) =>
      view[at]! | (view[at + 1]! << 8) | (view[at + 2]! << 16) | (view[at + 3]! << 24)
    switch (number) {
      case 0x41: {
        const value = this.#signed32()
        if (!this.#live) return this.#adjust(0, 1)
        return stack.pushConstant(value, 0, width.bits32)
      }
      case 0x42: {
        const [low, high] = this.#signed64()
        if (!this.#live) return this.#adjust(0, 1)
        return stack.pushConstant(low, high, width.bits64)
      }
      case 0x43:
      case 0x44: {
        const { at } = reader
        const double = number === 0x44
        reader.at += double ? 8 : 4
        if (!this.#live) return this.#adjust(0, 1)
        return stack.pushConstant(word(at), double ? word(at + 4) : 0, double ? width.bits64 : width.bits32)
      }
      case 0x20c: {
        const { at } = reader
        reader.at += 16
        if (!this.#live) return this.#adjust(0, 1)
        const start = this.#writer.length
        this.#writer.two(op.constant128, stack.slot(stack.height))
        this.#raw(at, 16)
        return this.#pushResult(start, width.bits128)
      }
      case 0xd0:
        reader.skip(1)
        if (!this.#live) return this.#adjust(0, 1)
        return stack.pushConstant(0, 0, width.bits32)
      case 0xd2: {
        const index = reader.u32()
        if (!this.#live) return this.#adjust(0, 1)
        return stack.pushConstant(index + 1, 0, width.bits32)
      }
      case 0xd1: {
        if (!this.#live) return this.#adjust(1, 1)
        stack.pop()
        const place = stack.place(stack.height)
        const at = this.#writer.length
        this.#writer.three(op.isZero32, stack.slot(stack.height), place)
        return this.#pushResult(at, width.bits32)
      }
      default:
        // Reinterpretations, and the low half of 64 bits: the bits are there already.
        if (!this.#live) return this.#adjust(1, 1)
        return stack.relabel(number === 0xbd || number === 0xbf ? width.bits64 : width.bits32)
    }
  }

  #signed64(): [low: number, high: number] {
    let low = 0
    let high = 0
    let shift = 0
    let byte = 0x80
    while (byte >= 0x80) {
      byte = this.#byte()
      const part = byte & 0x7f
      if (shift < 32) low |= part << shift
      if (shift + 7 > 32) high |= shift >= 32 ? part << (shift - 32) : part >> (32 - shift)
      shift += 7
    }
    if (shift < 64 && (byte & 0x40) !== 0) {
      if (shift < 32) {
        low |= -1 << shift
        high = -1
      } else high |= -1 << (shift - 32)
    }
    return [low, high]
  }

  #select(): void {
    if (!this.#live) return this.#adjust(3, 1)
    const stack = this.#stack
    const position = stack.height - 3
    const resultWidth = stack.widths[position]!
    for (let index = 0; index < 3; index++) stack.pop()
    const places = [0, 1, 2].map((index) => stack.place(position + index))
    const at = this.#writer.length
    this.#writer.two(op.select32 + resultWidth, stack.slot(position))
    for (const place of places) this.#writer.word(place)
    this.#pushResult(at, resultWidth)
  }

  #setLocal(local: number, keep: boolean): void {
    if (!this.#live) return this.#adjust(1, keep ? 1 : 0)
    const stack = this.#stack
    const position = stack.height - 1
    const operandWidth = stack.widths[position]!
    if (stack.isLocal(position, local)) {
      if (!keep) stack.pop()
      return
    }
    const direct = !stack.uses(local) && this.#last >= 0 && this.#isTop()
    if (direct) {
      // The instruction before puts its result where it belongs in the first place.
      this.#writer.words[this.#lastResult] = local * slotBytes
      stack.pop()
    } else {
      stack.pop()
      stack.settleLocal(local)
      stack.copy(position, local * slotBytes)
    }
    this.#barrier()
    if (keep) stack.pushLocal(local, operandWidth)
  }
}

const carried = ({ kind, type }: Frame): readonly ValueType[] =>
  kind === 'loop' ? type.params : type.results

/** Operators that cost nothing: unreachable, nop, block, loop, else, end, return, drop. */
const isFree = (number: number): boolean =>
  number <= 0x03 || number === 0x05 || number === 0x0b || number === 0x0f || number === 0x1a

const widthByByte: Readonly<Record<number, number>> = {
  127: width.bits32,
  126: width.bits64,
  125: width.bits32,
  124: width.bits64,
  123: width.bits128,
  112: width.bits32,
  111: width.bits32,
}

const singles: Readonly<Record<number, FunctionType>> = {
  127: { params: [], results: ['i32'] },
  126: { params: [], results: ['i64'] },
  125: { params: [], results: ['f32'] },
  124: { params: [], results: ['f64'] },
  123: { params: [], results: ['v128'] },
  112: { params: [], results: ['funcref'] },
  111: { params: [], results: ['externref'] },
}

import type { Module } from '../../../protocol/wasm/module.ts'
import type { ValueType } from '../../../protocol/wasm/operators.ts'
import type { WasmReader } from '../../../protocol/wasm/reader.ts'
import type { BlockTypes } from './block-types.ts'
import { ByteWriter } from './bytes.ts'
import { canonicalized, indifferent, type NanKind, writeCanonical } from './canonical-nan.ts'
import { addressableBytes, type MeterGlobals, stopped } from './meter.ts'
import { valueTypeByte } from './rewrite-module.ts'
import { stackCost } from './stack-cost.ts'
import { BodyValidator } from './validator.ts'

export interface BodyRequest {
  wasm: Uint8Array
  module: Module
  type: number
  reader: WasmReader
  declared: ReadonlySet<number>
  blockTypes: BlockTypes
  globals: MeterGlobals
}

/** What the counting needs to know of an open block. */
interface Frame {
  kind: 'function' | 'block' | 'loop' | 'if' | 'else'
  /** Whether code at the head could be reached. */
  headReachable: boolean
  /** Gas pending at the head of an `if`, carried into both arms. */
  headPending: number
  /** A branch that can be reached leads here. */
  branched: boolean
  /** The then-arm could be left at its end. */
  thenReachable: boolean
}

/** The prologue and epilogue of the stack rewrite, which are charged and not executed. */
const prologueGas = 8
const epilogueGas = 4

const free = new Set(['nop', 'drop', 'block', 'loop', 'unreachable', 'return', 'else', 'end'])

/**
 * Writes one function body with exact counting.
 *
 * Gas lives in three places: *pending*, known while writing; the local `fuel`, of the running activation; and the
 * global, which host and other activations see. The local is brought up to date where paths part or meet, the global
 * where the rules make consumption visible, so that a trap reports exactly what was saved before it.
 *
 *     block $stack
 *       block $gas
 *         fuel = global + 1;                 br_if $gas   (fuel >= 0)
 *         units = budget - cost;             br_if $stack (units < 0)
 *         block <results> body end
 *         global = fuel + pending + 4;       return
 *       end
 *       status = out of gas;                 unreachable
 *     end
 *     global = fuel + 8; status = stack limit; unreachable
 *
 * A caller sets the budget before each call, so a callee never gives units back.
 */
export class MeteredBody {
  readonly #request: BodyRequest
  readonly #validator: BodyValidator
  readonly #code = new ByteWriter()
  readonly #frames: Frame[] = []
  readonly #addressable: number
  readonly #localsStart: number
  /** Indices of the appended locals. */
  readonly #fuel: number
  readonly #units: number
  readonly #temporaries = new Map<ValueType, number>()
  /** Where the stack cost of this function must be written, once it is known. */
  readonly #costPlaces: number[] = []
  #pending = prologueGas
  #reachable = true
  /** The original bytes before this place were copied or replaced. */
  #copied: number
  /** The value on top of the stack has a NaN that is not canonical yet. */
  #raw: NanKind | null = null

  constructor(request: BodyRequest) {
    const { module, type, reader, declared } = request
    this.#request = request
    this.#localsStart = reader.at
    this.#validator = new BodyValidator(module, type, reader, declared)
    this.#copied = reader.at
    this.#addressable = addressableBytes(module)
    this.#fuel = this.#validator.localCount
    this.#units = this.#fuel + 1
    this.#frames.push({
      kind: 'function',
      headReachable: true,
      headPending: 0,
      branched: false,
      thenReachable: false,
    })
  }

  write(): Uint8Array {
    const validator = this.#validator
    while (!validator.done) {
      validator.next()
      this.#settleNan()
      this.#step()
      validator.apply()
      this.#enter()
    }
    return this.#assemble()
  }

  /** A raw NaN may go on to an operator that cannot tell it from the canonical one, and to nothing else. */
  #settleNan(): void {
    const kind = this.#raw
    if (kind === null) return
    this.#raw = null
    const { operator, start } = this.#validator.decoder
    if (indifferent[kind].has(operator.name)) return
    this.#copyTo(start)
    writeCanonical(this.#code, kind, this.#temporary(kind))
  }

  #temporary(kind: NanKind): number {
    const type: ValueType = kind === 'f32' || kind === 'f64' ? kind : 'v128'
    const known = this.#temporaries.get(type)
    if (known !== undefined) return known
    const index = this.#units + 1 + this.#temporaries.size
    this.#temporaries.set(type, index)
    return index
  }

  /** Writes what comes before an operator, or in its place. */
  #step(): void {
    const { decoder } = this.#validator
    const { operator } = decoder
    if (!free.has(operator.name)) this.#pending += 1
    switch (operator.name) {
      case 'loop':
        return this.#flush()
      case 'else':
        return this.#else()
      case 'end':
        return this.#end()
      case 'br':
        this.#flush()
        this.#mark(decoder.index)
        return
      case 'br_if':
        this.#flush()
        this.#mark(decoder.index)
        return
      case 'br_table':
        this.#flush()
        for (const label of decoder.labels) this.#mark(label)
        return
      case 'return':
        return this.#save(epilogueGas)
      case 'unreachable':
        return this.#save(0)
      case 'call':
      case 'call_indirect':
        this.#save(0)
        return this.#passUnits()
      case 'return_call':
      case 'return_call_indirect':
        this.#save(epilogueGas)
        return this.#returnUnits()
    }
    if (operator.accessBytes > 0 && decoder.offset + operator.accessBytes > this.#addressable) {
      this.#save(0)
      this.#leave()
    }
    const kind = canonicalized.get(operator.name)
    if (kind !== undefined) this.#raw = kind
  }

  /** Writes what comes after an operator, once the validator has stepped over it. */
  #enter(): void {
    const { decoder, controls } = this.#validator
    switch (decoder.operator.name) {
      case 'block':
      case 'if':
        this.#open(decoder.operator.name)
        return
      case 'loop':
        this.#open('loop')
        if (!this.#reachable) return
        this.#copyTo(decoder.end)
        // Every arrival at the header asks whether gas is left.
        this.#localGet(this.#fuel)
        this.#code.bytes([0x42, 0, 0x59, 0x0d])
        this.#code.u32(controls.length)
        return
      case 'call':
      case 'call_indirect':
        if (!this.#reachable) return
        this.#copyTo(decoder.end)
        this.#code.byte(0x23)
        this.#code.u32(this.#request.globals.fuel)
        this.#localSet(this.#fuel)
        return
      case 'br':
      case 'br_table':
      case 'return':
      case 'return_call':
      case 'return_call_indirect':
      case 'unreachable':
        this.#leave()
    }
  }

  #open(kind: Frame['kind']): void {
    this.#frames.push({
      kind,
      headReachable: this.#reachable,
      headPending: this.#pending,
      branched: false,
      thenReachable: false,
    })
  }

  #else(): void {
    const frame = this.#frames.at(-1)!
    this.#flush()
    frame.kind = 'else'
    frame.thenReachable = this.#reachable
    this.#reachable = frame.headReachable
    this.#pending = frame.headReachable ? frame.headPending : 0
  }

  #end(): void {
    const frame = this.#frames.pop()!
    const fallsThrough = this.#reachable
    switch (frame.kind) {
      case 'loop':
        return
      case 'function':
      case 'block':
        if (!frame.branched) return
        this.#flush()
        this.#reachable = true
        return
      case 'else':
        this.#flush()
        this.#reachable = fallsThrough || frame.thenReachable || frame.branched
        return
      case 'if':
        this.#flush()
        if (frame.headReachable && frame.headPending > 0) {
          // The missing arm: who skips the `if` still owes what was pending before it.
          this.#copyTo(this.#validator.decoder.start)
          this.#code.byte(0x05)
          this.#reachable = true
          this.#pending = frame.headPending
          this.#flush()
        }
        this.#reachable = frame.headReachable || fallsThrough || frame.branched
        this.#pending = 0
    }
  }

  #mark(label: number): void {
    if (this.#reachable) this.#frames[this.#frames.length - 1 - label]!.branched = true
  }

  #leave(): void {
    this.#reachable = false
    this.#pending = 0
  }

  /** fuel += pending */
  #flush(): void {
    const pending = this.#pending
    this.#pending = 0
    if (!this.#reachable || pending === 0) return
    this.#copyTo(this.#validator.decoder.start)
    this.#fuelPlus(pending)
    this.#localSet(this.#fuel)
  }

  /** global = fuel + pending + extra */
  #save(extra: number): void {
    const pending = this.#pending
    this.#pending = 0
    if (!this.#reachable) return
    this.#copyTo(this.#validator.decoder.start)
    this.#fuelPlus(pending + extra)
    this.#code.byte(0x24)
    this.#code.u32(this.#request.globals.fuel)
  }

  #passUnits(): void {
    if (!this.#reachable) return
    this.#localGet(this.#units)
    this.#setGlobal(this.#request.globals.budget)
  }

  /** A tail call gives the units of this activation to its callee. */
  #returnUnits(): void {
    if (!this.#reachable) return
    this.#localGet(this.#units)
    this.#code.byte(0x41)
    this.#costPlaces.push(this.#code.length)
    this.#code.bytes([0x80, 0x80, 0x80, 0x80, 0x00])
    this.#code.byte(0x6a)
    this.#setGlobal(this.#request.globals.budget)
  }

  #fuelPlus(gas: number): void {
    this.#localGet(this.#fuel)
    if (gas === 0) return
    this.#code.byte(0x42)
    this.#code.signed(gas)
    this.#code.byte(0x7c)
  }

  #localGet(index: number): void {
    this.#code.byte(0x20)
    this.#code.u32(index)
  }

  #localSet(index: number): void {
    this.#code.byte(0x21)
    this.#code.u32(index)
  }

  #setGlobal(index: number): void {
    this.#code.byte(0x24)
    this.#code.u32(index)
  }

  #copyTo(end: number): void {
    this.#code.range(this.#request.wasm, this.#copied, end)
    this.#copied = end
  }

  #assemble(): Uint8Array {
    const { module, type, reader, blockTypes, globals } = this.#request
    const cost = stackCost(this.#validator.localCount, this.#validator.heightMax)
    this.#copyTo(reader.end)
    const code = this.#code.view()
    for (const place of this.#costPlaces) patchPadded(code, place, cost)

    const body = new ByteWriter()
    this.#writeLocals(body)
    // block; block; fuel = global + 1; br_if 0 (fuel >= 0)
    body.bytes([0x02, 0x40, 0x02, 0x40, 0x23])
    body.u32(globals.fuel)
    body.bytes([0x42, 1, 0x7c, 0x22])
    body.u32(this.#fuel)
    body.bytes([0x42, 0, 0x59, 0x0d, 0])
    // units = budget - cost; br_if 1 (units < 0)
    body.byte(0x23)
    body.u32(globals.budget)
    body.byte(0x41)
    body.signed(cost)
    body.bytes([0x6b, 0x22])
    body.u32(this.#units)
    body.bytes([0x41, 0, 0x48, 0x0d, 1])
    body.byte(0x02)
    blockTypes.write(body, module.types[type]!.results)
    body.bytes(code)
    if (this.#reachable) {
      this.#writeSave(body, this.#pending + epilogueGas)
    }
    body.bytes([0x0f, 0x0b])
    writeStatus(body, globals.status, stopped.outOfGas)
    body.byte(0x0b)
    this.#writeSave(body, prologueGas)
    writeStatus(body, globals.status, stopped.stackLimit)
    body.byte(0x0b)
    return body.view()
  }

  #writeSave(body: ByteWriter, gas: number): void {
    body.byte(0x20)
    body.u32(this.#fuel)
    body.byte(0x42)
    body.signed(gas)
    body.bytes([0x7c, 0x24])
    body.u32(this.#request.globals.fuel)
  }

  #writeLocals(body: ByteWriter): void {
    const { wasm, reader } = this.#request
    const added: ValueType[] = ['i64', 'i32', ...this.#temporaries.keys()]
    reader.at = this.#localsStart
    const groups = reader.u32()
    const declarations = reader.at
    for (let rest = groups; rest > 0; rest--) {
      reader.u32()
      reader.byte()
    }
    body.u32(groups + added.length)
    body.range(wasm, declarations, reader.at)
    for (const one of added) body.bytes([1, valueTypeByte(one)])
    reader.at = reader.end
  }
}

function writeStatus(body: ByteWriter, global: number, status: number): void {
  body.bytes([0x41, status, 0x24])
  body.u32(global)
  body.byte(0x00)
}

/** Writes a small number over the five bytes kept for it. */
function patchPadded(code: Uint8Array, place: number, value: number): void {
  for (let index = 0; index < 5; index++)
    code[place + index] = ((value >>> (7 * index)) & 0x7f) | (index < 4 ? 0x80 : 0)
}

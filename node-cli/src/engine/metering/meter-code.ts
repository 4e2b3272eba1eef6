import type { Module } from '../../../../protocol/wasm/module.ts'
import type { ValueType } from '../../../../protocol/wasm/operator-row.ts'
import type { WasmReader } from '../../../../protocol/wasm/reader.ts'
import { stackCost } from '../validation/stack-cost.ts'
import { BodyValidator } from '../validation/validator.ts'
import type { BlockTypes } from './block-types.ts'
import { ByteWriter, opcode, patchPadded } from './byte-writer.ts'
import { type MeterGlobals, stopped } from './meter-state.ts'
import { valueTypeByte } from './rewrite-module.ts'

export interface BodyRequest {
  wasm: Uint8Array
  module: Module
  type: number
  reader: WasmReader
  declared: ReadonlySet<number>
  blockTypes: BlockTypes
  globals: MeterGlobals
  /** Index of the safepoint among the functions; see {@link safepointBody}. */
  safepoint: number
}

/** The prologue and epilogue of the stack rewrite, which are charged and not executed. */
export const prologueGas = 8
export const epilogueGas = 4

/** Writes the code that counts, around and between the original code of one function. */
export abstract class MeterCode {
  protected readonly request: BodyRequest
  protected readonly validator: BodyValidator
  protected readonly code = new ByteWriter()
  /** Index of the local that counts; that of the stack units comes next. */
  protected abstract readonly fuel: number
  /** Locals behind the original ones, and those two. */
  protected readonly added: ValueType[] = []
  readonly #temporaries = new Map<ValueType, number>()
  /** Places to fill with the stack cost of this function, once it is known. */
  readonly #costPlaces: number[] = []
  readonly #localsStart: number
  /** The original bytes before this place were copied or replaced. */
  #copied: number

  constructor(request: BodyRequest) {
    const { module, type, reader, declared } = request
    this.request = request
    this.#localsStart = reader.at
    this.validator = new BodyValidator(module, type, reader, declared)
    this.#copied = reader.at
  }

  /** Adds a local behind the others. @returns Its index. */
  protected addLocal(type: ValueType): number {
    this.added.push(type)
    return this.validator.localCount + 1 + this.added.length
  }

  /** The local for any value of a type, which is added when it is asked for first. */
  protected temporary(type: ValueType): number {
    const local = this.#temporaries.get(type) ?? this.addLocal(type)
    this.#temporaries.set(type, local)
    return local
  }

  /** Puts fuel and some gas more on the stack. */
  protected fuelPlus(gas: number, code = this.code): void {
    code.op(opcode.localGet, this.fuel)
    if (gas === 0) return
    code.i64(gas)
    code.byte(0x7c)
  }

  /** global = fuel + gas */
  protected save(gas: number, code = this.code): void {
    this.fuelPlus(gas, code)
    code.op(opcode.globalSet, this.request.globals.fuel)
  }

  /** Puts the units on the stack that this activation began with. */
  protected unitsBack(): void {
    this.code.op(opcode.localGet, this.units)
    this.code.byte(0x41)
    this.#costPlaces.push(this.code.padded())
    this.code.byte(0x6a)
  }

  protected get units(): number {
    return this.fuel + 1
  }

  /** The code of the whole body, with its stack cost where that belongs. */
  protected finishCode(): Uint8Array {
    this.copyTo(this.request.reader.end)
    const code = this.code.view()
    for (const place of this.#costPlaces) patchPadded(code, place, this.#cost)
    return code
  }

  /**
   * Writes `block; block; fuel = … + 1; br_if 0 (fuel >= 0); units = … - cost; br_if 1 (units < 0); block <results>`, with
   * fuel and units from locals or globals.
   */
  protected writeHead(body: ByteWriter, get: number, fuel: number, units: number): void {
    const { module, type, blockTypes } = this.request
    body.bytes([0x02, 0x40, 0x02, 0x40])
    body.op(get, fuel)
    body.bytes([0x42, 1, 0x7c])
    body.op(opcode.localTee, this.fuel)
    body.bytes([0x42, 0, 0x59, 0x0d, 0])
    body.op(get, units)
    body.i32(this.#cost)
    body.byte(0x6b)
    body.op(opcode.localTee, this.units)
    body.bytes([0x41, 0, 0x48, 0x0d, 1, 0x02])
    blockTypes.write(body, module.types[type]!.results)
  }

  /** Writes what ends the run: `status = out of gas; unreachable; end; global = fuel + 8; status = stack limit; unreachable`. */
  protected writeStops(body: ByteWriter): void {
    // A function without any call has no check for an interrupt on entry, so that one which does nothing but call such
    // functions could hold its thread for minutes.
    body.op(opcode.call, this.request.safepoint)
    this.stop(body, stopped.outOfGas)
    body.byte(0x0b)
    this.save(prologueGas, body)
    this.stop(body, stopped.stackLimit)
  }

  /** Ends the run with a status that tells the host why. */
  protected stop(body: ByteWriter, status: number): void {
    body.i32(status)
    body.op(opcode.globalSet, this.request.globals.status)
    body.byte(0x00)
  }

  /** Copies the original up to a place. */
  protected copyTo(end: number): void {
    this.code.range(this.request.wasm, this.#copied, end)
    this.#copied = end
  }

  /** Leaves out the original up to a place. */
  protected skipTo(end: number): void {
    this.#copied = end
  }

  get #cost(): number {
    return stackCost(this.validator.localCount, this.validator.heightMax)
  }

  /** Writes the declarations of the locals, with some more behind the original ones. */
  protected writeLocals(body: ByteWriter, added: readonly ValueType[]): void {
    const { wasm, reader } = this.request
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

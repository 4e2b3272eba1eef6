import type { Module } from '../../../../protocol/wasm/module.ts'
import type { ValueType } from '../../../../protocol/wasm/operator-row.ts'
import type { WasmReader } from '../../../../protocol/wasm/reader.ts'
import { stackCost } from '../validation/stack-cost.ts'
import { BodyValidator } from '../validation/validator.ts'
import type { BlockTypes } from './block-types.ts'
import { ByteWriter } from './byte-writer.ts'
import type { NanKind } from './canonical-nan.ts'
import { addressableBytes, pagesMax } from './memory-bounds.ts'
import { type MeterGlobals, stopped } from './meter-state.ts'
import { type OperatorTraits, role, traitsOf } from './operator-traits.ts'
import { valueTypeByte } from './rewrite-module.ts'
import { writeSafepoint } from './safepoint.ts'
import { writeStatus } from './stop-code.ts'

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
export const prologueGas = 8
export const epilogueGas = 4

/**
 * Walks one function body, validates it, and writes it with its gas counted. Gas waits as *pending* while it is
 * known, and goes to the local `fuel` of the running activation where paths part or meet. What happens where other
 * activations or the host come in is decided by the two ways of metering.
 */
export abstract class MeteredBody {
  protected readonly request: BodyRequest
  protected readonly validator: BodyValidator
  protected readonly code = new ByteWriter()
  protected pending = prologueGas
  protected reachable = true
  /** Calls and returns have other types, so that code that cannot be reached must be rewritten too. */
  protected abstract readonly changesTypes: boolean
  /** Index of the local that counts. */
  protected abstract readonly fuel: number
  readonly #frames: Frame[] = []
  readonly #addressable: number
  /** Locals around a `memory.grow`: pages asked for, and what it answered. */
  #growth: { asked: number; answered: number } | undefined
  readonly #localsStart: number
  /** The original bytes before this place were copied or replaced. */
  #copied: number

  constructor(request: BodyRequest) {
    const { module, type, reader, declared } = request
    this.request = request
    this.#localsStart = reader.at
    this.validator = new BodyValidator(module, type, reader, declared)
    this.#copied = reader.at
    this.#addressable = addressableBytes(module)
    this.#frames.push({
      kind: 'function',
      headReachable: true,
      headPending: 0,
      branched: false,
      thenReachable: false,
    })
  }

  /** Before a call; its own gas is pending. */
  protected abstract beforeCall(indirect: boolean): void
  protected abstract afterCall(): void
  protected abstract beforeTailCall(indirect: boolean): void
  protected abstract beforeReturn(): void
  /** Before what ends the run and saves all gas. */
  protected abstract beforeTrap(): void
  /** Before an operator of reachable code: what it takes may be NaNs that are not canonical. */
  protected abstract beforeOperator(traits: OperatorTraits): void
  /** After an operator that may make a NaN, in reachable code. */
  protected abstract madeNan(kind: NanKind): void
  /** Before an operator on a local. */
  protected abstract local(): void
  /** What follows cannot be reached. */
  protected abstract left(): void
  /** Adds a local behind the others. @returns Its index. */
  protected abstract addLocal(type: ValueType): number
  protected abstract assemble(): Uint8Array

  write(): Uint8Array {
    const validator = this.validator
    while (!validator.done) {
      validator.next()
      const traits = traitsOf(validator.decoder.operator)
      if (this.reachable) this.beforeOperator(traits)
      this.#step(traits)
      validator.apply()
      this.#enter(traits)
      if (traits.makes !== null && this.reachable) this.madeNan(traits.makes)
    }
    return this.assemble()
  }

  /** Writes what comes before an operator, or in its place. */
  #step({ role: own, gas }: OperatorTraits): void {
    const { decoder } = this.validator
    this.pending += gas
    switch (own) {
      case role.plain:
        break
      case role.loop:
        return this.flush()
      case role.else:
        return this.#else()
      case role.end:
        return this.#end()
      case role.branch:
        this.flush()
        return this.#mark(decoder.index)
      case role.table:
        this.flush()
        for (const label of decoder.labels) this.#mark(label)
        return
      case role.return:
        return this.#at(() => this.beforeReturn())
      case role.unreachable:
        return this.#at(() => this.beforeTrap())
      case role.call:
        return this.#at(() => this.beforeCall(decoder.operator.name !== 'call'))
      case role.tailCall:
        return this.#at(() => this.beforeTailCall(decoder.operator.name !== 'return_call'))
      case role.local:
        return this.local()
      case role.grow:
        return this.#beforeGrowth()
      case role.bulk:
        return this.#beforeBulk()
      default:
        return
    }
    const { operator } = decoder
    if (operator.accessBytes > 0 && decoder.offset + operator.accessBytes > this.#addressable) {
      this.#at(() => this.beforeTrap())
      this.#leave()
    }
  }

  /** Runs what handles a place where gas becomes visible; where code cannot be reached only for the sake of types. */
  #at(handle: () => void): void {
    if (this.reachable || this.changesTypes) {
      this.copyTo(this.validator.decoder.start)
      handle()
    }
    this.pending = 0
  }

  /** Writes what comes after an operator, once the validator has stepped over it. */
  #enter({ role: own }: OperatorTraits): void {
    const { decoder, controls } = this.validator
    switch (own) {
      case role.open:
        return this.#open(decoder.operator.name as Frame['kind'])
      case role.loop:
        this.#open('loop')
        if (!this.reachable) return
        this.copyTo(decoder.end)
        // Every arrival at the header asks whether gas is left.
        this.localGet(this.fuel)
        this.code.bytes([0x42, 0, 0x59, 0x0d])
        this.code.u32(controls.length)
        return
      case role.call:
        if (!this.reachable && !this.changesTypes) return
        this.copyTo(decoder.end)
        return this.afterCall()
      case role.branch:
        if (decoder.operator.name === 'br') this.#leave()
        return
      case role.grow:
        return this.#afterGrowth()
      case role.table:
      case role.return:
      case role.tailCall:
      case role.unreachable:
        this.#leave()
    }
  }

  #beforeBulk(): void {
    if (!this.reachable) return
    this.copyTo(this.validator.decoder.start)
    writeSafepoint(this.code, this.request.safepoint)
  }

  #beforeGrowth(): void {
    if (!this.reachable) return
    this.#growth ??= { asked: this.addLocal('i32'), answered: this.addLocal('i32') }
    this.copyTo(this.validator.decoder.start)
    this.#localTee(this.#growth.asked)
  }

  /**
   * An engine answers -1 also when the machine has no memory to give. That is no answer of the guest, who would go on
   * in another way than on a machine that has.
   *
   *     if (answered == -1) if (asked <= most pages - memory.size) { status = no memory; unreachable }
   */
  #afterGrowth(): void {
    if (!this.reachable || this.#growth === undefined) return
    const { asked, answered } = this.#growth
    const { code, request } = this
    this.copyTo(this.validator.decoder.end)
    this.#localTee(answered)
    code.bytes([0x41, 0x7f, 0x46, 0x04, 0x40])
    this.localGet(asked)
    code.byte(0x41)
    code.signed(pagesMax(request.module))
    code.bytes([0x3f, 0x00, 0x6b, 0x4d, 0x04, 0x40])
    writeStatus(code, request.globals.status, stopped.noMemory)
    code.bytes([0x0b, 0x0b])
    this.localGet(answered)
  }

  #open(kind: Frame['kind']): void {
    this.#frames.push({
      kind,
      headReachable: this.reachable,
      headPending: this.pending,
      branched: false,
      thenReachable: false,
    })
  }

  #else(): void {
    const frame = this.#frames.at(-1)!
    this.flush()
    frame.kind = 'else'
    frame.thenReachable = this.reachable
    this.reachable = frame.headReachable
    this.pending = frame.headReachable ? frame.headPending : 0
  }

  #end(): void {
    const frame = this.#frames.pop()!
    const fallsThrough = this.reachable
    switch (frame.kind) {
      case 'loop':
        return
      case 'function':
      case 'block':
        if (!frame.branched) return
        this.flush()
        this.reachable = true
        return
      case 'else':
        this.flush()
        this.reachable = fallsThrough || frame.thenReachable || frame.branched
        return
      case 'if':
        this.flush()
        if (frame.headReachable && frame.headPending > 0) {
          // The missing arm: who skips the `if` still owes what was pending before it.
          this.copyTo(this.validator.decoder.start)
          this.code.byte(0x05)
          this.reachable = true
          this.pending = frame.headPending
          this.flush()
        }
        this.reachable = frame.headReachable || fallsThrough || frame.branched
        this.pending = 0
    }
  }

  #mark(label: number): void {
    if (this.reachable) this.#frames[this.#frames.length - 1 - label]!.branched = true
  }

  #leave(): void {
    this.left()
    this.reachable = false
    this.pending = 0
  }

  /** fuel += pending */
  protected flush(): void {
    const pending = this.pending
    this.pending = 0
    if (!this.reachable || pending === 0) return
    this.copyTo(this.validator.decoder.start)
    this.fuelPlus(pending)
    this.localSet(this.fuel)
  }

  /** Puts fuel and some gas more on the stack. */
  protected fuelPlus(gas: number): void {
    this.localGet(this.fuel)
    if (gas === 0) return
    this.code.byte(0x42)
    this.code.signed(gas)
    this.code.byte(0x7c)
  }

  protected localGet(index: number): void {
    this.code.byte(0x20)
    this.code.u32(index)
  }

  protected localSet(index: number): void {
    this.code.byte(0x21)
    this.code.u32(index)
  }

  #localTee(index: number): void {
    this.code.byte(0x22)
    this.code.u32(index)
  }

  protected globalSet(index: number): void {
    this.code.byte(0x24)
    this.code.u32(index)
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

  protected get cost(): number {
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

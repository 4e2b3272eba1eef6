import { opcode } from './byte-writer.ts'
import type { NanKind } from './canonical-nan.ts'
import { addressableBytes, pagesMax } from './memory-bounds.ts'
import { type BodyRequest, MeterCode, prologueGas } from './meter-code.ts'
import { stopped } from './meter-state.ts'
import { type OperatorTraits, role, traitsOf } from './operator-traits.ts'
import { RawNan } from './raw-nan.ts'
import { V8LimitExceeded } from './v8-limit.ts'

/**
 * The {@link BodyValidator.movedValues} of a function for which V8 takes some 100 MB while it compiles the function, and a part of a
 * second. Neither is bounded by the limits of the thread or ended by its clock.
 */
const movedValuesMax = 2 ** 22

/** The state of an open block that the counting needs. */
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

/**
 * Walks one function body, validates it, and writes it with its gas counted. Gas waits as *pending* while its sum is
 * known, and goes to the local `fuel` of the running activation where paths part or meet. The two ways of metering decide
 * how gas passes between activations, and to the host.
 */
export abstract class MeteredBody extends MeterCode {
  protected pending = prologueGas
  protected reachable = true
  /** Calls and returns have other types, so that code that cannot be reached must be rewritten too. */
  protected abstract readonly changesTypes: boolean
  /** Null if NaNs are not made canonical. */
  protected readonly raw: RawNan | null
  readonly #frames: Frame[] = []
  readonly #addressable: number
  /** Locals around a `memory.grow`: the pages asked for, and its result. */
  #growth: { asked: number; answered: number } | undefined

  constructor(request: BodyRequest, canonical: boolean) {
    super(request)
    this.#addressable = addressableBytes(request.module)
    this.raw = canonical ? new RawNan((type) => this.temporary(type)) : null
    this.#open('function')
  }

  /** Before a call; its own gas is pending. */
  protected abstract beforeCall(indirect: boolean): void
  protected abstract afterCall(): void
  protected abstract beforeTailCall(indirect: boolean): void
  protected abstract beforeReturn(): void
  protected abstract assemble(): Uint8Array

  /** Before an operator of reachable code: what it takes may be NaNs that are not canonical. */
  protected beforeOperator({ insensitiveTo }: OperatorTraits): void {
    const kind = this.raw?.taken(insensitiveTo)
    if (kind == null) return
    this.copyTo(this.validator.decoder.start)
    this.raw?.write(this.code, kind)
  }

  /** After an operator that may make a NaN, in reachable code. */
  protected madeNan(kind: NanKind): void {
    this.raw?.made(kind)
  }

  /** Before an operator on a local. */
  protected local(): void {}

  /** The code that follows cannot be reached. */
  protected left(): void {
    this.raw?.forget()
  }

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
    if (validator.movedValues > movedValuesMax)
      throw new V8LimitExceeded(
        'the module is beyond the memory of the native engine; the interpreter can run it',
      )
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
        return this.#at(() => this.save(this.pending))
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
      this.#at(() => this.save(this.pending))
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
        this.code.op(opcode.localGet, this.fuel)
        this.code.bytes([0x42, 0, 0x59])
        this.code.op(opcode.branchIf, controls.length)
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
    this.code.op(opcode.call, this.request.safepoint)
  }

  #beforeGrowth(): void {
    if (!this.reachable) return
    this.#growth ??= { asked: this.addLocal('i32'), answered: this.addLocal('i32') }
    this.copyTo(this.validator.decoder.start)
    this.code.op(opcode.localTee, this.#growth.asked)
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
    code.op(opcode.localTee, answered)
    code.bytes([0x41, 0x7f, 0x46, 0x04, 0x40])
    code.op(opcode.localGet, asked)
    code.i32(pagesMax(request.module))
    code.bytes([0x3f, 0x00, 0x6b, 0x4d, 0x04, 0x40])
    this.stop(code, stopped.noMemory)
    code.bytes([0x0b, 0x0b])
    code.op(opcode.localGet, answered)
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
    this.code.op(opcode.localSet, this.fuel)
  }
}

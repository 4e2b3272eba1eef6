import type { ValueType } from '../../../../protocol/wasm/operator-row.ts'
import { ByteWriter, opcode } from './byte-writer.ts'
import { type NanKind, nanBits } from './canonical-nan.ts'
import { type BodyRequest, epilogueGas } from './meter-code.ts'
import { stopped } from './meter-state.ts'
import { MeteredBody } from './metered-body.ts'
import { NanDataFlow, type Observation } from './nan-data-flow.ts'
import { NanSums } from './nan-sums.ts'
import { type OperatorTraits, role } from './operator-traits.ts'

/** The properties of a rewritten module that its bodies need. */
export interface OptimisticShape {
  readonly importedFunctions: number
  /** Type of a function with gas and units besides its own parameters and results. */
  readonly countedType: (type: number) => number
  readonly nans: NanHandling
}

/** Whether NaNs are looked for, which makes it necessary to repeat a run that meets one, or made canonical. */
export type NanHandling = 'observed' | 'canonical'

/** Kinds of NaNs a local can hold. */
const kindsByType: Partial<Record<ValueType, number>> = {
  f32: nanBits.f32,
  f64: nanBits.f64,
  v128: nanBits.f32x4 | nanBits.f64x2,
}

/**
 * Writes one function body for speed. Gas and stack units go from function to function as parameters and come back as
 * results, so that nothing is written to memory on the way; they reach the globals only before a function of the host
 * and where the run ends. A trap therefore leaves no exact gas behind. Code that observes NaNs does not make them
 * canonical: each value that could tell one NaN from another is added to a sum, which a NaN turns into a NaN for good and
 * which is checked when the function returns. After a trap or a NaN, the host repeats the run with exact metering.
 *
 *     block $repeat
 *       block $stack
 *         block $gas
 *           fuel = fuel + 1;                   br_if $gas   (fuel >= 0)
 *           units = units - cost;              br_if $stack (units < 0)
 *           block <results> body end
 *           br_if $repeat (sum is a NaN);      return results, fuel + pending + 4
 *         end
 *         status = out of gas;                 unreachable
 *       end
 *       global = fuel + 8; status = stack limit; unreachable
 *     end
 *     status = repeat; unreachable
 */
export class OptimisticBody extends MeteredBody {
  /** Operators so far that may make a NaN. */
  nanOperators = 0
  protected readonly changesTypes = true
  protected readonly fuel: number
  readonly #shape: OptimisticShape
  readonly #params: number
  readonly #sums = new NanSums(
    (type) => this.addLocal(type),
    (type) => this.temporary(type),
  )
  /** Local for the index of an indirect call, or -1. */
  #index = -1
  readonly #nans = new NanDataFlow()
  /** Places in the code so far where sums are checked, with the labels around the body. */
  readonly #checks: { at: number; depth: number }[] = []

  constructor(request: BodyRequest, shape: OptimisticShape) {
    super(request, shape.nans === 'canonical')
    this.#shape = shape
    this.#params = request.module.types[request.type]!.params.length
    this.fuel = this.#params
  }

  /** Whether a NaN could make it necessary to repeat the run. */
  get observesNan(): boolean {
    return this.#sums.used
  }

  /** Gas and units lie behind the parameters: what was declared there moves up. */
  protected override local(): void {
    const { decoder, height } = this.validator
    const { index } = decoder
    if (index >= this.#params) {
      this.copyTo(decoder.start + 1)
      this.code.u32(index + 2)
      this.skipTo(decoder.end)
    }
    if (!this.reachable || this.raw !== null) return
    if (decoder.operator.name !== 'local.get')
      return this.#nans.stored(height - 1, index, decoder.operator.name === 'local.tee')
    const kinds = kindsByType[this.validator.localType(index)]
    if (kinds === undefined) return
    this.copyTo(decoder.end)
    this.#nans.read(index, kinds, height, this.code.length)
  }

  protected override madeNan(kind: NanKind): void {
    this.nanOperators += 1
    // If NaNs are made canonical, they need not be observed.
    if (this.raw !== null) return super.madeNan(kind)
    this.copyTo(this.validator.decoder.end)
    this.#nans.computed(kind, this.validator.height - 1, this.code.length)
  }

  protected override beforeOperator(traits: OperatorTraits): void {
    if (this.raw !== null) return super.beforeOperator(traits)
    const { role: own, pops, insensitiveTo } = traits
    if (own === role.local) return
    const { decoder, height } = this.validator
    if (pops >= 0) this.#nans.taken(height - pops, insensitiveTo)
    else if (decoder.operator.name === 'drop') this.#nans.dropped(height - 1)
    else if (decoder.operator.name !== 'global.get' && decoder.operator.name !== 'nop') this.#nans.allSeen()
  }

  protected override left(): void {
    super.left()
    this.#nans.forget()
  }

  protected beforeReturn(): void {
    this.#check()
    this.fuelPlus(this.pending + epilogueGas)
  }

  protected beforeCall(indirect: boolean): void {
    const { globals } = this.request
    const { index } = this.validator.decoder
    if (!indirect && index < this.#shape.importedFunctions) {
      this.save(this.pending)
      this.code.op(opcode.localGet, this.units)
      this.code.op(opcode.globalSet, globals.budget)
      return
    }
    if (indirect) this.#stashElement()
    this.fuelPlus(this.pending)
    this.code.op(opcode.localGet, this.units)
    if (indirect) this.#unstashElement()
  }

  /** The index into the table is on top of the parameters, but comes after gas and units. */
  #stashElement(): void {
    if (this.#index < 0) this.#index = this.addLocal('i32')
    this.code.op(opcode.localSet, this.#index)
  }

  /** Writes the rest of an indirect call up to its type, with the type that has gas and units. */
  #unstashElement(): void {
    const { decoder } = this.validator
    this.code.op(opcode.localGet, this.#index)
    this.code.op(decoder.operator.code, this.#shape.countedType(decoder.index))
    this.code.u32(decoder.second)
    this.skipTo(decoder.end)
  }

  protected afterCall(): void {
    const { decoder } = this.validator
    if (decoder.operator.name === 'call' && decoder.index < this.#shape.importedFunctions)
      this.code.op(opcode.globalGet, this.request.globals.fuel)
    this.code.op(opcode.localSet, this.fuel)
  }

  protected beforeTailCall(indirect: boolean): void {
    const { decoder } = this.validator
    this.#check()
    if (!indirect && decoder.index < this.#shape.importedFunctions) {
      // A host function has its own types, without gas: it is called, and its results are returned.
      const { globals } = this.request
      this.save(this.pending + epilogueGas)
      this.unitsBack()
      this.code.op(opcode.globalSet, globals.budget)
      this.code.op(opcode.call, decoder.index)
      this.code.op(opcode.globalGet, globals.fuel)
      this.code.byte(0x0f)
      this.skipTo(decoder.end)
      return
    }
    if (indirect) this.#stashElement()
    this.fuelPlus(this.pending + epilogueGas)
    this.unitsBack()
    if (indirect) this.#unstashElement()
  }

  #check(): void {
    this.#checks.push({ at: this.code.length, depth: this.validator.controls.length })
  }

  protected assemble(): Uint8Array {
    const code = this.finishCode()
    const observations = this.#nans.observations()
    this.#sums.prepare(observations)
    const body = new ByteWriter()
    this.writeLocals(body, this.added)
    const observes = this.observesNan
    if (observes) body.bytes([0x02, 0x40])
    this.writeHead(body, opcode.localGet, this.fuel, this.units)
    this.#writeObserved(body, code, observations)
    if (this.reachable) {
      if (observes) this.#sums.writeCheck(body, 2)
      this.fuelPlus(this.pending + epilogueGas, body)
      body.byte(0x0f)
    } else body.byte(0x00)
    body.byte(0x0b)
    this.writeStops(body)
    if (observes) {
      body.byte(0x0b)
      this.stop(body, stopped.repeat)
    }
    body.byte(0x0b)
    return body.view()
  }

  /** Copies the code with observations and checks where they belong. */
  #writeObserved(body: ByteWriter, code: Uint8Array, observations: readonly Observation[]): void {
    let copied = 0
    let next = 0
    const observeUpTo = (at: number): void => {
      for (; next < observations.length && observations[next]!.at <= at; next++) {
        body.range(code, copied, observations[next]!.at)
        copied = observations[next]!.at
        this.#sums.writeObservation(body, observations[next]!.kinds)
      }
    }
    if (observations.length > 0)
      for (const { at, depth } of this.#checks) {
        observeUpTo(at)
        body.range(code, copied, at)
        this.#sums.writeCheck(body, depth + 2)
        copied = at
      }
    observeUpTo(code.length)
    body.range(code, copied, code.length)
  }
}

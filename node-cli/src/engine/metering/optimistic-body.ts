import type { ValueType } from '../../../../protocol/wasm/operator-row.ts'
import { ByteWriter } from './byte-writer.ts'
import type { NanKind } from './canonical-nan.ts'
import { stopped } from './meter-state.ts'
import {
  type BodyRequest,
  epilogueGas,
  MeteredBody,
  patchPadded,
  prologueGas,
  role,
  type Traits,
  writeOutOfGas,
  writeStatus,
} from './metered-body.ts'
import { NanDataFlow, nanBits, type Observation } from './nan-data-flow.ts'

/** Where the functions that the writing of a module adds or moves are found. */
export interface OptimisticShape {
  readonly importedFunctions: number
  /** Type of a function with gas and units besides its own parameters and results. */
  readonly countedType: (type: number) => number
}

/** The kinds of sums, with the type of their local, addition, and the test whether one is a NaN. */
const sums: readonly {
  readonly kind: NanKind
  readonly type: ValueType
  readonly add: readonly number[]
  readonly isNan: readonly number[]
}[] = [
  { kind: 'f32', type: 'f32', add: [0x92], isNan: [0x5c] },
  { kind: 'f64', type: 'f64', add: [0xa0], isNan: [0x62] },
  { kind: 'f32x4', type: 'v128', add: [0xfd, 0xe4, 0x01], isNan: [0xfd, 0x42, 0xfd, 0x53] },
  { kind: 'f64x2', type: 'v128', add: [0xfd, 0xf0, 0x01], isNan: [0xfd, 0x48, 0xfd, 0x53] },
]
/** Kinds of NaNs a local can hold. */
const kindsByType: Partial<Record<ValueType, number>> = {
  f32: nanBits.f32,
  f64: nanBits.f64,
  v128: nanBits.f32x4 | nanBits.f64x2,
}
/** Sums of one kind: one would make every observed value wait for the one before. */
const sumsPerKind = 3

/**
 * Writes one function body for speed. Gas and stack units go from function to function as parameters and come back as
 * results, so that nothing is written to memory on the way; they reach the globals only before a function of the host
 * and where the run ends. A trap therefore leaves no exact gas behind. Nor is a NaN made canonical: whatever could tell
 * one NaN from another is added to a sum, which a NaN turns into a NaN for good and which is looked at when the function
 * returns. In both cases the run is of no worth, and the host repeats it with exact metering.
 *
 *     block $again
 *       block $stack
 *         block $gas
 *           fuel = fuel + 1;                   br_if $gas   (fuel >= 0)
 *           units = units - cost;              br_if $stack (units < 0)
 *           block <results> body end
 *           br_if $again (sum is a NaN);       return results, fuel + pending + 4
 *         end
 *         status = out of gas;                 unreachable
 *       end
 *       global = fuel + 8; status = stack limit; unreachable
 *     end
 *     status = again; unreachable
 */
export class OptimisticBody extends MeteredBody {
  protected readonly changesTypes = true
  protected readonly fuel: number
  readonly #shape: OptimisticShape
  readonly #params: number
  readonly #units: number
  /** The first local that is added behind the original ones. */
  readonly #firstAdded: number
  readonly #added: ValueType[] = []
  /** Locals of the sums of each kind, and which comes next. */
  readonly #sums = sums.map((): { locals: number[]; next: number } => ({ locals: [], next: 0 }))
  readonly #temporaries = new Map<ValueType, number>()
  /** Local for the index of an indirect call, or -1. */
  #index = -1
  readonly #nans = new NanDataFlow()
  /** Places where sums are looked at, in the code so far, with the labels around the body. */
  readonly #checks: { at: number; depth: number }[] = []
  readonly #costPlaces: number[] = []

  constructor(request: BodyRequest, shape: OptimisticShape) {
    super(request)
    this.#shape = shape
    this.#params = request.module.types[request.type]!.params.length
    this.fuel = this.#params
    this.#units = this.fuel + 1
    this.#firstAdded = this.validator.localCount + 2
  }

  /** Whether a NaN could make the run worthless. */
  get observesNan(): boolean {
    return this.#sums.some(({ locals }) => locals.length > 0)
  }

  protected addLocal(type: ValueType): number {
    this.#added.push(type)
    return this.#firstAdded + this.#added.length - 1
  }

  /** Gas and units lie behind the parameters: what was declared there moves up. */
  protected local(): void {
    const { decoder, height } = this.validator
    const { index } = decoder
    if (index >= this.#params) {
      this.copyTo(decoder.start + 1)
      this.code.u32(index + 2)
      this.skipTo(decoder.end)
    }
    if (!this.reachable) return
    if (decoder.operator.name !== 'local.get')
      return this.#nans.stored(height - 1, index, decoder.operator.name === 'local.tee')
    const kinds = kindsByType[this.validator.localType(index)]
    if (kinds === undefined) return
    this.copyTo(decoder.end)
    this.#nans.read(index, kinds, height, this.code.length)
  }

  protected madeNan(kind: NanKind): void {
    this.copyTo(this.validator.decoder.end)
    this.#nans.computed(kind, this.validator.height - 1, this.code.length)
  }

  protected beforeOperator({ role: own, pops, insensitiveTo }: Traits): void {
    if (own === role.local) return
    const { decoder, height } = this.validator
    if (pops >= 0) this.#nans.taken(height - pops, insensitiveTo)
    else if (decoder.operator.name === 'drop') this.#nans.dropped(height - 1)
    else if (decoder.operator.name !== 'global.get' && decoder.operator.name !== 'nop') this.#nans.allSeen()
  }

  protected left(): void {
    this.#nans.forget()
  }

  /** Adds the value on top of the stack to a sum of its kind. */
  #observe(body: ByteWriter, kinds: number): void {
    for (const [which, { kind, type, add }] of sums.entries()) {
      if ((kinds & nanBits[kind]) === 0) continue
      const { locals } = this.#sums[which]!
      const sum = locals[this.#sums[which]!.next++ % locals.length]!
      const value = this.#temporary(type)
      body.byte(0x22)
      body.u32(value)
      body.byte(0x20)
      body.u32(value)
      body.byte(0x20)
      body.u32(sum)
      body.bytes(add)
      body.byte(0x21)
      body.u32(sum)
    }
  }

  /** Gives each kind of observation its sums; what they are is known only when the whole body is. */
  #prepareSums(observations: readonly Observation[]): void {
    for (const { kinds } of observations)
      for (const [which, { kind, type }] of sums.entries()) {
        if ((kinds & nanBits[kind]) === 0) continue
        const { locals } = this.#sums[which]!
        if (locals.length < sumsPerKind) locals.push(this.addLocal(type))
        this.#temporary(type)
      }
  }

  #temporary(type: ValueType): number {
    const known = this.#temporaries.get(type)
    if (known !== undefined) return known
    const made = this.addLocal(type)
    this.#temporaries.set(type, made)
    return made
  }

  protected beforeTrap(): void {
    this.fuelPlus(this.pending)
    this.globalSet(this.request.globals.fuel)
  }

  protected beforeReturn(): void {
    this.#check()
    this.fuelPlus(this.pending + epilogueGas)
  }

  protected beforeCall(indirect: boolean): void {
    const { globals } = this.request
    const { index } = this.validator.decoder
    if (!indirect && index < this.#shape.importedFunctions) {
      this.fuelPlus(this.pending)
      this.globalSet(globals.fuel)
      this.localGet(this.#units)
      this.globalSet(globals.budget)
      return
    }
    if (indirect) this.#stashElement()
    this.fuelPlus(this.pending)
    this.localGet(this.#units)
    if (indirect) this.#unstashElement()
  }

  /** The index into the table is on top of the parameters, but comes after gas and units. */
  #stashElement(): void {
    if (this.#index < 0) this.#index = this.addLocal('i32')
    this.localSet(this.#index)
  }

  /** Writes the rest of an indirect call up to its type, with the type that has gas and units. */
  #unstashElement(): void {
    const { decoder } = this.validator
    this.localGet(this.#index)
    this.code.byte(decoder.operator.code)
    this.code.u32(this.#shape.countedType(decoder.index))
    this.code.u32(decoder.second)
    this.skipTo(decoder.end)
  }

  protected afterCall(): void {
    const { decoder } = this.validator
    if (decoder.operator.name === 'call' && decoder.index < this.#shape.importedFunctions) {
      this.code.byte(0x23)
      this.code.u32(this.request.globals.fuel)
    }
    this.localSet(this.fuel)
  }

  protected beforeTailCall(indirect: boolean): void {
    const { decoder } = this.validator
    this.#check()
    if (!indirect && decoder.index < this.#shape.importedFunctions) {
      // A host function has its own results: it is called, and what it leaves is returned.
      const { globals } = this.request
      this.fuelPlus(this.pending + epilogueGas)
      this.globalSet(globals.fuel)
      this.#unitsBack()
      this.globalSet(globals.budget)
      this.code.byte(0x10)
      this.code.u32(decoder.index)
      this.code.byte(0x23)
      this.code.u32(globals.fuel)
      this.code.byte(0x0f)
      this.skipTo(decoder.end)
      return
    }
    if (indirect) this.#stashElement()
    this.fuelPlus(this.pending + epilogueGas)
    this.#unitsBack()
    if (indirect) this.#unstashElement()
  }

  /** The units of this activation go on to what it calls last. */
  #unitsBack(): void {
    this.localGet(this.#units)
    this.code.byte(0x41)
    this.#costPlaces.push(this.code.length)
    this.code.bytes([0x80, 0x80, 0x80, 0x80, 0x00])
    this.code.byte(0x6a)
  }

  #check(): void {
    this.#checks.push({ at: this.code.length, depth: this.validator.controls.length })
  }

  protected assemble(): Uint8Array {
    const { module, type, reader, blockTypes, globals } = this.request
    const { cost } = this
    this.copyTo(reader.end)
    const code = this.code.view()
    for (const place of this.#costPlaces) patchPadded(code, place, cost)

    const observations = this.#nans.observations()
    this.#prepareSums(observations)
    const body = new ByteWriter()
    this.writeLocals(body, this.#added)
    const observes = this.observesNan
    if (observes) body.bytes([0x02, 0x40])
    // block; block; fuel = fuel + 1; br_if 0 (fuel >= 0)
    body.bytes([0x02, 0x40, 0x02, 0x40, 0x20])
    body.u32(this.fuel)
    body.bytes([0x42, 1, 0x7c, 0x22])
    body.u32(this.fuel)
    body.bytes([0x42, 0, 0x59, 0x0d, 0])
    // units = units - cost; br_if 1 (units < 0)
    body.byte(0x20)
    body.u32(this.#units)
    body.byte(0x41)
    body.signed(cost)
    body.bytes([0x6b, 0x22])
    body.u32(this.#units)
    body.bytes([0x41, 0, 0x48, 0x0d, 1])
    body.byte(0x02)
    blockTypes.write(body, module.types[type]!.results)
    this.#writeObserved(body, code, observations)
    if (this.reachable) {
      if (observes) this.#writeCheck(body, 2)
      body.byte(0x20)
      body.u32(this.fuel)
      body.byte(0x42)
      body.signed(this.pending + epilogueGas)
      body.bytes([0x7c, 0x0f])
    } else body.byte(0x00)
    body.byte(0x0b)
    writeOutOfGas(body, this.request)
    body.byte(0x0b)
    body.byte(0x20)
    body.u32(this.fuel)
    body.bytes([0x42, prologueGas, 0x7c, 0x24])
    body.u32(globals.fuel)
    writeStatus(body, globals.status, stopped.stackLimit)
    if (observes) {
      body.byte(0x0b)
      writeStatus(body, globals.status, stopped.repeat)
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
        this.#observe(body, observations[next]!.kinds)
      }
    }
    if (observations.length > 0)
      for (const { at, depth } of this.#checks) {
        observeUpTo(at)
        body.range(code, copied, at)
        this.#writeCheck(body, depth + 2)
        copied = at
      }
    observeUpTo(code.length)
    body.range(code, copied, code.length)
  }

  #writeCheck(body: ByteWriter, label: number): void {
    for (const [which, { locals }] of this.#sums.entries())
      for (const sum of locals) {
        body.byte(0x20)
        body.u32(sum)
        body.byte(0x20)
        body.u32(sum)
        body.bytes(sums[which]!.isNan)
        body.byte(0x0d)
        body.u32(label)
      }
  }
}

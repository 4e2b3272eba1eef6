import type { ValueType } from '../../../../protocol/wasm/operator-row.ts'
import { ByteWriter, patchPadded } from './byte-writer.ts'
import type { NanKind } from './canonical-nan.ts'
import { stopped } from './meter-state.ts'
import { type BodyRequest, epilogueGas, MeteredBody, prologueGas } from './metered-body.ts'
import type { OperatorTraits } from './operator-traits.ts'
import { RawNan } from './raw-nan.ts'
import { writeOutOfGas, writeStatus } from './stop-code.ts'

/**
 * Writes one function body so that the gas it reports is exact whatever happens. Consumption is saved in a global where
 * the rules make it visible, so that a trap reports what was saved before it.
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
export class ExactBody extends MeteredBody {
  protected readonly changesTypes = false
  protected readonly fuel: number
  readonly #units: number
  readonly #added: ValueType[] = []
  /** Where the stack cost of this function must be written, once it is known. */
  readonly #costPlaces: number[] = []
  readonly #raw = new RawNan((type) => this.addLocal(type))

  constructor(request: BodyRequest) {
    super(request)
    this.fuel = this.validator.localCount
    this.#units = this.fuel + 1
  }

  protected madeNan(kind: NanKind): void {
    this.#raw.made(kind)
  }

  protected beforeOperator({ insensitiveTo }: OperatorTraits): void {
    const kind = this.#raw.taken(insensitiveTo)
    if (kind === null) return
    this.copyTo(this.validator.decoder.start)
    this.#raw.write(this.code, kind)
  }

  protected left(): void {
    this.#raw.forget()
  }

  protected local(): void {}

  protected addLocal(type: ValueType): number {
    this.#added.push(type)
    return this.#units + this.#added.length
  }

  protected beforeTrap(): void {
    this.#save(0)
  }

  protected beforeReturn(): void {
    this.#save(epilogueGas)
  }

  protected beforeCall(): void {
    this.#save(0)
    this.localGet(this.#units)
    this.globalSet(this.request.globals.budget)
  }

  protected afterCall(): void {
    this.code.byte(0x23)
    this.code.u32(this.request.globals.fuel)
    this.localSet(this.fuel)
  }

  /** A tail call gives the units of this activation to its callee. */
  protected beforeTailCall(): void {
    this.#save(epilogueGas)
    this.localGet(this.#units)
    this.code.byte(0x41)
    this.#costPlaces.push(this.code.padded())
    this.code.byte(0x6a)
    this.globalSet(this.request.globals.budget)
  }

  /** global = fuel + pending + extra */
  #save(extra: number): void {
    this.fuelPlus(this.pending + extra)
    this.globalSet(this.request.globals.fuel)
  }

  protected assemble(): Uint8Array {
    const { module, type, reader, blockTypes, globals } = this.request
    const { cost } = this
    this.copyTo(reader.end)
    const code = this.code.view()
    for (const place of this.#costPlaces) patchPadded(code, place, cost)

    const body = new ByteWriter()
    this.writeLocals(body, ['i64', 'i32', ...this.#added])
    // block; block; fuel = global + 1; br_if 0 (fuel >= 0)
    body.bytes([0x02, 0x40, 0x02, 0x40, 0x23])
    body.u32(globals.fuel)
    body.bytes([0x42, 1, 0x7c, 0x22])
    body.u32(this.fuel)
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
    if (this.reachable) this.#writeSave(body, this.pending + epilogueGas)
    body.bytes([0x0f, 0x0b])
    writeOutOfGas(body, globals, this.request.safepoint)
    body.byte(0x0b)
    this.#writeSave(body, prologueGas)
    writeStatus(body, globals.status, stopped.stackLimit)
    body.byte(0x0b)
    return body.view()
  }

  #writeSave(body: ByteWriter, gas: number): void {
    body.byte(0x20)
    body.u32(this.fuel)
    body.byte(0x42)
    body.signed(gas)
    body.bytes([0x7c, 0x24])
    body.u32(this.request.globals.fuel)
  }
}

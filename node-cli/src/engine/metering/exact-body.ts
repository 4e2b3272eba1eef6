import { ByteWriter, opcode } from './byte-writer.ts'
import { type BodyRequest, epilogueGas } from './meter-code.ts'
import { MeteredBody } from './metered-body.ts'

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

  constructor(request: BodyRequest) {
    super(request, true)
    this.fuel = this.validator.localCount
  }

  protected beforeReturn(): void {
    this.save(this.pending + epilogueGas)
  }

  protected beforeCall(): void {
    this.save(this.pending)
    this.code.op(opcode.localGet, this.units)
    this.code.op(opcode.globalSet, this.request.globals.budget)
  }

  protected afterCall(): void {
    this.code.op(opcode.globalGet, this.request.globals.fuel)
    this.code.op(opcode.localSet, this.fuel)
  }

  /** A tail call gives the units of this activation to its callee. */
  protected beforeTailCall(): void {
    this.beforeReturn()
    this.unitsBack()
    this.code.op(opcode.globalSet, this.request.globals.budget)
  }

  protected assemble(): Uint8Array {
    const { fuel, budget } = this.request.globals
    const code = this.finishCode()
    const body = new ByteWriter()
    this.writeLocals(body, ['i64', 'i32', ...this.added])
    this.writeHead(body, opcode.globalGet, fuel, budget)
    body.bytes(code)
    if (this.reachable) this.save(this.pending + epilogueGas, body)
    body.bytes([0x0f, 0x0b])
    this.writeStops(body)
    body.byte(0x0b)
    return body.view()
  }
}

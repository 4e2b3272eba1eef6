import type { ValueType } from '../../../../protocol/wasm/operator-row.ts'
import type { ByteWriter } from './byte-writer.ts'
import { type NanKind, nanBits, writeCanonical } from './canonical-nan.ts'

/**
 * The value on top of the operand stack while it may be a NaN that is not canonical. It goes on raw to an operator that
 * cannot tell it from the canonical one, and is made canonical before every other.
 */
export class RawNan {
  readonly #addLocal: (type: ValueType) => number
  readonly #temporaries = new Map<ValueType, number>()
  #kind: NanKind | null = null

  /** @param addLocal Adds a local to the function. @returns Its index. */
  constructor(addLocal: (type: ValueType) => number) {
    this.#addLocal = addLocal
  }

  /** A value was computed that may be a NaN of a kind. */
  made(kind: NanKind): void {
    this.#kind = kind
  }

  /** What follows cannot be reached. */
  forget(): void {
    this.#kind = null
  }

  /**
   * The next operator takes what there is.
   *
   * @returns The kind of the value that must be made canonical before it, or null.
   */
  taken(insensitiveTo: number): NanKind | null {
    const kind = this.#kind
    this.#kind = null
    return kind === null || (insensitiveTo & nanBits[kind]) !== 0 ? null : kind
  }

  /** Makes the value on top of the stack canonical. */
  write(code: ByteWriter, kind: NanKind): void {
    const type: ValueType = kind === 'f32' || kind === 'f64' ? kind : 'v128'
    let temporary = this.#temporaries.get(type)
    if (temporary === undefined) {
      temporary = this.#addLocal(type)
      this.#temporaries.set(type, temporary)
    }
    writeCanonical(code, kind, temporary)
  }
}

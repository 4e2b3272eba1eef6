import type { ValueType } from '../../../../protocol/wasm/operator-row.ts'
import type { ByteWriter } from './byte-writer.ts'
import { type NanKind, nanBits, writeCanonical } from './canonical-nan.ts'

/**
 * The value on top of the operand stack while it may be a NaN that is not canonical. It goes on raw to an operator that
 * cannot tell it from the canonical one, and is made canonical before every other.
 */
export class RawNan {
  readonly #temporary: (type: ValueType) => number
  #kind: NanKind | null = null

  /** @param temporary The index of the local that the function has for any value of a type. */
  constructor(temporary: (type: ValueType) => number) {
    this.#temporary = temporary
  }

  /** A value was computed that may be a NaN of a kind. */
  made(kind: NanKind): void {
    this.#kind = kind
  }

  /** The code that follows cannot be reached. */
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
    writeCanonical(code, kind, this.#temporary(kind === 'f32' || kind === 'f64' ? kind : 'v128'))
  }
}

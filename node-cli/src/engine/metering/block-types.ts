import type { FunctionType } from '../../../../protocol/wasm/module.ts'
import type { ValueType } from '../../../../protocol/wasm/operator-row.ts'
import type { ByteWriter } from './byte-writer.ts'
import { valueTypeByte } from './rewrite-module.ts'

/** Block types that give a function's results; those of two or more get a type of their own, in order of first use. */
export class BlockTypes {
  readonly #added: (readonly ValueType[])[] = []
  readonly #first: number
  readonly #indices = new Map<string, number>()

  /** @param first Index of the first type that is added. */
  constructor(first: number) {
    this.#first = first
  }

  /** The types that are added, in order. */
  types(): FunctionType[] {
    return this.#added.map((results) => ({ params: [], results }))
  }

  write(output: ByteWriter, results: readonly ValueType[]): void {
    if (results.length === 0) output.byte(0x40)
    else if (results.length === 1) output.byte(valueTypeByte(results[0]!))
    else output.signed(this.#indexOf(results))
  }

  #indexOf(results: readonly ValueType[]): number {
    const key = results.join()
    const known = this.#indices.get(key)
    if (known !== undefined) return known
    const index = this.#first + this.#added.length
    this.#indices.set(key, index)
    this.#added.push(results)
    return index
  }
}

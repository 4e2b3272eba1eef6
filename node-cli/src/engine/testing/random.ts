/** A repeatable source of choices. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed * 2_654_435_761 + 1
  }

  next(): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) | 0
    let mixed = this.#state ^ (this.#state >>> 15)
    mixed = Math.imul(mixed, 0x2c1b3c6d)
    return (mixed ^ (mixed >>> 13)) >>> 0
  }

  below(count: number): number {
    return this.next() % count
  }

  chance(percent: number): boolean {
    return this.below(100) < percent
  }

  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)]!
  }
}

export const numberTypes = ['i32', 'i64', 'f32', 'f64', 'v128'] as const
export type NumberType = (typeof numberTypes)[number]

const floats = '0 -0 1 -1.5 inf -inf nan -nan nan:0x200000 1e30 -3e-40 2147483648'.split(' ')

/** A constant, most of the time one at an edge of its type. */
export function randomConstant(type: NumberType, random: Random): string {
  switch (type) {
    case 'i32':
      return `(i32.const ${random.pick([0, 1, -1, 2, 31, 255, -2147483648, 2147483647, random.next() | 0])})`
    case 'i64':
      return `(i64.const ${random.pick(['0', '1', '-1', '63', '-9223372036854775808', '9223372036854775807', String(random.next())])})`
    case 'f32':
    case 'f64':
      return `(${type}.const ${random.pick(floats)})`
    case 'v128':
      return `(v128.const i32x4 ${Array.from({ length: 4 }, () => random.pick([0, -1, 0x7fc00001, 0x3f800000, random.next() | 0])).join(' ')})`
  }
}

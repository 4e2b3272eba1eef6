import { type Hex, hexToBytes, keccak256 } from 'viem'

/** The bits that a value, an address or a topic, sets in the bloom filter of its block. */
export function bloomBits(value: string): readonly number[] {
  const hash = hexToBytes(keccak256(value as Hex))
  return [0, 2, 4].map((at) => (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 2047)
}

/** Whether a block's bloom filter, 512 hexadecimal digits with the lowest bits last, may contain the value. It never denies one that is there. */
export const bloomMayContain = (bloom: string, bits: readonly number[]): boolean =>
  bits.every((bit) => {
    const digit = Number.parseInt(bloom.charAt(bloom.length - 1 - (bit >> 2)), 16)
    return ((digit >> (bit & 3)) & 1) === 1
  })

export type BitsOf = ReadonlyMap<string, readonly number[]>

export const bitsOf = (values: Iterable<string>): BitsOf =>
  new Map([...values].map((value) => [value, bloomBits(value)]))

export const bloomNames = (bloom: string, values: BitsOf): boolean =>
  [...values.values()].some((bits) => bloomMayContain(bloom, bits))

/** How likely a filter that is as full as this one names one of `values` values by accident, from 0 to 1. */
export function chanceOfNaming(bloom: string, values: number): number {
  const digits = [...bloom.replace(/^0x/, '')]
  const ones = digits.reduce((sum, digit) => sum + (bitsOfDigit[Number.parseInt(digit, 16)] ?? 0), 0)
  return 1 - (1 - (ones / 2_048) ** 3) ** values
}

const bitsOfDigit = [0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4]

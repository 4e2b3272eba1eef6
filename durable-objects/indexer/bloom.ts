import { type Hex, hexToBytes, keccak256 } from 'viem'

/** The bits that a value, an address or a topic, sets in the bloom filter of its block. */
export function bloomBits(value: string): readonly number[] {
  const hash = hexToBytes(keccak256(value as Hex))
  return [0, 2, 4].map((at) => (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 2047)
}

/**
 * Whether a block's bloom filter may contain the value with these bits. It never denies one that is there, so a log
 * without its topic in the bloom is not of this block, and a block with the topic is read a second time.
 *
 * @param bloom - 512 hexadecimal digits, the lowest bits last.
 */
export const bloomMayContain = (bloom: string, bits: readonly number[]): boolean =>
  bits.every((bit) => {
    const digit = Number.parseInt(bloom.charAt(bloom.length - 1 - (bit >> 2)), 16)
    return ((digit >> (bit & 3)) & 1) === 1
  })

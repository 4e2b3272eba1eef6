import { type Hex, hexToBytes, keccak256 } from 'viem'

/**
 * Whether a block's bloom filter may contain the value, an address or a topic. It never denies one that is there, so a
 * log without its topic in the bloom is not of this block, and a block with the topic deserves a second look.
 */
export function bloomMayContain(bloom: string, value: string): boolean {
  const bits = hexToBytes(bloom as Hex)
  const hash = hexToBytes(keccak256(value as Hex))
  return [0, 2, 4].every((at) => {
    const bit = (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 2047
    return ((bits[255 - (bit >> 3)] ?? 0) & (1 << (bit & 7))) !== 0
  })
}

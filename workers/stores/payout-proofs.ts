import type { PayoutLeaf } from '../../protocol/earnings/index.ts'
import { bytesToHex, type Hex, raw32 } from '../../protocol/encoding/index.ts'

const hashBytes = 32

/**
 * The proofs of an epoch in one file. All take the same room, so that one of them is read without the others:
 *
 * | offset | bytes      | field                                   |
 * | ------ | ---------- | --------------------------------------- |
 * | 0      | 1          | how many siblings follow                |
 * | 1      | 32 × depth | the siblings from the bottom, then zero |
 */
export function encodePayoutProofs(leaves: readonly Pick<PayoutLeaf, 'proof'>[]): Uint8Array {
  const { length } = proofRange(leaves.length, 0)
  const file = new Uint8Array(length * leaves.length)
  leaves.forEach(({ proof }, leaf) => {
    const start = leaf * length
    file[start] = proof.length
    for (const [i, sibling] of proof.entries()) file.set(raw32(sibling), start + 1 + i * hashBytes)
  })
  return file
}

/** The byte range of a leaf's proof in the file of `leaves` leaves. */
export function proofRange(leaves: number, leaf: number): { offset: number; length: number } {
  const depth = Math.ceil(Math.log2(leaves))
  const length = 1 + depth * hashBytes
  return { offset: leaf * length, length }
}

/** Reads one proof out of its part of the file. */
export function decodePayoutProof(bytes: Uint8Array): Hex[] {
  const siblings = bytes[0] ?? 0
  return Array.from({ length: siblings }, (_, i) =>
    bytesToHex(bytes.subarray(1 + i * hashBytes, 1 + (i + 1) * hashBytes)),
  )
}

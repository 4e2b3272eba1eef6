import type { Block } from '../committees/index.ts'
import {
  basisPointsMax,
  bytesToUnsigned,
  FormatError,
  isRoundId,
  keccakBytes,
  raw32,
  utf8,
} from '../encoding/index.ts'
import { type Profile, profileStrings } from '../identity/index.ts'

/**
 * The audit block of a round: the first block with a timestamp greater than `agreed_at`, so that nobody knows it while the
 * committee votes. null while it is not mined.
 * @param agreedAt Unix seconds (section 19).
 */
export function selectAuditBlock(blocks: readonly Block[], agreedAt: number): Block | null {
  return blocks.reduce<Block | null>(
    (first, block) =>
      block.timestamp > agreedAt && (first === null || block.number < first.number) ? block : first,
    null,
  )
}

/**
 * The audit draw of a round, 0 … 9999: the first two bytes, big-endian, of
 * `H(text("<prefix>-audit-v1") ‖ raw32(hash part of round_id) ‖ raw32(audit block hash))`, modulo 10000.
 * @throws {@link FormatError} unless the round is of a task and the block hash is one.
 */
export function auditDraw(profile: Profile, roundId: string, blockHash: string): number {
  if (!isRoundId(roundId) || !roundId.startsWith('task:')) throw new FormatError('round_id', 'that of a task')
  const hash = keccakBytes(
    utf8(profileStrings(profile).audit),
    raw32(roundId.slice('task:'.length), 'round_id'),
    raw32(blockHash, 'block_hash'),
  )
  return Number(bytesToUnsigned(hash.slice(0, 2)) % BigInt(basisPointsMax))
}

/** Whether validators run a round themselves: when it is contested, or by lot at the network's rate in basis points. */
export function isAudited(draw: number, auditBp: number, contested: boolean): boolean {
  return contested || draw < auditBp
}

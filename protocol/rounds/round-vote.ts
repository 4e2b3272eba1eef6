import { isBytes32, isExactly, type Shape } from '../encoding/index.ts'
import { deriveNodeId, type Profile, profileStrings } from '../identity/index.ts'
import { type Ed25519Verifier, ed25519Signer, type SigningKey, verifyEd25519 } from '../signatures/index.ts'

/** The five kinds of votes. */
export type VoteKind = 'execution' | 'task' | 'finality' | 'reward' | 'epoch'

/** The fields that a `round_signature` covers. */
export interface RoundVote {
  readonly kind: VoteKind
  readonly round_id: string
  readonly receipt_hash: string
  /** Of `execution` and `task`; the other kinds have an empty payout line. */
  readonly payout_address?: string
  /** `state_hash` of an execution with `state`, `finality_hash` of a finality vote. */
  readonly extra?: string
}

/**
 * Writes the text of a `round_signature` (section 17), lines joined by LF: `<prefix>-vote-v1`, kind, `round_id`,
 * `receipt_hash`, payout address or nothing, and {@link RoundVote.extra} where there is one.
 * A text of kind `reward` or `epoch` therefore ends with LF.
 */
export function roundText(profile: Profile, vote: RoundVote): string {
  const lines = [
    profileStrings(profile).vote_line,
    vote.kind,
    vote.round_id,
    vote.receipt_hash,
    vote.payout_address ?? '',
  ]
  if (vote.extra !== undefined) lines.push(vote.extra)
  return lines.join('\n')
}

/**
 * Writes the text of a vote's other signature, which stands without the round: `<prefix>-receipt-v1:` and the receipt hash
 * for `execution` and `task`, `<prefix>-finality-v1:` and the finality hash, `<prefix>-reward-v1:` or `-v2:` and the receipt
 * hash for `reward` and `epoch`.
 */
export function voteText(profile: Profile, vote: RoundVote): string {
  const names = profileStrings(profile)
  switch (vote.kind) {
    case 'execution':
    case 'task':
      return names.receipt + vote.receipt_hash
    case 'finality':
      return names.finality + (vote.extra ?? '')
    case 'reward':
      return names.reward_v1 + vote.receipt_hash
    case 'epoch':
      return names.reward_v2 + vote.receipt_hash
  }
}

/** The voter, with the two ed25519 signatures that every vote carries. */
export interface VoteSignatures {
  readonly node_id: string
  readonly public_key: string
  /** Over {@link voteText}. */
  readonly signature: string
  /** Over {@link roundText}. */
  readonly round_signature: string
}

const anything = (): boolean => true

/** The members that every vote has. Their values are judged against the content of the vote. */
export const voteShape = (kind: VoteKind): Shape => ({
  kind: isExactly(kind),
  round_id: anything,
  receipt_hash: anything,
  node_id: anything,
  public_key: anything,
  signature: anything,
  round_signature: anything,
})

/** Signs a vote twice. Throws {@link FormatError} for a malformed seed. */
export function signVote(profile: Profile, key: SigningKey, vote: RoundVote): VoteSignatures {
  const { publicKey, sign } = ed25519Signer(key)
  return {
    node_id: deriveNodeId(profile, publicKey),
    public_key: publicKey,
    signature: sign(voteText(profile, vote)),
    round_signature: sign(roundText(profile, vote)),
  }
}

/** Whether the key passes section 3, the node id derives from it, and both signatures verify. */
export function verifyVote(
  profile: Profile,
  vote: RoundVote,
  signatures: VoteSignatures,
  verify: Ed25519Verifier = verifyEd25519,
): boolean {
  const { node_id, public_key, signature, round_signature } = signatures
  return (
    isBytes32(public_key) &&
    deriveNodeId(profile, public_key) === node_id &&
    verify(public_key, voteText(profile, vote), signature) &&
    verify(public_key, roundText(profile, vote), round_signature)
  )
}

/** Thrown for a vote that breaks a rule; over HTTP it is `invalid_evidence` with this reason. */
export class VoteError extends Error {
  override readonly name = 'VoteError'
  readonly code = 'invalid_vote'

  readonly reason: string

  constructor(reason: string) {
    super(`This vote is not valid: ${reason}.`)
    this.reason = reason
  }
}

/** The vote that a reader returns, or null if the vote breaks a rule. */
export function validOrNull<Vote>(read: () => Vote): Vote | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof VoteError) return null
    throw error
  }
}

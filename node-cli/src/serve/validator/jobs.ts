import { type Attestation, attestSnapshot, type Snapshot } from '../../../../protocol/committees/index.ts'
import type { Problem } from '../../../../protocol/encoding/index.ts'
import type { Profile } from '../../../../protocol/identity/index.ts'
import {
  createFinalityVote,
  executionSubject,
  type FinalityRecord,
  type FinalityVote,
  hashFinality,
  parseExecutionVote,
  parseFinalityVote,
  VoteError,
} from '../../../../protocol/rounds/index.ts'
import { nodeSigner } from '../../node-signer.ts'
import { verifyNatively } from '../../node-verifier.ts'
import { inSnapshot } from '../background/in-snapshot.ts'
import type { CheckedVote } from '../store/round-votes.ts'
import {
  type CheckedTaskVote,
  checkTaskVote,
  type InvalidRound,
  type JudgedRound,
  judgeRound,
  type RoundContext,
  type TaskRound,
} from './round-rules.ts'
import { findSetProblems, readSnapshot, type SetContext } from './set-rules.ts'

type Stored<Context> = Omit<Context, 'snapshot'> & { readonly file: string; readonly setHash: string }

export type SetEntry = Pick<
  Snapshot['entries'][number],
  'subscription_id' | 'owner' | 'payout_address' | 'collateral'
>

export type CheckedValidatorVote =
  | { readonly status: 'valid'; readonly checked: CheckedVote }
  | { readonly status: 'invalid'; readonly reason: string }

/** The computations of the validator outside the thread that answers requests. */
export const validatorJobs = {
  readSnapshot,

  findSetProblems: (canonical: Uint8Array, context: SetContext): Problem[] =>
    findSetProblems(parseKept(canonical), context),

  entriesOf: (canonical: Uint8Array): SetEntry[] =>
    parseKept(canonical).entries.map(({ subscription_id, owner, payout_address, collateral }) => ({
      subscription_id,
      owner,
      payout_address,
      collateral,
    })),

  attestSet: (profile: Profile, seed: string, setHash: string): Attestation =>
    attestSnapshot(profile, nodeSigner(seed), setHash),

  judgeRound: (round: Omit<TaskRound, 'input'>, context: Stored<RoundContext>): JudgedRound | InvalidRound =>
    judgeRound(round, { ...context, snapshot: snapshotOf(context) }),

  checkTaskVote: (vote: unknown, context: Stored<Omit<RoundContext, 'now'>>): CheckedTaskVote =>
    checkTaskVote(vote, { ...context, snapshot: snapshotOf(context) }),

  makeFinalityVote: (profile: Profile, seed: string, record: FinalityRecord): CheckedVote<FinalityVote> => ({
    vote: createFinalityVote(profile, nodeSigner(seed), record),
    subject: hashFinality(record),
  }),

  checkFinalityVotes: (
    profile: Profile,
    votes: readonly unknown[],
    validators: readonly string[],
  ): CheckedValidatorVote[] =>
    votes.map((value) =>
      checked(() => {
        const vote = parseFinalityVote(profile, value, validators, verifyNatively)
        return { vote, subject: hashFinality(vote.finality) }
      }),
    ),

  checkExecutionVote: (
    profile: Profile,
    value: unknown,
    validators: readonly string[],
  ): CheckedValidatorVote =>
    checked(() => {
      const vote = parseExecutionVote(profile, value, verifyNatively)
      if (!validators.includes(vote.public_key)) throw new VoteError('its key does not belong to a validator')
      return { vote, subject: executionSubject(vote) }
    }),
} as const

function checked(read: () => CheckedVote): CheckedValidatorVote {
  try {
    return { status: 'valid', checked: read() }
  } catch (error) {
    if (!(error instanceof VoteError)) throw error
    return { status: 'invalid', reason: error.reason }
  }
}

const parseKept = (canonical: Uint8Array): Snapshot =>
  JSON.parse(new TextDecoder().decode(canonical)) as Snapshot

/** The snapshot that was read last: the tasks of an epoch follow each other, and the largest has 30 MB. */
let last: { readonly setHash: string; readonly snapshot: Snapshot } | null = null

/** Reads a snapshot whose hash was checked when it was stored. */
function snapshotOf({ file, setHash }: { file: string; setHash: string }): Snapshot {
  if (last?.setHash === setHash) return last.snapshot
  const row = inSnapshot(file, (db) =>
    db.prepare('SELECT snapshot FROM sets WHERE set_hash = ?').get(setHash),
  )
  const snapshot = parseKept((row as { snapshot: Uint8Array }).snapshot)
  last = { setHash, snapshot }
  return snapshot
}

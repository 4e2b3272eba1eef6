import { hashText } from '../../protocol/encoding/index.ts'
import { hashReceipt } from '../../protocol/execution/index.ts'
import {
  deriveTaskRoundId,
  type Profile,
  profileStrings,
  signRequest,
} from '../../protocol/identity/index.ts'
import type { OfferFrame } from '../../protocol/link/index.ts'
import { signVote, type TaskVote } from '../../protocol/rounds/index.ts'

// biome-ignore lint/suspicious/noExplicitAny: Frames of every kind are changed.
export type Frame = any

/** The state of the proxy between node and hub while a fault is in force. */
export interface Between {
  readonly profile: Profile
  readonly seed: string
  /** The part of the scripted hub that faults may look into. */
  readonly hub: { readonly baitOf: (offerId: string) => string | null }
  /** Sockets since the fault is in force. */
  links: number
  /** Values that the fault keeps from frame to frame. */
  readonly memory: Map<string, Frame>
  readonly offerOf: (frame: Frame) => OfferFrame | undefined
  /** Ids of offers whose vote has passed. */
  readonly voted: Set<string>
  /** Closes the socket of the node and that of the hub. */
  readonly close: () => void
  /** Sends a text to the hub as from the node. */
  readonly pass: (text: string) => void
}

/** A way in which a node is wrong, made of one that is right. */
export interface Fault {
  readonly name: string
  /** Numbers of exactly those clauses that it breaks. */
  readonly breaks: readonly string[]
  /** Changes the headers of an upgrade request; null lets nothing through. */
  readonly upgrade?: (headers: Record<string, string>, between: Between) => Record<string, string> | null
  /** Only starting the node again shows it. One that is stopped in order says so to the hub, one that is killed cannot. */
  readonly restarts?: 'killed' | 'stopped'
  /** Changes a frame of the node: what passes in its place, texts as they are; undefined for itself. */
  readonly fromNode?: (frame: Frame, between: Between) => readonly (Frame | string | Uint8Array)[] | undefined
  /** The same for a text of the hub, or for the `close` and its code that ends its socket. */
  readonly fromHub?: (text: string, between: Between) => readonly string[] | undefined
}

const missing = 'missing '

/** Stands for a frame that never comes, so that nobody waits for it. */
export const never = (frame: Frame): string => missing + frame.offer_id
export const readMissing = (text: string): string | null =>
  text.startsWith(missing) ? text.slice(missing.length) : null

/** Headers of an upgrade request that is signed again. */
export function signedAgain(
  { profile, seed }: Pick<Between, 'profile' | 'seed'>,
  headers: Record<string, string>,
  change: { seed?: string; method?: string; nonce?: string; aheadSeconds?: number } = {},
): Record<string, string> {
  const names = profileStrings(profile)
  const of = (name: string) => headers[name.toLowerCase()]!
  const { headers: signed } = signRequest(profile, change.seed ?? seed, {
    method: change.method ?? 'GET',
    target: '/v1/relay',
    timestamp: Number(of(names.timestamp_header)) + (change.aheadSeconds ?? 0),
    nonce: change.nonce ?? of(names.nonce_header),
    body: '',
  })
  const lower = Object.entries(signed).map(([name, value]) => [name.toLowerCase(), value])
  return { ...headers, ...Object.fromEntries(lower) }
}

/** A vote with its two signatures made again. */
export function voteAgain(
  { profile, seed }: Pick<Between, 'profile' | 'seed'>,
  vote: TaskVote,
  by = seed,
): TaskVote {
  return { ...vote, ...signVote(profile, by, vote) }
}

/** The same after the task of a vote was changed. */
export const ofTask = (between: Between, vote: TaskVote, task: TaskVote['task']): TaskVote =>
  voteAgain(between, { ...vote, task, round_id: deriveTaskRoundId(task) })

export const strangerSeed = hashText('a stranger')

/** A fault of every frame of a type; what it makes passes in the place of the frame. */
export const of = (
  type: string,
  change: (frame: Frame, between: Between) => readonly (Frame | string | Uint8Array)[] | undefined,
): Pick<Fault, 'fromNode'> => ({
  fromNode: (frame, between) => (frame.type === type ? change(frame, between) : undefined),
})

/** A vote with another receipt, hashed and signed as if it were right. */
export const withReceipt = (
  vote: TaskVote,
  between: Between,
  change: Partial<TaskVote['receipt']>,
): TaskVote => {
  const receipt = { ...vote.receipt, ...change }
  return voteAgain(between, { ...vote, receipt, receipt_hash: hashReceipt(receipt) })
}

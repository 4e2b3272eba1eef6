import type { ErrorCode } from '../errors.ts'
import type { ExecutionEvent } from '../execution/index.ts'
import type { AnnouncedChange } from '../identity/index.ts'
import type { Engine } from '../manifest/index.ts'
import type { FinalityVote, Task, TaskVote } from '../rounds/index.ts'

/** Why a node does not take an offer. */
export const declineReasons = ['busy', 'incompatible', 'unknown_module', 'stopping'] as const
export type DeclineReason = (typeof declineReasons)[number]

/** Roles of a drawn member in an offer. */
export const offerRoles = ['primary', 'backup'] as const

/** The hub's first frame on every socket. */
export interface HelloFrame {
  readonly type: 'hello'
  /** 32 hex digits; another one for each socket. */
  readonly session_id: string
  /** Network time of the hub, Unix seconds. */
  readonly time: number
  /** Hash of the network parameters at this time; a node with other parameters is in the wrong network. */
  readonly params_hash: string
  /** Versions of the frames that the hub supports. It and what follows are on sockets with frames of version 2. */
  readonly frames?: readonly number[]
  /** Lowest version of nodectl that the hub supports. */
  readonly nodectl_min?: string
  /** Seconds in which nodes come back, each at a random moment, when all have lost their sockets. */
  readonly retry_after?: number
  /** The text that the node presents when it connects again; only the hub can read it. */
  readonly ticket?: string
  /** The next change of parameters, where one is announced. */
  readonly next_params?: AnnouncedChange
}

/** The terms of an offer, without the input of its task. */
export interface OfferTerms {
  readonly offer_id: string
  /** Id of the lease that starts when the node accepts; the same as the offer's id. */
  readonly lease_id: string
  readonly task: Task
  /** The node's place in the draw of the task. */
  readonly position: number
  readonly role: (typeof offerRoles)[number]
  /** Network time by which the offer is accepted, Unix seconds. */
  readonly accept_by: number
  /** Network time by which the vote has arrived, Unix seconds. */
  readonly vote_by: number
}

/** An offer: its input in base64, or the address of an input above 256 KiB, which is good until `vote_by`. */
export type OfferFrame = OfferTerms & { readonly type: 'offer' } & (
    | { readonly input_b64: string; readonly input_url?: undefined }
    | { readonly input_url: string; readonly input_b64?: undefined }
  )

/** The vote is stored. */
export interface VotedFrame {
  readonly type: 'voted'
  readonly offer_id: string
  /** State of the round or lease after it. */
  readonly state: string
}

/** The offer is no longer open. The node may stop its run. */
export interface CancelFrame {
  readonly type: 'cancel'
  readonly offer_id: string
  readonly reason: string
}

/** Something that the node sent was refused. */
export interface ErrorFrame {
  readonly type: 'error'
  readonly code: ErrorCode
  /** Names the field and its rule. */
  readonly message: string
  /** Id of the offer that the refused frame was about. */
  readonly offer_id?: string
}

/** The request to decide a closed round, as `POST /consensus/task-rounds` of a node takes it, with the id of the round. */
export interface RoundToDecide {
  readonly round_id: string
}

/** Closed rounds that a validator is to decide. It answers each once it can, in any order. */
export interface DecideFrame {
  readonly type: 'decide'
  readonly rounds: readonly RoundToDecide[]
}

/** Finality votes of other validators. */
export interface FinalityFrame {
  readonly type: 'finality'
  readonly votes: readonly FinalityVote[]
}

/** A committee set, as `POST /consensus/committee-sets` of a node takes it. */
export interface SetToAttest {
  readonly project_id: string
  readonly epoch: number
}

/** Committee sets that a validator is to attest, of any projects. It answers each once it can, in any order. */
export interface AttestFrame {
  readonly type: 'attest'
  readonly sets: readonly SetToAttest[]
}

/** The answer to a ping. */
export interface PongFrame {
  readonly type: 'pong'
}

/** A frame that the hub sends. */
export type HubFrame =
  | HelloFrame
  | OfferFrame
  | VotedFrame
  | CancelFrame
  | ErrorFrame
  | DecideFrame
  | FinalityFrame
  | AttestFrame
  | PongFrame

/** The node's first frame, and again whenever one of its members changes. */
export interface ReadyFrame {
  readonly type: 'ready'
  /** Most offers that the node takes at once, those it holds included; 0 while it takes none. */
  readonly slots: number
  readonly engine: Engine
  readonly nodectl_version: string
  /** Offers that it was sent and has not given up; open ones that are not here are sent again. */
  readonly holding: readonly string[]
  /** Left out by a node that only takes offers. An approved validator is asked about closed rounds, beside the offers of its slots. */
  readonly role?: 'validator'
}

/** The node takes the offer and will vote. */
export interface AcceptFrame {
  readonly type: 'accept'
  readonly offer_id: string
}

/** The node does not take the offer. */
export interface DeclineFrame {
  readonly type: 'decline'
  readonly offer_id: string
  readonly reason: DeclineReason
}

/** The node's vote with what its receipt hashes, so that the result can be published. */
export interface VoteFrame {
  readonly type: 'vote'
  readonly offer_id: string
  readonly vote: TaskVote
  /** Output of the run in base64; the empty string for a failed run. */
  readonly output_b64: string
  readonly events: readonly ExecutionEvent[]
  /** Why the run failed; from version 4 on. No hash covers it, so it is only what the node says. */
  readonly error?: string
}

/** A validator's answer about a round: its vote, with its own run if it had to run the task, or an error code instead. */
export type RoundAnswer = { readonly round_id: string } & (
  | { readonly vote: object; readonly run: object | null; readonly code?: undefined }
  | { readonly code: ErrorCode; readonly vote?: undefined; readonly run?: undefined }
)

/** Answers of a validator to rounds that it was to decide. */
export interface DecidedFrame {
  readonly type: 'decided'
  readonly answers: readonly RoundAnswer[]
}

/** A validator's answer about a committee set: its attestation, or an error code instead. */
export type SetAnswer = SetToAttest &
  (
    | { readonly attestation: object; readonly code?: undefined }
    | { readonly code: ErrorCode; readonly attestation?: undefined }
  )

/** Answers of a validator to sets that it was to attest. */
export interface AttestedFrame {
  readonly type: 'attested'
  readonly answers: readonly SetAnswer[]
}

/**
 * Asks whether the hub is there, for nodes whose WebSocket cannot send pings of its own. Written exactly as
 * {@link pingText} it is answered without waking anything of the hub.
 */
export interface PingFrame {
  readonly type: 'ping'
}

/** A frame that a node sends. */
export type NodeFrame =
  | ReadyFrame
  | AcceptFrame
  | DeclineFrame
  | VoteFrame
  | DecidedFrame
  | AttestedFrame
  | PingFrame

/**
 * A vote as the hub reads it from a frame: the frame is well formed, and whether the vote is one is for the round to judge.
 * A wrong vote counts against the device, a broken frame against the socket.
 */
export type UnjudgedVoteFrame = Omit<VoteFrame, 'vote' | 'events'> & {
  readonly vote: object
  readonly events: readonly unknown[]
}

/** A frame that the hub reads. */
export type ReadNodeFrame =
  | ReadyFrame
  | AcceptFrame
  | DeclineFrame
  | UnjudgedVoteFrame
  | DecidedFrame
  | AttestedFrame
  | PingFrame

/** The ping, to the byte. */
export const pingText = '{"type":"ping"}'

/** The pong, to the byte. */
export const pongText = '{"type":"pong"}'

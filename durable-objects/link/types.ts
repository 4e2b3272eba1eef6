import type { AnnouncedChange, NetworkParams } from '../../protocol/identity/index.ts'
import type {
  DeclineReason,
  FrameLimits,
  FrameVersion,
  RoundAnswer,
  SetAnswer,
} from '../../protocol/link/index.ts'
import type { Task } from '../../protocol/rounds/index.ts'

export interface LinkOffer {
  /** Names the round and the position. */
  readonly offer_id: string
  readonly lease_id: string
  readonly task: Task
  readonly position: number
  readonly role: 'primary' | 'backup'
  readonly input_b64: string | null
  readonly input_url: string | null
  /** Network time, Unix seconds. */
  readonly accept_by: number
  /** Network time, Unix seconds. */
  readonly vote_by: number
}

/**
 * `full`: the node works with all its slots. `away`: it lost its socket, and its device is not offline yet. `offline`: the
 * device was there when the set was built, and has gone since. `dropped`: it went with a process of the hub or by a ban, and has not
 * come back. `absent`: it was not there when the set was built either, or is not to be asked.
 */
export type OfferResult = 'offered' | 'full' | 'away' | Absence
export type Absence = 'offline' | 'dropped' | 'absent'

/** When a node was connected, in milliseconds of the machine's clock. */
export interface Presence {
  readonly sessionId: string
  readonly sinceMs: number
  readonly goneMs: number
  /** Whether it ended because the process of the hub did, or the node was banned before it came back. */
  readonly byHub: boolean
}

export interface VoteBody {
  readonly vote: unknown
  readonly output_b64: string
  readonly events: unknown
  /** Why the run failed, in the words of the node. */
  readonly error?: string
}

export type VoteResult =
  | { readonly ok: true; readonly state: string }
  | { readonly ok: false; readonly code: string; readonly message: string }

/** Messages of a link to the round of an offer. Each may be sent twice. */
export interface RoundPort {
  accepted(offerId: string, nodeKey: string): Promise<void>
  /** @param isExcused - Whether the node may not have known yet that the slot for this offer was free. */
  declined(offerId: string, nodeKey: string, reason: DeclineReason, isExcused: boolean): Promise<void>
  /** Answers once the vote is stored. */
  voted(offerId: string, nodeKey: string, body: VoteBody): Promise<VoteResult>
  /** Takes a validator's answer. @returns The problem with it, as a sentence; null if it is valid. */
  decided(nodeKey: string, answer: RoundAnswer): Promise<string | null>
}

/** Messages of a link to a project. */
export interface ProjectPort {
  /** Takes a validator's answer about a set. @returns The problem with it, as a sentence; null if it is valid. */
  attested(nodeKey: string, answer: SetAnswer): Promise<string | null>
}

export interface LinkView {
  readonly nodeKey: string
  /** A device that is connected is `idle` while it has no free slot. */
  readonly state: 'online' | 'idle' | 'offline'
  /** Unix seconds. A node that comes back before its device is offline was never away. */
  readonly connectedSince: number | null
  readonly freeSlots: number
  readonly isVoteFaulty: boolean
}

export interface Standing {
  /** Whether the device may have a socket: a banned one may not. */
  readonly isAdmitted: boolean
  readonly isBanned: boolean
  /** For another reason than its votes. */
  readonly isFaulty: boolean
  /** Whether operators approved it as a validator. */
  readonly isValidator: boolean
}

export interface LinkStatus {
  readonly connected: boolean
  readonly sessionId: string | null
  readonly since: number | null
  /** From the hub's first frame to the node's. */
  readonly latencyMs: number | null
  readonly slots: number
  readonly activeLeases: number
}

export interface NodeLinkConfig {
  readonly limits: FrameLimits & Pick<NetworkParams, 'max_skew'>
  /** The hash of the parameters of a time, and the change that is announced then. */
  paramsAt(now: number): { readonly hash: string; readonly next: AnnouncedChange | null }
  /** Lowest version of nodectl that the hub supports. */
  readonly nodectlMin: string
  subprotocol(version: FrameVersion): string
  /** Network time may leap ahead of the machine's where it follows a chain: open offers are looked at this often then. */
  readonly pollMs: number | null
  /** Network time, Unix seconds. */
  now(): Promise<number>
  /** Writes the view unless the database has one of a higher revision. */
  publish(view: LinkView, revision: number): Promise<void>
  standing(nodeKey: string): Promise<Standing>
  /** In how many seconds nodes come back when all have lost their sockets; null if it is not known how many there are. */
  returnSecs(): Promise<number | null>
  /** The ticket that a node shows when it comes back. */
  ticket(nodeKey: string, generation: number, isVouched: boolean): string
  round(roundId: string): RoundPort
  project(projectId: string): ProjectPort
}

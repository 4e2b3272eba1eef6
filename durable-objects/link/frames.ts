import { isObject } from '../../protocol/encoding/index.ts'
import { type ErrorCode, errorCodes } from '../../protocol/errors.ts'
import { frameVersions, type HubFrame, parseOfferId } from '../../protocol/link/index.ts'
import type { LinkOffer, NodeLinkConfig, VoteBody } from './types.ts'
import type { Upgrade } from './upgrade.ts'

interface Greeting {
  readonly session_id: string
  readonly time: number
  /** Null if it is not known. */
  readonly returnSecs: number | null
  readonly ticket: string
}

/** The hub's first frame. Nodes with frames of version 1 take no more members than that version has. */
export function helloFrame(
  { paramsAt, nodectlMin }: Pick<NodeLinkConfig, 'paramsAt' | 'nodectlMin'>,
  { frames }: Upgrade,
  { returnSecs, ticket, ...session }: Greeting,
): HubFrame {
  const { hash, next } = paramsAt(session.time)
  const hello = { type: 'hello', ...session, params_hash: hash } as const
  if (frames === 1) return hello
  const returning = returnSecs === null ? {} : { retry_after: returnSecs }
  const announced = next === null ? {} : { next_params: next }
  return { ...hello, frames: frameVersions, nodectl_min: nodectlMin, ...returning, ticket, ...announced }
}

export function offerFrame({ input_b64, input_url, ...terms }: LinkOffer): HubFrame {
  const input = input_url === null ? { input_b64: input_b64 ?? '' } : { input_url }
  return { type: 'offer', ...terms, ...input }
}

/** Whether a vote names the round and the place of this offer and this node. All else that it says is for its round to judge. */
export function isVoteOn(offerId: string, nodeKey: string, { vote }: VoteBody): boolean {
  const { round_id, position } = parseOfferId(offerId)
  if (!isObject(vote) || !isObject(vote.committee)) return false
  return vote.round_id === round_id && vote.public_key === nodeKey && vote.committee.position === position
}

/** The code of a refusal of a round, in an `error`. */
export const codeOf = (code: string): ErrorCode =>
  Object.hasOwn(errorCodes, code) ? (code as ErrorCode) : 'internal'

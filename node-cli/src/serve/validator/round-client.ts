import { isObject } from '../../../../protocol/encoding/index.ts'
import type { RequestSigner } from '../hub/request-signer.ts'
import { PeerError, peerClient } from '../peers/peer-client.ts'

/** Another validator that may be called. */
export interface Peer {
  readonly publicKey: string
  readonly url: string
}

/** Final rounds of a peer, in the order in which they became final there. */
export interface RoundPage {
  /** The finality votes of all of them. */
  readonly votes: readonly unknown[]
  /** Null after the last page. */
  readonly next: string | null
  /** That of the newest round the peer has. */
  readonly last: string
}

/** Which rounds are asked for; both null for all. */
export interface RoundFilter {
  readonly projectId: string | null
  readonly epoch: number | null
}

/** Rounds of other validators. The caller verifies their answers; null means no usable answer. */
export interface RoundClient {
  readonly finalRounds: (peer: Peer, filter: RoundFilter, cursor: string) => Promise<RoundPage | null>
  readonly finalityVotes: (peer: Peer, roundId: string) => Promise<readonly unknown[] | null>
}

const roundsOfPage = 20
const cursorPattern = /^\d{1,15}$/

export function roundClient(signer: RequestSigner, stop: AbortSignal): RoundClient {
  const get = async (peer: Peer, target: string): Promise<Record<string, unknown> | null> => {
    try {
      const value = await peerClient(peer, signer, stop).read({ target })
      return isObject(value) ? value : null
    } catch (error) {
      if (error instanceof PeerError) return null
      throw error
    }
  }
  return {
    finalRounds: async (peer, { projectId, epoch }, cursor) => {
      const filter = projectId === null ? '' : `&project_id=${projectId}&epoch=${epoch}`
      const page = await get(peer, `/consensus/rounds?limit=${roundsOfPage}&cursor=${cursor}${filter}`)
      return page === null ? null : readPage(page)
    },
    finalityVotes: async (peer, roundId) => {
      const round = await get(peer, `/consensus/rounds/${encodeURIComponent(roundId)}`)
      return round === null ? null : listOf(round.finality_votes)
    },
  }
}

function readPage({
  items,
  next_cursor: next,
  last_cursor: last,
}: Record<string, unknown>): RoundPage | null {
  if (!Array.isArray(items) || !isCursor(last) || !(next === null || isCursor(next))) return null
  return { votes: items.flatMap((item) => (isObject(item) ? listOf(item.finality_votes) : [])), next, last }
}

const isCursor = (value: unknown): value is string => typeof value === 'string' && cursorPattern.test(value)

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

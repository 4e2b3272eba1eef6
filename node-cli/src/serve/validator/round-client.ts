import { isObject } from '../../../../protocol/encoding/index.ts'
import { type PeerClient, PeerError } from '../peers/peer-client.ts'
import type { ProjectEpoch } from '../store/epochs.ts'

/** Final rounds of a peer, in the order in which they became final there. */
interface RoundPage {
  readonly roundIds: readonly string[]
  /** The finality votes of all of them, which the caller verifies. */
  readonly votes: readonly unknown[]
  /** Null after the last page. */
  readonly next: string | null
  /** The cursor of the newest round that the peer has. */
  readonly last: string
}

const roundsOfPage = 20
const cursorPattern = /^\d{1,15}$/

/** @param of Null for the rounds of all epochs. @returns Null for no usable answer. */
export async function readFinalRounds(
  peer: PeerClient,
  of: ProjectEpoch | null,
  cursor: string,
): Promise<RoundPage | null> {
  const filter = of === null ? '' : `&project_id=${of.projectId}&epoch=${of.epoch}`
  const page = await readObject(peer, `/consensus/rounds?limit=${roundsOfPage}&cursor=${cursor}${filter}`)
  if (page === null) return null
  const { items, next_cursor: next, last_cursor: last } = page
  if (!Array.isArray(items) || !isCursor(last) || !(next === null || isCursor(next))) return null
  const rounds = items.filter(isObject)
  const roundIds = rounds.flatMap(({ round_id: id }) => (typeof id === 'string' ? [id] : []))
  return { roundIds, votes: rounds.flatMap((round) => listOf(round.finality_votes)), next, last }
}

/** The finality votes of a round; null for no usable answer. */
export async function readFinalityVotes(
  peer: PeerClient,
  roundId: string,
): Promise<readonly unknown[] | null> {
  const round = await readObject(peer, `/consensus/rounds/${encodeURIComponent(roundId)}`)
  return round && listOf(round.finality_votes)
}

async function readObject(peer: PeerClient, target: string): Promise<Record<string, unknown> | null> {
  try {
    const value = await peer.read({ target })
    return isObject(value) ? value : null
  } catch (error) {
    if (error instanceof PeerError) return null
    throw error
  }
}

const isCursor = (value: unknown): value is string => typeof value === 'string' && cursorPattern.test(value)

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

import { isObject, isRoundId, isUnsigned } from '../../../../../protocol/encoding/index.ts'
import type { AnswerReader } from '../hub-client.ts'
import { Members } from '../members.ts'
import type { SourceFetch } from './fetch.ts'

const roundsOfPage = 200
const roundPagesMax = 500

/** A round as the hub shows it. */
export interface ShownRound {
  /** The hub's word; nothing proves it. */
  readonly state: string
  /** Votes that name this round. Nobody has verified their signatures: `RoundVotes` does, as of those that peers give. */
  readonly finalityVotes: readonly unknown[]
}

/** @throws {@link SourceAway}, {@link SourceRefused} */
export const fetchRound = (fetch: SourceFetch, roundId: string): Promise<ShownRound> =>
  fetch.read('round', `/v1/explorer/rounds/${encodeURIComponent(roundId)}`, (answer) => {
    const round = new Members(answer)
    const votes = round.optional('finality_votes', isList, 'a list') ?? []
    return {
      state: round.text('state'),
      finalityVotes: votes.filter((vote) => isObject(vote) && vote.round_id === roundId),
    }
  })

/**
 * Ids of the rounds of an epoch that the hub shows as final: rounds to look at, since nothing proves the list.
 *
 * @throws {@link SourceAway}, {@link SourceRefused}
 */
export async function fetchFinalRounds(
  fetch: SourceFetch,
  projectId: string,
  epoch: number,
): Promise<readonly string[]> {
  const ids: string[] = []
  let cursor: string | null = null
  for (let page = 0; page < roundPagesMax; page++) {
    const after: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const filter = `project_id=${projectId}&kind=task&state=finalized&limit=${roundsOfPage}`
    const found: RoundPage = await fetch.read('round', `/v1/explorer/rounds?${filter}${after}`, readPage)
    for (const round of found.rounds) if (round.epoch === epoch) ids.push(round.id)
    // They come with the newest first.
    const isPast = found.rounds.some((round) => round.epoch < epoch)
    if (found.next === null || isPast) break
    cursor = found.next
  }
  return ids
}

interface RoundPage {
  readonly rounds: readonly { readonly id: string; readonly epoch: number }[]
  readonly next: string | null
}

const readPage: AnswerReader<RoundPage> = (answer) => {
  const page = new Members(answer)
  return {
    rounds: page.objects('items', roundsOfPage).map((item) => ({
      id: item.get('round_id', isRoundId, 'the id of a round'),
      epoch: item.get('epoch', isUnsigned, 'an epoch'),
    })),
    next: page.cursor(),
  }
}

const isList = (value: unknown): value is unknown[] => Array.isArray(value)

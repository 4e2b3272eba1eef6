import { epochStart } from '../../../../../protocol/committees/index.ts'
import { isObject, isRoundId, isUnsigned } from '../../../../../protocol/encoding/index.ts'
import { epochLengths } from '../../../../../protocol/manifest/index.ts'
import type { ProjectEpoch } from '../../store/epochs.ts'
import { Members, readPages } from '../members.ts'
import type { SourceFetch } from './fetch.ts'

const pageBounds = { itemsMax: 200, pagesMax: 500 }

/** A round as the hub shows it. @throws {@link SourceAway}, {@link SourceRefused} */
export const fetchRound = (fetch: SourceFetch, roundId: string) =>
  fetch.read('round', `/v1/explorer/rounds/${encodeURIComponent(roundId)}`, (answer) => {
    const round = new Members(answer)
    const votes = round.optional('finality_votes', isList, 'a list') ?? []
    return {
      /** The hub's word; nothing proves it. */
      state: round.text('state'),
      /** Votes that name this round. Nobody has verified their signatures: `RoundVotes` does, as of those that peers give. */
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
  { projectId, epoch }: ProjectEpoch,
  now: number,
): Promise<readonly string[]> {
  const target = `/v1/explorer/rounds?project_id=${projectId}&kind=task&state=finalized`
  const readItem = (item: Members) => ({
    id: item.get('round_id', isRoundId, 'the id of a round'),
    epoch: item.get('epoch', isUnsigned, 'an epoch'),
    createdAt: item.get('created_at', isUnsigned, 'a time'),
  })
  const startsAt = startOf(epoch, now)
  const ids: string[] = []
  for await (const rounds of readPages(target, pageBounds, readItem, (page, read) =>
    fetch.read('round', page, read),
  )) {
    for (const round of rounds) if (round.epoch === epoch) ids.push(round.id)
    // They come with the newest first. A version with longer epochs has smaller numbers, so that times alone have an order.
    if (rounds.some(({ createdAt }) => createdAt < startsAt)) break
  }
  return ids
}

/** When an epoch began, whose number leaves one length: with any other, the epoch would be years ago or ahead. */
const startOf = (epoch: number, now: number): number =>
  epochLengths.map((secs) => epochStart(epoch, secs)).findLast((start) => start <= now) ?? 0

const isList = (value: unknown): value is unknown[] => Array.isArray(value)

import type { ServeStore } from '../store/index.ts'
import type { RoundRecord } from '../store/rounds.ts'
import type { RoundBook } from './round-book.ts'

type ViewedStore = Pick<ServeStore, 'rounds' | 'roundVotes'>

/** A round with all that this node knows of it, as `GET /consensus/rounds/:id` shows it; null for one it never heard of. */
export function describeRound(store: ViewedStore, book: RoundBook, roundId: string): object | null {
  if (roundId.startsWith('exec:')) return describeDirect(store, book, roundId)
  const round = store.rounds.find(roundId)
  return (
    round && {
      ...describeFinality(store, round),
      votes: store.roundVotes.ofRound(roundId, 'task').map(({ vote }) => vote),
      tally: round.judgement?.tally ?? null,
    }
  )
}

/** A round without the votes of its members: what another validator needs to hold it final too. */
export const describeFinality = (store: ViewedStore, round: RoundRecord) => ({
  round_id: round.roundId,
  state: round.state,
  project_id: round.projectId,
  epoch: round.epoch,
  task: round.task,
  finality: round.final,
  finality_votes: store.roundVotes.ofRound(round.roundId, 'finality').map(({ vote }) => vote),
})

function describeDirect(store: ViewedStore, book: RoundBook, roundId: string): object | null {
  const votes = book.directVotes(roundId)
  if (votes.length === 0) return null
  const { counts, quorum, equivocators } = book.countDirect(roundId)
  return {
    round_id: roundId,
    state: store.rounds.find(roundId)?.state ?? 'pending',
    task: null,
    votes: votes.map(({ vote }) => vote),
    tally: { counts, quorum, equivocators },
    finality: null,
    finality_votes: [],
  }
}

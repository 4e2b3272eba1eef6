import { quorum } from '../../../../protocol/committees/index.ts'
import type { ServeConfig } from '../config.ts'
import type { GenerationFollower } from '../generations/follower.ts'
import { hubClient } from '../hub/hub-client.ts'
import { parseHubUrl } from '../hub/hub-url.ts'
import { type HubSourcesParts, hubSources } from '../hub/sources/index.ts'
import type { Metrics } from '../metrics.ts'
import { peersOf } from '../peers/peers.ts'
import type { ServeStore } from '../store/index.ts'
import { CatchUp, type CatchUpParts } from './catch-up.ts'
import { chainFacts } from './chain/chain-facts.ts'
import { chainRpc } from './chain/chain-rpc.ts'
import { askStakingAddress } from './chain/staking-address.ts'
import { CommitteeSets, type CommitteeSetsParts } from './committee-sets.ts'
import { DirectCommits, type DirectCommitsParts } from './direct-commits.ts'
import { Refusal } from './refusal.ts'
import { RoundBook, type RoundBookParts } from './round-book.ts'
import type { TaskRound } from './round-rules.ts'
import { describeRound } from './round-view.ts'
import { RoundVotes, type RoundVotesParts } from './round-votes.ts'
import { TaskRounds, type TaskRoundsParts } from './task-rounds.ts'
import { validatorError } from './validator-error.ts'

interface ValidatorParts
  extends CatchUpParts,
    CommitteeSetsParts,
    DirectCommitsParts,
    HubSourcesParts,
    RoundBookParts,
    RoundVotesParts,
    TaskRoundsParts {
  readonly store: ServeStore
  readonly generationFollower: GenerationFollower | null
  readonly metrics: Metrics
}

/** The decisions of a validator, and its records of what others decide. */
export type Validator = ReturnType<typeof createValidator>

export function createValidator(
  parts: ValidatorParts,
  { hubUrl, chainRpc: rpcUrl }: Pick<ServeConfig, 'hubUrl' | 'chainRpc'>,
) {
  const { clock, store, metrics, generations, identity } = parts
  const stopping = new AbortController()
  const client = hubUrl === null ? null : hubClient(parseHubUrl(hubUrl), stopping.signal)
  const hub = hubSources(parts, client, validatorError)
  const chain = rpcUrl === null ? null : chainFacts(chainRpc(rpcUrl), parts.profile.chain_id)
  const book = new RoundBook(parts)
  const stakingAddress = () => askStakingAddress(client)
  const sets = new CommitteeSets(parts, { rules: hub.rules, stakingAddress }, chain)
  const rounds = new TaskRounds(parts, hub, chain, book)
  const votes = new RoundVotes(parts, hub, book)
  const catchUp = new CatchUp(parts, hub, peersOf(parts, stopping.signal), votes, book)
  const directCommits = new DirectCommits(parts, votes, stopping.signal)
  const counted = countOutcomes(metrics)
  metrics.gauge('sets_attested', 'Sets that this node attested', store.sets.count)
  metrics.gauge('rounds_known', 'Rounds that this node judged or heard of', () => store.rounds.count().known)
  metrics.gauge('rounds_final', 'Rounds that are final here', () => store.rounds.count().final)
  metrics.gauge('evidence', 'Offences that this node has evidence of', store.evidence.count)
  const inForce = () => generations.at(clock.now())
  metrics.gauge('validators', 'Validators of the generation in force', () => inForce()?.keys.length ?? 0)
  metrics.gauge(
    'validator_generation',
    'The newest generation of validators that is known; -1 before the first',
    () => generations.newest?.generation ?? -1,
  )
  return {
    /** Attests a snapshot, as it came. @throws as {@link CommitteeSets.attest} */
    attestSet: (snapshot: Uint8Array) => counted('set', () => sets.attest(snapshot)),
    /** @throws as {@link TaskRounds.decide} */
    decide: (round: TaskRound) => counted('round', () => rounds.decide(round)),
    /** @throws as {@link RoundVotes.take} */
    takeVote: (vote: unknown) => counted('vote', () => votes.take(vote)),
    /** @throws as {@link RoundVotes.takeFinalityVotes} */
    takeFinalityVotes: (list: readonly unknown[]) => counted('votes', () => votes.takeFinalityVotes(list)),
    /** Null for a round that this node never heard of. */
    describeRound: (roundId: string) => describeRound(store, book, roundId),
    /** A module, fetched from the hub when this node lacks it. @throws {@link Refusal}, {@link NotYet} */
    openModule: hub.module,
    catchUp,
    directCommits,
    describe: () => {
      const validators = inForce()?.keys ?? []
      return {
        generation: inForce()?.generation ?? null,
        validators: validators.length,
        quorum: quorum(validators.length),
        is_validator: validators.includes(identity.publicKey),
        sets_attested: store.sets.count(),
        rounds: store.rounds.count(),
        evidence: store.evidence.count(),
        chain_checked: chain !== null,
      }
    },
    stop: () => stopping.abort(),
  }
}

/** Counts the requests to a validator by their outcome. */
function countOutcomes(metrics: Metrics) {
  const requests = metrics.counter(
    'consensus_requests_total',
    'Sets, rounds and votes that the node received, by outcome; failed ones may be sent again',
    ['kind', 'outcome'],
  )
  return async <T>(kind: string, work: () => Promise<T>): Promise<T> => {
    let outcome = 'failed'
    try {
      const result = await work()
      outcome = 'taken'
      return result
    } catch (error) {
      if (error instanceof Refusal) outcome = 'refused'
      throw error
    } finally {
      requests.add(1, kind, outcome)
    }
  }
}

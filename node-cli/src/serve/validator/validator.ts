import { type Attestation, quorum } from '../../../../protocol/committees/index.ts'
import { nodeSigner } from '../../node-signer.ts'
import type { ServeConfig } from '../config.ts'
import type { LoadedModule } from '../execution/module-library.ts'
import type { GenerationFollower } from '../generations/follower.ts'
import { hubClient } from '../hub/hub-client.ts'
import { parseHubUrl } from '../hub/hub-url.ts'
import { requestSigner } from '../hub/request-signer.ts'
import { type HubSourcesParts, hubSources } from '../hub/sources/index.ts'
import type { Metrics } from '../metrics.ts'
import type { GivenVote } from '../slashing-protection/votes.ts'
import type { ServeStore } from '../store/index.ts'
import { CatchUp, type CatchUpParts } from './catch-up.ts'
import { chainFacts } from './chain/chain-facts.ts'
import { chainRpc } from './chain/chain-rpc.ts'
import { askStakingAddress } from './chain/staking-address.ts'
import { CommitteeSets, type CommitteeSetsParts } from './committee-sets.ts'
import { DirectCommits, type DirectCommitsParts } from './direct-commits.ts'
import { Refusal } from './refusal.ts'
import { RoundBook, type RoundBookParts } from './round-book.ts'
import { roundClient } from './round-client.ts'
import type { TaskRound } from './round-rules.ts'
import { describeRound } from './round-view.ts'
import { type RoundCounts, RoundVotes, type RoundVotesParts } from './round-votes.ts'
import { TaskRounds, type TaskRoundsParts } from './task-rounds.ts'
import { validatorError } from './validator-error.ts'

/** What a validator decides, and what it keeps of what others decide. */
export interface Validator {
  /** Attests a snapshot, as it came. @throws as {@link CommitteeSets.attest} */
  readonly attestSet: (snapshot: Uint8Array) => Promise<Attestation>
  /** @throws as {@link TaskRounds.decide} */
  readonly decide: (round: TaskRound) => Promise<GivenVote>
  /** @throws as {@link RoundVotes.take} */
  readonly takeVote: (vote: unknown) => Promise<RoundCounts>
  /** Null for a round that this node never heard of. */
  readonly describeRound: (roundId: string) => object | null
  /** A module, fetched from the hub when this node lacks it. @throws {@link Refusal}, {@link NotYet} */
  readonly openModule: (address: string) => Promise<LoadedModule>
  readonly catchUp: CatchUp
  /** What direct rounds make of storage. */
  readonly directCommits: DirectCommits
  /** What the operator sees of it. */
  readonly describe: () => object
  /** Ends calls under way. */
  readonly stop: () => void
}

/** What the parts of a validator use. */
export interface ValidatorParts
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

/** Joins the parts of a validator. */
export function createValidator(
  parts: ValidatorParts,
  { hubUrl, chainRpc: rpcUrl, chainId }: Pick<ServeConfig, 'hubUrl' | 'chainRpc' | 'chainId'>,
): Validator {
  const { profile, seed, clock, store, metrics, generations, identity } = parts
  const stopping = new AbortController()
  const client = hubUrl === null ? null : hubClient(parseHubUrl(hubUrl), stopping.signal)
  const hub = hubSources(parts, client, validatorError)
  const chain = rpcUrl === null ? null : chainFacts(chainRpc(rpcUrl), chainId)
  const book = new RoundBook(parts)
  const sets = new CommitteeSets(
    parts,
    { rules: hub.rules, stakingAddress: () => askStakingAddress(client) },
    chain,
  )
  const rounds = new TaskRounds(parts, hub, chain, book)
  const votes = new RoundVotes(parts, hub, book)
  const peers = roundClient(requestSigner(profile, nodeSigner(seed), clock), stopping.signal)
  const catchUp = new CatchUp(parts, hub, peers, votes, book)
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
    attestSet: (snapshot) => counted('set', () => sets.attest(snapshot)),
    decide: (round) => counted('round', () => rounds.decide(round)),
    takeVote: (vote) => counted('vote', () => votes.take(vote)),
    describeRound: (roundId) => describeRound(store, book, roundId),
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

/** Counts what is asked of a validator by what came of it. */
function countOutcomes(metrics: Metrics) {
  const requests = metrics.counter(
    'consensus_requests_total',
    'Sets, rounds and votes that were brought, by outcome; failed is one that may be brought again',
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

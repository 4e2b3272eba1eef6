import {
  CanonicalJsonError,
  FormatError,
  isAddress,
  isBytes32,
  isObject,
  isRoundId,
  isUnsigned,
  MemberChecker,
  ProblemList,
} from '../../../../protocol/encoding/index.ts'
import { artifactBytesMax } from '../../../../protocol/hbc/artifact.ts'
import { SlugError } from '../../../../protocol/identity/index.ts'
import {
  type Consensus,
  checkConsensus,
  checkManifestEnvelope,
  type ManifestEnvelope,
} from '../../../../protocol/manifest/index.ts'
import { generationOf } from '../generations/membership.ts'
import type { AnswerReader, HubClient } from '../hub/hub-client.ts'
import { HubError } from '../hub/hub-error.ts'
import { Members } from '../hub/members.ts'
import type { ServeNode } from '../node.ts'
import { NotYet, refusal } from './refusal.ts'

/** The largest snapshot with its attestations. */
const snapshotBytesMax = 48 * 1024 * 1024
const roundBytesMax = 4 * 1024 * 1024
const itemsOfPage = 200
const versionPagesMax = 10
const roundPagesMax = 500

/** What a validator asks its hub for. Nothing of it is believed that can be checked. */
export interface HubFacts {
  /**
   * The rules of a project with this hash, as its developer signed them.
   *
   * @throws {@link Refusal} where the hub has none that fit, {@link NotYet} where it does not answer.
   */
  readonly rules: (projectId: string, consensusHash: string) => Promise<Consensus>
  /** Sees to it that the store has the attested snapshot of this hash. @throws as {@link HubFacts.rules} */
  readonly fetchSet: (set: {
    readonly projectId: string
    readonly epoch: number
    readonly setHash: string
  }) => Promise<void>
  /** The bytes of an artifact, of any address. @throws as {@link HubFacts.rules} */
  readonly artifact: (address: string) => Promise<Uint8Array>
  /** What the hub shows as the finality votes of a round. @throws as {@link HubFacts.rules} */
  readonly finalityVotes: (roundId: string) => Promise<readonly unknown[]>
  /** Ids of the rounds of an epoch that the hub shows as final. @throws as {@link HubFacts.rules} */
  readonly finalRounds: (projectId: string, epoch: number) => Promise<readonly string[]>
  /** Where the contract of collaterals is. @throws {@link NotYet} */
  readonly stakingAddress: () => Promise<string>
}

export function hubFacts(node: ServeNode, client: HubClient | null): HubFacts {
  const { profile, params, store, background, clock, generationFollower } = node

  const ask = async <T>(call: (hub: HubClient) => Promise<T>): Promise<T> => {
    if (client === null) throw new NotYet('this node has no hub to ask; name one with --hub-url')
    try {
      return await call(client)
    } catch (error) {
      if (error instanceof HubError && error.isPassing) throw new NotYet(error.message)
      throw error
    }
  }
  const get = <T>(target: string, read: AnswerReader<T>, answerBytesMax?: number): Promise<T> =>
    ask((hub) =>
      hub.call({ method: 'GET', target, ...(answerBytesMax !== undefined && { answerBytesMax }) }, read),
    )

  const rulesOf = (value: unknown, projectId: string, consensusHash: string): Consensus | null => {
    const envelope = readEnvelope(value)
    if (envelope === null) return null
    const problems = new ProblemList()
    const { consensus } = envelope.manifest
    checkConsensus(new MemberChecker(problems, { consensus }, '', ['consensus']), params(), undefined)
    if (!problems.isEmpty) return null
    try {
      const check = checkManifestEnvelope(profile, envelope)
      const isRight = check.ok && check.project_id === projectId && check.consensus_hash === consensusHash
      return isRight ? consensus : null
    } catch (error) {
      // What has no canonical form, and a developer or a name that is none, was signed by nobody.
      if (error instanceof CanonicalJsonError || error instanceof FormatError || error instanceof SlugError)
        return null
      throw error
    }
  }

  /** The rules in force, else those of the version that has them. */
  const findRules = async (projectId: string, consensusHash: string): Promise<Consensus | null> => {
    const project = `/v1/projects/${projectId}`
    const current = await get(`${project}/manifest`, (answer) => rulesOf(answer, projectId, consensusHash))
    if (current !== null) return current
    let cursor: string | null = null
    for (let page = 0; page < versionPagesMax; page++) {
      const after: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
      const found: VersionPage = await get(`${project}/versions?limit=${itemsOfPage}${after}`, readVersions)
      const version = found.versions.find((one) => one.consensusHash === consensusHash)?.version
      if (version !== undefined)
        return get(`${project}/versions/${version}`, (answer) =>
          rulesOf(
            new Members(answer).get('signed_manifest', isObject, 'a manifest'),
            projectId,
            consensusHash,
          ),
        )
      if (found.cursor === null) return null
      cursor = found.cursor
    }
    return null
  }

  const rulesFor: HubFacts['rules'] = async (projectId, consensusHash) => {
    const kept = store.consensus.find(projectId, consensusHash)
    if (kept !== null) return kept
    const rules = await orRefuse('consensus_hash', () => findRules(projectId, consensusHash))
    if (rules === null)
      throw refusal(
        'consensus_hash',
        'must be that of a version which the developer of the project signed.',
        'unknown_rules',
      )
    store.consensus.keep(projectId, consensusHash, rules)
    return rules
  }

  return {
    rules: rulesFor,

    fetchSet: async ({ projectId, epoch, setHash }) => {
      if (store.sets.has(setHash)) return
      const answer = await orRefuse('set_hash', () =>
        get(
          `/v1/committees/${projectId}/${epoch}`,
          (value) => {
            const members = new Members(value)
            return {
              snapshot: members.get('snapshot', isObject, 'a snapshot'),
              attestations: members.get('attestations', isList, 'a list'),
            }
          },
          snapshotBytesMax,
        ),
      )
      const bytes = new TextEncoder().encode(JSON.stringify(answer.snapshot))
      const read = await background.run('readSnapshot', { bytes, params: params() })
      const isRight =
        read.status === 'read' &&
        read.setHash === setHash &&
        read.header.project_id === projectId &&
        read.header.epoch === epoch
      if (!isRight) throw refusal('set_hash', 'must be that of the set of the epoch.', 'unknown_set')
      // The rules are the developer's; of a set with another length, other validators would count.
      const { epoch_secs: epochSecs, consensus_hash } = read.header
      const rules = await rulesFor(projectId, consensus_hash)
      if (rules.work.epoch_secs !== epochSecs)
        throw refusal('set_hash', `must be that of a set with epoch_secs ${rules.work.epoch_secs}.`)
      const isAttested = () => {
        const { keys: validators } = generationOf(node, { epoch, epochSecs })
        const { attestations } = answer
        return background.run('isSetAttested', { profile, setHash, attestations, validators })
      }
      if (!(await isAttested())) {
        // An emergency generation may have attested it.
        await generationFollower?.ask()
        if (!(await isAttested()))
          throw refusal(
            'set_hash',
            `must be that of a set that a quorum of generation ${generationOf(node, { epoch, epochSecs }).generation} of the validators attested.`,
            'not_attested',
          )
      }
      store.sets.keep({ setHash, projectId, epoch, epochSecs, snapshot: read.canonical }, clock.now())
    },

    artifact: (address) =>
      orRefuse('module_address', () =>
        ask((hub) => hub.download(`/v1/modules/${address}/hbc`, artifactBytesMax)),
      ),

    finalityVotes: (roundId) =>
      orRefuse('round_id', () =>
        get(
          `/v1/explorer/rounds/${encodeURIComponent(roundId)}`,
          (answer) => new Members(answer).optional('finality_votes', isList, 'a list') ?? [],
          roundBytesMax,
        ),
      ),

    finalRounds: async (projectId, epoch) => {
      const ids: string[] = []
      let cursor: string | null = null
      for (let page = 0; page < roundPagesMax; page++) {
        const after: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
        const filter = `project_id=${projectId}&kind=task&state=finalized&limit=${itemsOfPage}`
        const found: RoundSummaries = await orRefuse('project_id', () =>
          get(`/v1/explorer/rounds?${filter}${after}`, readRounds),
        )
        for (const round of found.rounds) if (round.epoch === epoch) ids.push(round.id)
        // They come with the newest first.
        const isPast = found.rounds.some((round) => round.epoch < epoch)
        if (found.cursor === null || isPast) break
        cursor = found.cursor
      }
      return ids
    },

    // A set is not wrong where the hub does not say what to hold it against.
    stakingAddress: () =>
      get('/', readStaking).catch((error) => {
        throw error instanceof HubError ? new NotYet(error.message) : error
      }),
  }
}

const readStaking: AnswerReader<string> = (answer) =>
  new Members(answer)
    .object('chain')
    .object('contracts')
    .get('staking', isAddress, 'the address of a contract')

/** What the hub does not have, or answers wrongly, is wrong with what it asked for. */
async function orRefuse<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof HubError) throw refusal(path, `${error.message}.`, 'hub_answer')
    throw error
  }
}

function readEnvelope(value: unknown): ManifestEnvelope | null {
  if (!isObject(value) || !isObject(value.manifest)) return null
  return typeof value.signature === 'string' ? (value as unknown as ManifestEnvelope) : null
}

interface VersionPage {
  readonly versions: readonly { readonly version: number; readonly consensusHash: string }[]
  readonly cursor: string | null
}

const readVersions: AnswerReader<VersionPage> = (answer) => {
  const page = new Members(answer)
  return {
    versions: page.objects('items', itemsOfPage).map((item) => ({
      version: item.get('version', isUnsigned, 'a number'),
      consensusHash: item.get('consensus_hash', isBytes32, 'a hash'),
    })),
    cursor: page.optional('next_cursor', isText, 'a cursor'),
  }
}

interface RoundSummaries {
  readonly rounds: readonly { readonly id: string; readonly epoch: number }[]
  readonly cursor: string | null
}

const readRounds: AnswerReader<RoundSummaries> = (answer) => {
  const page = new Members(answer)
  return {
    rounds: page.objects('items', itemsOfPage).map((item) => ({
      id: item.get('round_id', isRoundId, 'the id of a round'),
      epoch: item.get('epoch', isUnsigned, 'an epoch'),
    })),
    cursor: page.optional('next_cursor', isText, 'a cursor'),
  }
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isList = (value: unknown): value is unknown[] => Array.isArray(value)

import type { ProjectRules } from '../../../../../protocol/manifest/index.ts'
import type { NamedSet, ReadSet, SetHead, SetUse } from '../../background/attested-sets.ts'
import type { GenerationFollower } from '../../generations/follower.ts'
import type { NodeParts } from '../../part.ts'
import { orMissing, SourceAway, type SourceFetch, SourceRefused } from './fetch.ts'

export interface SetParts
  extends Pick<NodeParts, 'background' | 'generations' | 'paramsSchedule' | 'profile'> {
  readonly fetch: SourceFetch
  readonly generationFollower: Pick<GenerationFollower, 'ask' | 'isHubAway'> | null
  /** @throws {@link SourceAway}, {@link SourceRefused} */
  readonly rules: (projectId: string, consensusHash: string) => Promise<ProjectRules>
}

/** Its canonical JSON is there for a set that is to be stored. */
type FetchedSet = Extract<ReadSet, { status: 'attested' }>

/**
 * The committee set of an epoch: it has the hash that was named, belongs to this network and its parameters, its epochs are
 * as long as the rules of its project say, and a quorum of the validators of its epoch attested it.
 *
 * @throws {@link SourceAway}, {@link SourceRefused}
 */
export async function fetchSet(parts: SetParts, named: NamedSet, use: SetUse): Promise<FetchedSet> {
  const { fetch, profile, paramsSchedule: schedule, background, generations, generationFollower } = parts
  const answer = fetch.bytes('set', `/v1/committees/${named.projectId}/${named.epoch}`)
  const bytes = await orMissing(answer, 'the hub has no attested set for the epoch')
  const judge = (): Promise<ReadSet> =>
    background.run('readAttestedSet', {
      ...{ bytes, named, use, profile, schedule, generations: generations.chain },
    })
  const first = requireValid(await judge())
  // For a set with another length of epochs, other validators would count.
  await requireEpochLength(parts.rules, first.head)
  if (first.status === 'attested') return first
  // This node may not know the first generation yet, or not an emergency one that has signed.
  await generationFollower?.ask()
  const again = requireValid(await judge())
  if (again.status === 'attested') return again
  if (again.generation === null)
    throw new SourceAway('set', `this node knows no generation of validators for the epoch ${named.epoch}`)
  if (generationFollower?.isHubAway)
    throw new SourceAway('set', 'the hub does not say which validators there are now')
  throw new SourceRefused(
    'set',
    'not_attested',
    `no quorum of generation ${again.generation} of the validators has signed the set of the epoch`,
  )
}

function requireValid(read: ReadSet): Exclude<ReadSet, { status: 'invalid' | 'outdated' }> {
  // The fault is the hub's, whose records say that all is well.
  if (read.status === 'outdated') throw new SourceAway('set', read.problem)
  if (read.status !== 'invalid') return read
  throw new SourceRefused('set', read.code, read.problem)
}

async function requireEpochLength(
  rules: SetParts['rules'],
  { project_id, consensus_hash, epoch_secs }: SetHead,
): Promise<void> {
  const { work } = await rules(project_id, consensus_hash)
  if (work.epoch_secs !== epoch_secs)
    throw new SourceRefused(
      'set',
      'invalid_set',
      `the set is for epochs of ${epoch_secs} s, and the project has epochs of ${work.epoch_secs} s`,
    )
}

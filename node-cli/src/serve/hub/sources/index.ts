import type { ProjectRules } from '../../../../../protocol/manifest/index.ts'
import type { NamedSet, SetHead } from '../../background/attested-sets.ts'
import type { LoadedModule } from '../../execution/module-library.ts'
import { Once } from '../../once.ts'
import type { Uses } from '../../part.ts'
import type { ProjectEpoch } from '../../store/epochs.ts'
import type { HubClient } from '../hub-client.ts'
import { orMissing, SourceAway, SourceRefused, sourceFetch } from './fetch.ts'
import { fetchModule } from './modules.ts'
import { fetchFinalRounds, fetchRound } from './rounds.ts'
import { fetchRules } from './rules.ts'
import { fetchSet, type SetParts } from './sets.ts'

export { SourceAway, SourceRefused } from './fetch.ts'

export type HubSourcesParts = Omit<SetParts, 'fetch' | 'rules'> &
  Uses<'clock' | 'library' | 'params', 'projectRules' | 'sets'>

export type HubSources = ReturnType<typeof hubSources>

/**
 * The data that a node fetches from its hub, the same for every role. Each item is checked against its hash and its
 * signatures before anybody gets it; callers that ask for one at the same time share one request.
 *
 * @param client Null on a node without a hub.
 * @param toError Makes the error of a role for an item that it cannot get; the caller decides whether to ask again.
 */
export function hubSources(
  parts: HubSourcesParts,
  client: HubClient | null,
  toError: (error: SourceAway | SourceRefused) => Error,
) {
  const { profile, params, library, store, clock } = parts
  const fetch = sourceFetch(client)
  const running = {
    rules: new Once<ProjectRules>(),
    drawn: new Once<SetHead>(),
    stored: new Once<void>(),
    modules: new Once<LoadedModule>(),
  }
  const orThrow = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      throw error instanceof SourceAway || error instanceof SourceRefused ? toError(error) : error
    }
  }
  const rules = (projectId: string, consensusHash: string) =>
    running.rules.run(`${projectId} ${consensusHash}`, () =>
      fetchRules({ fetch, profile, params, kept: store.projectRules }, projectId, consensusHash),
    )
  const setParts: SetParts = { ...parts, fetch, rules }
  const keepSet = async (named: NamedSet): Promise<void> => {
    const { head, canonical } = await fetchSet(setParts, named, 'store')
    store.sets.keep({ ...named, epochSecs: head.epoch_secs, snapshot: canonical! }, clock.now())
  }
  return {
    /** The rules of a project, as its developer signed them. */
    rules: (projectId: string, consensusHash: string) => orThrow(() => rules(projectId, consensusHash)),
    /** An attested set, which the background thread keeps for draws. */
    drawSet: (named: NamedSet) =>
      orThrow(() =>
        running.drawn.run(nameOf(named), async () => (await fetchSet(setParts, named, 'draw')).head),
      ),
    /** Sees to it that the store has an attested set. */
    storeSet: async (named: NamedSet): Promise<void> => {
      if (!store.sets.has(named.setHash))
        await orThrow(() => running.stored.run(nameOf(named), () => keepSet(named)))
    },
    /** A module, which the library keeps. */
    module: (address: string) =>
      orThrow(() => running.modules.run(address, () => fetchModule(fetch, library, address))),
    /** The bytes at a target of the hub; the caller knows their hash. */
    input: (target: string) =>
      orThrow(() => orMissing(fetch.bytes('input', target), 'the hub does not have the input that it names')),
    round: (roundId: string) => orThrow(() => fetchRound(fetch, roundId)),
    finalRounds: (epoch: ProjectEpoch) => orThrow(() => fetchFinalRounds(fetch, epoch, clock.now())),
  }
}

const nameOf = ({ projectId, epoch, setHash }: NamedSet): string => `${projectId} ${epoch} ${setHash}`

import type { IndexStore } from '../../durable-objects/indexer/step.ts'
import type { ChainIndexStore } from '../stores/chain-index.ts'
import type { Contracts } from './contracts.ts'
import { readEvents, vaultCandidates } from './events.ts'
import { foldEvents, subjectKey } from './fold.ts'
import { type Subject, subjectsOf } from './projections.ts'

/** What the indexer writes to: logs become events and states here, and rows in the store. */
export function createIndexStore(store: ChainIndexStore, contracts: Contracts): IndexStore {
  const statesOf = async (subjects: readonly Subject[]) => {
    const rows = await store.states([...new Map(subjects.map((one) => [subjectKey(one), one])).values()])
    return new Map(rows.map((row) => [subjectKey({ kind: row.kind, id: row.subject }), row]))
  }
  return {
    cursor: () => store.cursor(),
    begin: (at, network) => store.begin(at, network),
    recentBlocks: () => store.recentBlocks(),
    vaults: () => store.vaults(),
    finalize: (tip, final) => store.finalize(tip, final),
    rollback: (tip, to) => store.rollback(tip, to),
    async append(tip, headers, logs, final, isBehind) {
      const times = new Map(headers.map(({ hash, timestamp }) => [hash, timestamp]))
      const candidates = vaultCandidates(logs, contracts).map((id): Subject => ({ kind: 'vault', id }))
      const vaults = [...(await statesOf(candidates)).values()].map(({ subject }) => subject)
      const events = readEvents(logs, { contracts, vaults, times })
      const { states, before } = foldEvents(events, await statesOf(events.flatMap(subjectsOf)), final.number)
      return store.append(tip, { headers, events, states, before }, final, isBehind)
    },
  }
}

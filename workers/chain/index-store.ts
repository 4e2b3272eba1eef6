import type { Log } from '../../durable-objects/indexer/chain.ts'
import type { IndexStore } from '../../durable-objects/indexer/index-store.ts'
import type { ChainIndexStore, ReadBlock } from '../stores/chain-index.ts'
import type { Contracts } from './contracts.ts'
import { type ChainEvent, openedVault, readEvents, vaultCandidates } from './events.ts'
import { foldEvents, subjectKey } from './fold.ts'
import { type Subject, subjectsOf } from './projections.ts'

/** The store that the indexer writes to: logs become events and states here, and rows in `store`. */
export function createIndexStore(store: ChainIndexStore, contracts: Contracts): IndexStore {
  const statesOf = async (subjects: readonly Subject[]) => {
    const rows = await store.states([...new Map(subjects.map((one) => [subjectKey(one), one])).values()])
    return new Map(rows.map((row) => [subjectKey({ kind: row.kind, id: row.subject }), row]))
  }
  const knownVaults = async (logs: readonly Log[]) => {
    const candidates = vaultCandidates(logs, contracts).map((id): Subject => ({ kind: 'vault', id }))
    return [...(await statesOf(candidates)).values()].map(({ subject }) => subject)
  }
  return {
    cursor: () => store.cursor(),
    begin: (at, network, final) => store.begin(at, network, final),
    recentBlocks: () => store.recentBlocks(),
    vaults: () => store.vaults(),
    finalize: (tip, final) => store.finalize(tip, final),
    rollback: (tip, to) => store.rollback(tip, to),
    restart: (tip) => store.restart(tip),
    async differing(from, to, logs) {
      const opened = new Set(logs.flatMap((log) => openedVault(log, contracts) ?? []))
      // A vault that is opened by one of these counts from there on, as it did when they were read first.
      const vaults = (await knownVaults(logs)).filter((vault) => !opened.has(vault))
      const now = readBlocksOf(readEvents(logs, { contracts, vaults, times: new Map() }))
      const before = await store.readBlocks(from, to)
      const textOf = (blocks: readonly ReadBlock[]) =>
        new Map(blocks.map((block) => [block.blockNumber, `${block.blockHash} ${block.logIndexes}`]))
      const [first, second] = [textOf(before), textOf(now)]
      const numbers = [...new Set([...first.keys(), ...second.keys()])].sort((a, b) => a - b)
      return numbers.filter((number) => first.get(number) !== second.get(number))
    },
    async append(tip, headers, logs, final, isBehind) {
      const times = new Map(headers.map(({ hash, timestamp }) => [hash, timestamp]))
      const read = readEvents(logs, { contracts, vaults: await knownVaults(logs), times })
      const events = withoutOvertaken(read)
      const { states, before } = foldEvents(events, await statesOf(events.flatMap(subjectsOf)), final.number)
      const blocks = { headers, events, states, before, read: readBlocksOf(read) }
      const outcome = await store.append(tip, blocks, final, isBehind)
      await store.deleteOldEvents()
      return outcome
    },
  }
}

/** Without payout addresses that the same transaction changes again: a loop sets thousands for little gas, and nothing depends on them. */
function withoutOvertaken(events: readonly ChainEvent[]): ChainEvent[] {
  const last = new Map<string, ChainEvent>()
  const nameOf = ({ blockHash, txHash, args }: ChainEvent) => `${blockHash} ${txHash} ${args.subscriptionId}`
  for (const event of events) if (event.name === 'PayoutSet') last.set(nameOf(event), event)
  return events.filter((event) => event.name !== 'PayoutSet' || last.get(nameOf(event)) === event)
}

/** Which logs the events of each block are from; events come in the order of the chain. */
function readBlocksOf(events: readonly ChainEvent[]): ReadBlock[] {
  return [...Map.groupBy(events, ({ blockNumber }) => blockNumber)].map(([blockNumber, ofBlock]) => ({
    blockNumber,
    blockHash: ofBlock[0]!.blockHash,
    logIndexes: JSON.stringify(ofBlock.map(({ logIndex }) => logIndex)),
  }))
}

import type { StateBefore, StateRow } from '../stores/chain-index.ts'
import type { ChainEvent } from './events.ts'
import { applyEvent, ownerOf, type Subject, subjectsOf } from './projections.ts'

export interface FoldedEvents {
  states: StateRow[]
  /** The same states before each block that is not final, to be restored if a reorganisation removes the block. */
  before: StateBefore[]
}

export const subjectKey = ({ kind, id }: { kind: string; id: string }): string => `${kind} ${id}`

/** Folds events, in chain order, into the states they change. Pure. @param known - The states before, by {@link subjectKey}. */
export function foldEvents(
  events: readonly ChainEvent[],
  known: ReadonlyMap<string, StateRow>,
  finalNumber: number,
): FoldedEvents {
  const changed = new Map<string, StateRow>()
  const before = new Map<string, StateBefore>()
  for (const event of events)
    for (const subject of subjectsOf(event)) {
      const key = subjectKey(subject)
      const current = changed.get(key) ?? known.get(key)
      const blockKey = `${event.blockNumber} ${key}`
      if (event.blockNumber > finalNumber && !before.has(blockKey))
        before.set(blockKey, stateBefore(subject, event.blockNumber, current))
      changed.set(key, stateAfter(subject, event, current))
    }
  return { states: [...changed.values()], before: [...before.values()] }
}

function stateAfter({ kind, id }: Subject, event: ChainEvent, current: StateRow | undefined): StateRow {
  const state = applyEvent(kind, current?.state ?? null, event)
  return { kind, subject: id, state, owner: ownerOf(kind, state), blockNumber: event.blockNumber }
}

const stateBefore = (
  { kind, id }: Subject,
  blockNumber: number,
  current: StateRow | undefined,
): StateBefore => ({
  kind,
  subject: id,
  blockNumber,
  state: current?.state ?? null,
  owner: current?.owner ?? null,
  stateBlockNumber: current?.blockNumber ?? null,
})

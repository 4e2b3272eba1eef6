import { number } from '../format.ts'

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${number(count)} ${count === 1 ? one : many}`

/** Words of states, the same everywhere, and short enough for a row on a phone. What is not here is shown as the API names it. */
const states: Readonly<Record<string, string>> = {
  pending: 'Running',
  committee_agreed: 'Agreed',
  escalated: 'Rerun',
  finalized: 'Final',
  ok: 'Works',
}

export const stateWord = (state: string): string =>
  states[state] ?? state.replaceAll('_', ' ').replace(/^./, (first) => first.toUpperCase())

import { number } from '../format.ts'

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${number(count)} ${count === 1 ? one : many}`

/** Words of states, the same everywhere, and short enough for a row on a phone. */
export const states: Readonly<Record<string, string>> = {
  queued: 'Queued',
  pending: 'Running',
  running: 'Running',
  committee_agreed: 'Agreed',
  escalated: 'Rerun',
  fallback: 'Fallback',
  finalized: 'Final',
  failed: 'Failed',
  ok: 'Works',
  degraded: 'Degraded',
  unavailable: 'Unavailable',
  online: 'Online',
  idle: 'Idle',
  offline: 'Offline',
  faulty: 'Faulty',
  banned: 'Banned',
  listed: 'Listed',
  paused: 'Paused',
  underfunded: 'Underfunded',
  open: 'Open',
}

export const stateWord = (state: string): string =>
  states[state] ?? state.replaceAll('_', ' ').replace(/^./, (first) => first.toUpperCase())

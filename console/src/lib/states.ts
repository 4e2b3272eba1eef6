/** The one colour of every state. */
export type Tone = 'queued' | 'running' | 'agreed' | 'final' | 'contested' | 'failed'

const tones: Readonly<Record<string, Tone>> = {
  pending: 'running',
  running: 'running',
  committee_agreed: 'agreed',
  escalated: 'contested',
  fallback: 'contested',
  finalized: 'final',
  failed: 'failed',
  ok: 'final',
  degraded: 'contested',
  unavailable: 'failed',
  online: 'final',
  idle: 'agreed',
  faulty: 'failed',
  banned: 'failed',
  listed: 'final',
  active: 'final',
  paused: 'contested',
  underfunded: 'contested',
  rejected: 'failed',
  delisted: 'failed',
  open: 'running',
  attested: 'agreed',
  submitted: 'agreed',
  settled: 'agreed',
  released: 'final',
  vetoed: 'failed',
  jailed: 'failed',
  unbonding: 'contested',
  withdrawable: 'agreed',
  sent: 'running',
  confirmed: 'agreed',
  indexed: 'final',
  reverted: 'failed',
  processing: 'running',
  completed: 'final',
  claimable: 'agreed',
  claimed: 'final',
  recorded: 'contested',
  proposed: 'contested',
  disputed: 'contested',
  executed: 'failed',
}

export const toneOf = (state: string): Tone => tones[state] ?? 'queued'

/** Whether a project takes tasks in a state of its listing. */
export const takesTasks = (listing: string): boolean => listing === 'listed' || listing === 'underfunded'

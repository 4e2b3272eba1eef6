export type Conduct = (typeof conducts)[number]

export const conducts = [
  'honest',
  /** Votes for a wrong result, the same as every other liar. */
  'lies',
  /** Votes for a wrong result of its own. */
  'lies_alone',
  /** Votes for two results. */
  'equivocates',
  /** Sends a vote whose signature is of something else before its own. */
  'votes_invalid',
  'silent',
  'declines',
  /** Accepts, and does not vote. */
  'forgets',
  /** Votes when its time is over. */
  'votes_late',
  /** Sends everything twice, and its vote once more when it was stored. */
  'repeats',
  /** Sends frames that the hub cannot read, or about offers that nobody made. */
  'sends_unknown',
  /** Its connection breaks, and it connects again. */
  'cut_before_accept',
  'cut_before_vote',
  'cut_after_vote',
  /** Its process is killed, and starts again with the data that it had stored. */
  'killed_before_accept',
  'killed_before_vote',
  'killed_after_vote',
] as const

/** Whether the votes of this conduct prove an offence where they are counted. */
export const isLie = (conduct: Conduct): boolean =>
  conduct === 'lies' || conduct === 'lies_alone' || conduct === 'equivocates'

/** Whether a member with this conduct may miss its vote by its own doing. */
export const mayMiss = (conduct: Conduct): boolean =>
  ['silent', 'declines', 'forgets', 'votes_late'].includes(conduct) || isKill(conduct)

const isKill = (conduct: Conduct): boolean => conduct.startsWith('killed_')

/** Faults that meet a node once, and not again when it is offered the same task on its next connection. */
export const isInterruption = (conduct: Conduct): boolean => conduct.startsWith('cut_') || isKill(conduct)

/** What a member does with the offer of a task. */
export const conducts = [
  'honest',
  'lies',
  'lies_alone',
  'equivocates',
  'votes_invalid',
  'silent',
  'declines',
  'forgets',
  'votes_late',
  'repeats',
  'cut_before_vote',
  'cut_after_vote',
  'killed_before_vote',
  'killed_after_vote',
] as const
export type Conduct = (typeof conducts)[number]

export const isLie = (conduct: Conduct): boolean => ['lies', 'lies_alone', 'equivocates'].includes(conduct)

/** Conduct by which a member misses its vote, or may miss it. */
export const mayMiss = (conduct: Conduct): boolean =>
  ['silent', 'declines', 'forgets', 'votes_late', 'killed_before_vote', 'killed_after_vote'].includes(conduct)

/** Happens to a node once for each offer. */
export const isInterruption = (conduct: Conduct): boolean => /^(cut|killed)_/.test(conduct)

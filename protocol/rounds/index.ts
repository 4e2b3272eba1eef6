/** A task's round: its committee, votes, tally, audit and finality (sections 15 and 17 to 20). */
export * from './audit.ts'
export * from './committee.ts'
export * from './execution-vote.ts'
export * from './finality.ts'
export * from './round-vote.ts'
export * from './tally.ts'
export * from './task.ts'
export * from './task-vote.ts'
